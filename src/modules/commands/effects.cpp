// What happens to effects: they are leased, completed, failed, lost, and seen to by operators.

#include <algorithm>

#include "leased_work/rows.hpp"
#include "modules/commands/decide.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/json.hpp"
#include "modules/commands/kinds.hpp"

namespace holdfast::commands {
namespace {

/// Of the requests in one lease, which are one record; one larger request is leased alone.
constexpr std::size_t lease_bytes_max = std::size_t{4} << 20U;

constexpr std::string_view attempts_exhausted = "attempts_exhausted";

constexpr std::string_view verdicts[] = {"retry", "refused", "unknown", "absent"};

leased_work::Asked asked_for(const Leasing& what, std::string_view tenant) {
  return leased_work::asked_for(what, tenant, dispatchers_do);
}

/// A command and its effect, if it has one that has not settled.
using Found = leased_work::Found<CommandRow, EffectRow>;

Found find(std::string_view id, const Deciding& deciding) {
  return leased_work::find<CommandRow, EffectRow>(id, row_key_in(id), deciding);
}

/// What an effect becomes: it moves on, or its command is settled.
struct Next {
  std::optional<Moved> moved{};
  Settled settled{};
};

Next moves_on(const EffectRow& effect) { return {.moved = Moved::of(effect)}; }

Next later(EffectRow effect, Instant at) {
  leased_work::rest_until(effect.lease, at);
  return moves_on(effect);
}

Next ended(const EffectRow& effect, Status status, std::string_view reason, std::string outcome) {
  return {.moved = {},
          .settled = {.id = effect.id,
                      .status = status,
                      .reason = std::string(reason),
                      .outcome = std::move(outcome),
                      .fence = effect.lease.fence}};
}

std::string failure_text(const EffectRow& effect, std::string_view result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  integer_member(json, "attempts", signed_of(effect.lease.attempts));
  optional_text(json, "error", effect.lease.error);
  optional_json(json, "result", result);
  json.end_object();
  return text;
}

/// What a worker or operator says that came of an effect, as it is kept; nothing if it is no JSON.
std::optional<std::string> canonical_result(const std::string& said) {
  if (said.empty()) return said;
  if (said.size() > json_bytes_max) return std::nullopt;
  auto canonical = canonicalize(said, {.bytes = said.size()});
  return canonical ? std::optional(std::move(*canonical)) : std::nullopt;
}

/// Nobody knows whether the call took place.
Next lost(EffectRow effect, Instant now) {
  leased_work::LeaseState& lease = effect.lease;
  if (effect.stage != Stage::call) {
    leased_work::back_off(lease, effect.id, now);
    return moves_on(effect);
  }
  effect.uncertain = true;
  switch (effect.shield) {
    case Shield::s3:
      effect.stage = Stage::probe;
      return later(effect, now);
    case Shield::s4:
      if (leased_work::try_again(lease, effect.id, now)) return moves_on(effect);
      effect.stage = Stage::reconcile;
      return later(effect, now);
    case Shield::s1:
      if (leased_work::try_again(lease, effect.id, now)) return moves_on(effect);
      break;
    default:
      break;
  }
  return ended(effect, Status::failed, outcome_unknown, failure_text(effect, {}));
}

/// It is certain that the last call did not take place.
Next again(EffectRow effect, Instant now) {
  if (effect.stage == Stage::probe) {
    effect.stage = Stage::call;
    effect.uncertain = false;
    if (!effect.lease.exhausted()) return later(effect, now);
  } else if (leased_work::try_again(effect.lease, effect.id, now)) {
    return moves_on(effect);
  }
  if (effect.uncertain && effect.shield == Shield::s4) {
    effect.stage = Stage::reconcile;
    return later(effect, now);
  }
  return ended(effect, Status::failed, effect.uncertain ? outcome_unknown : attempts_exhausted,
               failure_text(effect, {}));
}

void note(const Next& next, RecordKind moved, Deciding& deciding) {
  Record& record = deciding.outcome(next.moved ? moved : kinds::settled);
  record.detail = next.moved ? next.moved->text() : next.settled.text();
}

void settle(Settled settled, Deciding& deciding) {
  deciding.outcome(kinds::settled).detail = settled.text();
}

}  // namespace

void need_effect(std::string_view id, Needs& needs) {
  const std::string_view key = row_key_in(id);
  if (key.empty()) return;
  needs.row(CommandRow::space, key);
  needs.row_of(EffectRow::tenant_of_queues, EffectRow::space, key);
}

void Lease::needs(const Leasing& what, Needs& needs) {
  leased_work::need_queues(asked_for(what, needs.tenant()), EffectRow::space, needs);
}

Refused Lease::decide(const Leasing& what, Deciding& deciding) {
  if (Refused refused = leased_work::not_a_lease(what.lease)) return refused;
  const leased_work::Asked asked = asked_for(what, deciding.tenant());
  leased_work::Leased said = leased_work::lease_of(asked, deciding);
  std::vector<const EffectRow*> effects;
  std::size_t bytes = 0;
  leased_work::offer<EffectRow>(asked, deciding, [&](const EffectRow& effect) {
    bytes += effect.args.size() + effect.target.size();
    if (!effects.empty() && bytes > lease_bytes_max) return false;
    const std::uint64_t calls = effect.stage == Stage::call ? 1 : 0;
    leased_work::give(said, effect.id, effect.lease, effect.lease.attempts + calls);
    effects.push_back(&effect);
    return true;
  });
  leased_work::note(said, text_of(said, effects), kinds::leased, deciding);
  return {};
}

Refused Renew::decide(const Renewing& what, Deciding& deciding) {
  if (Refused refused = leased_work::not_a_lease(what.lease)) return refused;
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_the_holder(found, what.fence, deciding, refusals))
    return refused;
  EffectRow effect = *found.work;
  leased_work::renew(effect.lease, what.lease, deciding.now);
  deciding.outcome(kinds::renewed).detail = Moved::of(effect).text();
  return {};
}

Refused Complete::decide(const Completing& what, Deciding& deciding) {
  auto result = canonical_result(what.result);
  if (!result) return Refusal{Rejection::invalid_request, Reason::command_text};
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_the_holder(found, what.fence, deciding, refusals))
    return refused;
  EffectRow effect = *found.work;
  const bool may_be_twice =
      effect.shield == Shield::s4 && effect.uncertain && effect.stage == Stage::call;
  if (may_be_twice) {
    effect.stage = Stage::reconcile;
    effect.result = std::move(*result);
    note(later(effect, deciding.now), kinds::postponed, deciding);
    return {};
  }
  std::string outcome = result->empty() ? effect.result : std::move(*result);
  if (outcome.empty()) outcome = "{}";
  note(ended(effect, Status::executed, {}, std::move(outcome)), kinds::postponed, deciding);
  return {};
}

Refused Fail::decide(const Failing& what, Deciding& deciding) {
  if (std::find(std::begin(verdicts), std::end(verdicts), what.verdict) == std::end(verdicts))
    return Refusal{Rejection::invalid_request, Reason::verdict_unknown};
  const auto result = canonical_result(what.result);
  if (!result) return Refusal{Rejection::invalid_request, Reason::command_text};
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_the_holder(found, what.fence, deciding, refusals))
    return refused;
  EffectRow effect = *found.work;
  effect.lease.error = what.error;
  const bool looks = effect.stage != Stage::call;  // at what happened, and does nothing itself
  Next next;
  if (what.verdict == "refused" && effect.shield == Shield::s4 && effect.uncertain && !looks) {
    effect.stage = Stage::reconcile;  // this call did nothing, but one before may have
    next = later(effect, deciding.now);
  } else if (what.verdict == "refused" && !looks) {
    next = ended(effect, Status::failed, "refused", failure_text(effect, *result));
  } else if (what.verdict == "unknown" || (looks && what.verdict == "retry")) {
    next = lost(effect, deciding.now);
  } else if (what.verdict == "absent" && effect.stage == Stage::reconcile) {
    next = ended(effect, Status::failed, attempts_exhausted, failure_text(effect, *result));
  } else if (what.verdict == "retry" || what.verdict == "absent") {
    next = again(effect, deciding.now);
  } else {
    return Refusal{Rejection::invalid_request, Reason::verdict_unknown};
  }
  note(next, kinds::postponed, deciding);
  return {};
}

Refused Retry::decide(const Retrying& what, Deciding& deciding) {
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_at_rest(found, refusals)) return refused;
  std::optional<EffectRow> effect;
  if (found.work != nullptr) effect = *found.work;
  if (!effect && found.subject->status == Status::failed && !found.subject->effect.empty()) {
    effect = EffectRow::read(found.subject->effect);
    if (effect) effect->lease.attempts = 0;
  }
  if (!effect) return Refusal{Rejection::effect_not_open};
  note(later(*effect, deciding.now), kinds::reopened, deciding);
  return {};
}

Refused Resolve::decide(const Resolving& what, Deciding& deciding) {
  const auto status = status_named(what.status);
  if (!status || *status == Status::in_progress || *status == Status::rejected)
    return Refusal{Rejection::invalid_request, Reason::verdict_unknown};
  auto result = canonical_result(what.result);
  if (!result) return Refusal{Rejection::invalid_request, Reason::command_text};
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_at_rest(found, refusals)) return refused;
  const CommandRow& command = *found.subject;
  const bool may = found.work != nullptr || command.status == Status::failed ||
                   (command.status == Status::executed && *status == Status::compensated);
  if (!may || command.status == *status) return Refusal{Rejection::effect_not_open};
  settle({.id = command.id,
          .status = *status,
          .reason = "resolved",
          .outcome = result->empty() ? command.outcome : std::move(*result),
          .fence = found.work == nullptr ? 0 : found.work->lease.fence},
         deciding);
  return {};
}

Refused Cancel::decide(const CancellingEffect& what, Deciding& deciding) {
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_at_rest(found, refusals)) return refused;
  if (found.work == nullptr) return Refusal{Rejection::effect_not_open};
  settle({.id = what.id,
          .status = Status::failed,
          .reason = found.work->uncertain ? std::string(outcome_unknown) : "cancelled",
          .outcome = failure_text(*found.work, {}),
          .fence = found.work->lease.fence},
         deciding);
  return {};
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  const auto lose = [&](EffectRow effect, std::string_view key) {
    const RowName command{CommandRow::space, effect.tenant, key};
    if (rows.row(command) == nullptr) {  // it may have to be settled
      due.missing->emplace_back(command);
      return;
    }
    effect.lease.error = leased_work::without_a_word;
    const Next next = lost(effect, draft.now);
    Record& record = draft.add(next.moved ? kinds::lost : kinds::settled, effect.tenant);
    record.detail = next.moved ? next.moved->text() : next.settled.text();
  };
  leased_work::each_lost<EffectRow>(rows, due, draft.now, lose);
}

}  // namespace holdfast::commands
