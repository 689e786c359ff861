#pragma once

#include "domain/decide.hpp"

namespace holdfast {

/// The answer a token's outcome stands for. First answers and replays are both made here, from
/// the same rows, which is why they cannot differ. `hold` is the hold the outcome speaks of.
[[nodiscard]] Answer answer_of(const Request& request, const TokenRow& outcome, const HoldRow* hold,
                               const Rules& rules);

/// The answer to a decision: the above, and whether it is a replay and recorded.
[[nodiscard]] Answer answer_of(const Request& request, const Decision& decision,
                               const HoldRow* hold, const Rules& rules);

/// The command of a record, as far as its answer depends on it.
[[nodiscard]] Command recorded_command(const Record& record);

/// A refusal that leaves the token unused.
[[nodiscard]] Answer refuse(const Call& call, Rejection rejection, Reason reason = Reason::none);

/// A hold as it stands.
[[nodiscard]] Hold hold_of(const HoldRow& row);

/// A hold as it stood when this outcome was given: what may have happened to it since does not
/// show.
[[nodiscard]] Hold hold_as_of(const TokenRow& outcome, const HoldRow& row);

}  // namespace holdfast
