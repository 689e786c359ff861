#pragma once

#include "domain/decide.hpp"

namespace holdfast {

/// Answers. First ones, replays and what whoever looks a token up is shown are made here, from the
/// same rows, which is why they cannot differ. `hold` is the hold that the outcome speaks of, if it
/// speaks of one.

/// The answer to a request on which this was decided.
[[nodiscard]] Answer answer_of(const Request& request, const Decision& decision,
                               const HoldRow* hold, const Rules& rules);

/// What became of a token: its outcome, and the record that has it, which says what was asked and
/// by whom. `answer` in it is the one that was given first.
[[nodiscard]] TokenResult result_of(const Record& record, const HoldRow* hold, const Rules& rules);

/// Whether a refusal does not say in which state the hold was: its record has to. What is confirmed
/// of a hold can be cancelled whatever became of the rest.
[[nodiscard]] bool leaves_state_open(Operation operation, Rejection rejection);

/// Whether an outcome can be answered only with the detail of its record: the hold it speaks of has
/// changed since, or its answer never was anything else.
[[nodiscard]] bool told_by_record(const TokenRow& outcome, const HoldRow* hold);
/// The same of an outcome that is loaded for a batch: calls before it may change the hold again.
[[nodiscard]] bool may_be_told_by_record(const TokenRow& outcome, const HoldRow* hold);

/// A refusal that leaves the token unused.
[[nodiscard]] Answer refuse(const Call& call, Rejection rejection, Reason reason = Reason::none);

/// A hold as it stands.
[[nodiscard]] Hold hold_of(const HoldRow& row);

/// A hold as it stood when this outcome was given: what may have happened to it since does not
/// show.
[[nodiscard]] Hold hold_as_of(const TokenRow& outcome, const HoldRow& row);

}  // namespace holdfast
