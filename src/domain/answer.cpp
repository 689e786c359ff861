#include "domain/answer.hpp"

#include <algorithm>

#include "domain/confirmation.hpp"
#include "domain/hold_picture.hpp"
#include "domain/operation.hpp"

namespace holdfast {

Hold hold_of(const HoldRow& row) {
  Hold hold{.id = row.id,
            .resource = std::string(row.resource),
            .requester = std::string(row.requester),
            .quantity = row.quantity,
            .state = row.state,
            .placed_at = row.placed_at,
            .expires_at = row.expires_at,
            .resolved_at = std::nullopt,
            .quantity_confirmed = row.confirmed,
            .quantity_cancelled = row.cancelled};
  if (row.group.ordinal != 0) hold.group = GroupId{row.group};
  if (row.state != HoldState::held) hold.resolved_at = row.resolved_at;
  return hold;
}

bool leaves_state_open(Operation operation, Rejection rejection) {
  const OperationSpec* const spec = find_spec(operation);
  const bool of_what_was_confirmed = spec != nullptr && spec->refuses(Rejection::not_confirmed);
  return of_what_was_confirmed &&
         (rejection == Rejection::not_confirmed || rejection == Rejection::quantity_exceeded);
}

namespace {

bool leaves_state_open(const TokenRow& outcome) {
  return outcome.rejection && leaves_state_open(outcome.operation, *outcome.rejection);
}

}  // namespace

bool told_by_record(const TokenRow& outcome, const HoldRow* hold) {
  if (hold != nullptr && hold->changed_seq > outcome.seq) return true;
  if (hold != nullptr && leaves_state_open(outcome)) return true;
  const OperationSpec* const spec = find_spec(outcome.operation);
  if (spec == nullptr || (spec->later != nullptr && !outcome.rejection)) return false;
  return spec->told;
}

bool may_be_told_by_record(const TokenRow& outcome, const HoldRow* hold) {
  return (hold != nullptr && hold->changed_seq != 0) || told_by_record(outcome, hold);
}

namespace {

/// Whether the hold was still held when the outcome was given, if nothing but its end ever changed.
bool was_held(const TokenRow& outcome) {
  if (outcome.rejection) return outcome.rejection != Rejection::not_held;
  return state_after(spec_of(outcome.operation).done) == HoldState::held;
}

}  // namespace

Hold hold_as_of(const TokenRow& outcome, const HoldRow& row) {
  HoldRow then = row;
  const bool changed_since = row.changed_seq > outcome.seq;
  const bool pictured = (changed_since || leaves_state_open(outcome)) && outcome.detail != nullptr;
  if (pictured && apply_picture(*outcome.detail, then)) return hold_of(then);
  if (changed_since) {  // as it was placed, but for its end
    then.expires_at = row.first_expires_at;
    then.confirmed = row.state == HoldState::confirmed ? row.quantity : 0;
    then.cancelled = 0;
  }
  const bool unchanged_then = changed_since || row.changed_seq == 0;
  if (unchanged_then && was_held(outcome)) {
    then.state = HoldState::held;
    then.confirmed = 0;
  }
  return hold_of(then);
}

namespace {

/// What the outcome itself says.
Answer answer_of(const TokenRow& outcome, const std::string& token, const Spoken& spoken,
                 const Rules& rules) {
  Answer answer;
  answer.rejection = outcome.rejection;
  answer.reason = outcome.reason;
  answer.token = token;
  answer.token_expires = rules.forgotten_at(outcome.operation, outcome.recorded_at, outcome.ends);
  answer.plain = outcome.seq != 0 && outcome.seq <= rules.plain_until;
  const OperationSpec* const spec = find_spec(outcome.operation);
  const bool settled_later = spec != nullptr && spec->later != nullptr && !outcome.rejection;
  if (settled_later && spoken.row != nullptr) {
    spec->later->tell(spoken.row->value.get(), outcome.seq, answer);
  } else if (spec != nullptr && spec->told) {
    if (outcome.detail != nullptr) answer.document = *outcome.detail;
  } else if (spoken.hold != nullptr && outcome.hold_ordinal != 0) {
    answer.hold = hold_as_of(outcome, *spoken.hold);
  }
  return answer;
}

}  // namespace

std::optional<OwnedRowName> row_spoken_of(Operation operation, std::string_view tenant,
                                          std::string_view token) {
  const OperationSpec* const spec = find_spec(operation);
  if (spec == nullptr || spec->later == nullptr) return std::nullopt;
  return OwnedRowName(RowName{spec->later->space, tenant, spec->later->key(tenant, token)});
}

Spoken spoken_of(const Request& request, const TokenRow& outcome, const WorkingSet& rows) {
  Spoken spoken{.hold = rows.hold(outcome.hold_ordinal)};
  if (const auto name = row_spoken_of(outcome.operation, request.tenant(), request.token()))
    spoken.row = rows.row(*name);
  return spoken;
}

Answer answer_of(const Request& request, const Decision& decision, const Spoken& spoken,
                 const Rules& rules) {
  const Command& command = request.command();
  Answer answer = answer_of(decision.outcome, request.token(), spoken, rules);
  answer.operation = command.operation();
  if (!answer.rejection) {
    const OperationSpec& spec = spec_of(decision.outcome.operation);
    if (spec.answer != nullptr) spec.answer(command.parameters(), answer);
  }
  // Only what is recorded is looked at later than it was decided.
  if (!decision.recorded && answer.hold) answer.hold = hold_of(*spoken.hold);
  answer.recorded = decision.recorded;
  // What settles later and is answered without a record was there before.
  const bool was_there =
      !decision.recorded && !answer.rejection && spec_of(command.operation()).later != nullptr;
  answer.replayed = decision.claim == Claim::recorded || was_there;
  if (decision.claim == Claim::collision) tell_collision(answer);
  if (answer.rejection == Rejection::confirmation_required) {
    const Instant now = decision.outcome.recorded_at;
    // No longer than its token is remembered, or it would be good for a second effect.
    const Duration lifetime = rules.confirmation_lifetime;
    const auto window = rules.window_of(command.operation());
    answer.confirmation_expires = after(now, std::min(lifetime, window.value_or(lifetime)));
    answer.confirmation = confirmation_code(request, answer.confirmation_expires, rules);
  }
  return answer;
}

TokenResult result_of(const Record& record, const Spoken& spoken, const Rules& rules) {
  TokenResult result{.answer = answer_of(outcome_of(record), record.token, spoken, rules),
                     .principal = record.principal,
                     .digest = record.digest.hex(),
                     .recorded_at = record.at};
  Answer& answer = result.answer;
  answer.operation = record.operation;
  answer.recorded = true;
  if (!answer.rejection) {
    const OperationSpec& spec = spec_of(record.operation);
    if (spec.answer_recorded != nullptr) spec.answer_recorded(record, answer);
  }
  return result;
}

void tell_collision(Answer& answer) {
  const Refusal& collision = spec_of(answer.operation).collision;
  answer.rejection = collision.rejection;
  answer.reason = collision.reason;
  answer.collided = true;
}

Answer refuse(const Call& call, Rejection rejection, Reason reason) {
  Answer answer;
  answer.operation = call.command.operation();
  answer.rejection = rejection;
  answer.reason = reason;
  answer.token = call.token.bytes();
  answer.effect = effect_of(rejection).value_or(Effect::none);
  return answer;
}

}  // namespace holdfast
