#pragma once

#include "domain/decide.hpp"

namespace holdfast {

/// Answers. First ones, replays and what whoever looks a token up is shown are made here, from the
/// same rows, which is why they cannot differ.

/// The rows that an outcome is answered from; null where it speaks of none.
struct Spoken {
  const HoldRow* hold = nullptr;
  const ModuleRow* row = nullptr;  ///< of an operation that is settled later
};

/// The row that the outcome of a token is answered from, of an operation that is settled later.
[[nodiscard]] std::optional<OwnedRowName> row_spoken_of(Operation operation,
                                                        std::string_view tenant,
                                                        std::string_view token);
/// What the outcome of a request speaks of, among the rows of its batch.
[[nodiscard]] Spoken spoken_of(const Request& request, const TokenRow& outcome,
                               const WorkingSet& rows);

/// The answer to a request on which this was decided.
[[nodiscard]] Answer answer_of(const Request& request, const Decision& decision,
                               const Spoken& spoken, const Rules& rules);

/// What became of a token: its outcome, and the record that has it, which says what was asked and
/// by whom. `answer` in it is the one that was given first, or, of an outcome that is settled
/// later, the one it has by now.
[[nodiscard]] TokenResult result_of(const Record& record, const Spoken& spoken, const Rules& rules);

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

/// Tells a call that its token has another request's outcome, in the words of its operation.
void tell_collision(Answer& answer);

/// A hold as it stands.
[[nodiscard]] Hold hold_of(const HoldRow& row);

/// A hold as it stood when this outcome was given: what may have happened to it since does not
/// show.
[[nodiscard]] Hold hold_as_of(const TokenRow& outcome, const HoldRow& row);

}  // namespace holdfast
