// What happens to effects: they are leased, completed, failed, lost, and seen to by operators.

#include <algorithm>

#include "modules/commands/decide.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/json.hpp"
#include "modules/commands/kinds.hpp"

namespace holdfast::commands {
namespace {

constexpr std::int64_t leases_max = 1000;
/// Of the requests in one lease, which are one record; one larger request is leased alone.
constexpr std::size_t lease_bytes_max = std::size_t{4} << 20U;
constexpr Duration lease_min = std::chrono::milliseconds(1);
constexpr Duration lease_max = std::chrono::hours(24);

constexpr std::string_view attempts_exhausted = "attempts_exhausted";

constexpr std::string_view verdicts[] = {"retry", "refused", "unknown", "absent"};

bool is_lease(Duration lease) { return lease >= lease_min && lease <= lease_max; }

std::string queue_of(const Leasing& what, std::string_view tenant, std::string_view kind) {
  return what.dispatches ? queue_of_dispatchers(kind) : queue_of_workers(tenant, kind);
}

/// A command and its effect, if it has one that has not settled.
struct Found {
  const CommandRow* command = nullptr;
  const EffectRow* effect = nullptr;
};

Found find(std::string_view id, const Deciding& deciding) {
  Found found;
  const std::string_view key = row_key_in(id);
  if (key.empty()) return found;
  const auto* const command = deciding.rows.row<CommandRow>(deciding.tenant(), key);
  if (command == nullptr || command->id != id) return found;
  found.command = command;
  const auto* const effect = deciding.rows.row<EffectRow>(EffectRow::tenant_of_queues, key);
  if (effect != nullptr && effect->id == id) found.effect = effect;
  return found;
}

/// Why somebody with that fence may not speak of the effect; nothing if they may.
Refused not_the_holder(const Found& found, std::int64_t fence) {
  if (found.command == nullptr) return Refusal{Rejection::command_not_known};
  if (found.effect == nullptr) return Refusal{Rejection::effect_not_open};
  const bool holds =
      found.effect->leased() && found.effect->fence == static_cast<std::uint64_t>(fence);
  if (!holds) return Refusal{Rejection::stale_fence};
  return {};
}

/// Why an operator may not change what becomes of the effect now.
Refused not_at_rest(const Found& found) {
  if (found.command == nullptr) return Refusal{Rejection::command_not_known};
  if (found.effect != nullptr && found.effect->leased()) return Refusal{Rejection::effect_not_open};
  return {};
}

/// What an effect becomes: it moves on, or its command is settled.
struct Next {
  std::optional<Moved> moved{};
  Settled settled{};
};

Next later(EffectRow effect, Instant at) {
  effect.ready_at = at;
  effect.lease_until.reset();
  return {.moved = Moved::of(effect)};
}

Next ended(const EffectRow& effect, Status status, std::string_view reason, std::string outcome) {
  return {.moved = {},
          .settled = {.id = effect.id,
                      .status = status,
                      .reason = std::string(reason),
                      .outcome = std::move(outcome),
                      .fence = effect.fence}};
}

std::string failure_text(const EffectRow& effect, std::string_view result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  integer_member(json, "attempts", static_cast<std::int64_t>(effect.attempts));
  optional_text(json, "error", effect.error);
  optional_json(json, "result", result);
  json.end_object();
  return text;
}

/// What a worker or operator says that came of an effect, as it is kept; nothing if it is no JSON.
std::optional<std::string> canonical_result(const std::string& said) {
  if (said.empty()) return said;
  auto canonical = canonicalize(said, {.bytes = said.size()});
  return canonical ? std::optional(std::move(*canonical)) : std::nullopt;
}

bool exhausted(const EffectRow& effect) { return effect.attempts >= effect.attempts_max; }

/// Nobody knows whether the call took place.
Next lost(EffectRow effect, Instant now) {
  if (effect.stage != Stage::call) return later(effect, now + backoff_of(effect));
  effect.uncertain = true;
  switch (effect.shield) {
    case Shield::s3:
      effect.stage = Stage::probe;
      return later(effect, now);
    case Shield::s4:
      if (exhausted(effect)) {
        effect.stage = Stage::reconcile;
        return later(effect, now);
      }
      return later(effect, now + backoff_of(effect));
    case Shield::s1:
      if (!exhausted(effect)) return later(effect, now + backoff_of(effect));
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
    if (!exhausted(effect)) return later(effect, now);
  } else if (!exhausted(effect)) {
    return later(effect, now + backoff_of(effect));
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
  const std::int64_t most = std::clamp(what.max, std::int64_t{1}, leases_max);
  for (const std::string& each : what.kinds) {
    const std::string queue = queue_of(what, needs.tenant(), each);
    if (queue.size() > name_bytes_max) continue;
    needs.list({.space = EffectRow::space,
                .tenant = EffectRow::tenant_of_queues,
                .parent = queue,
                .limit = static_cast<std::size_t>(most)});
  }
}

Refused Lease::decide(const Leasing& what, Deciding& deciding) {
  if (!is_lease(what.lease)) return Refusal{Rejection::invalid_request, Reason::lease_bounds};
  Leased said{.until = deciding.now + what.lease, .holder = deciding.request.call.caller.principal};
  const auto most = static_cast<std::size_t>(what.max);
  std::size_t bytes = 0;
  for (auto each = what.kinds.begin(); each != what.kinds.end(); ++each) {
    const std::string& kind = *each;
    if (std::find(what.kinds.begin(), each, kind) != each) continue;  // its list was gone through
    const std::string queue = queue_of(what, deciding.tenant(), kind);
    for (const RowName& name :
         deciding.rows.listed(EffectRow::space, EffectRow::tenant_of_queues, queue)) {
      if (said.items.size() == most) break;
      const auto* const effect = deciding.rows.row<EffectRow>(name.tenant, name.key);
      // A call of this batch may have had it before.
      if (effect == nullptr || effect->leased() || effect->ready_at > deciding.now ||
          effect->index(name.key).parent != queue)
        continue;
      bytes += effect->args.size() + effect->target.size();
      if (!said.items.empty() && bytes > lease_bytes_max) break;
      said.items.push_back({.id = effect->id,
                            .fence = effect->fence + 1,
                            .attempt = effect->attempts + (effect->stage == Stage::call ? 1 : 0),
                            .effect = *effect});
    }
  }
  if (said.items.empty()) {
    deciding.blame.detail = said.text();
    return {};  // nothing was done, and the token is unused
  }
  deciding.outcome(kinds::leased).detail = said.text();
  return {};
}

Refused Renew::decide(const Renewing& what, Deciding& deciding) {
  if (!is_lease(what.lease)) return Refusal{Rejection::invalid_request, Reason::lease_bounds};
  const Found found = find(what.id, deciding);
  if (Refused refused = not_the_holder(found, what.fence)) return refused;
  EffectRow effect = *found.effect;
  effect.lease_until = std::max(*effect.lease_until, deciding.now + what.lease);
  deciding.outcome(kinds::renewed).detail = Moved::of(effect).text();
  return {};
}

Refused Complete::decide(const Completing& what, Deciding& deciding) {
  auto result = canonical_result(what.result);
  if (!result) return Refusal{Rejection::invalid_request, Reason::command_text};
  const Found found = find(what.id, deciding);
  if (Refused refused = not_the_holder(found, what.fence)) return refused;
  EffectRow effect = *found.effect;
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
  if (Refused refused = not_the_holder(found, what.fence)) return refused;
  EffectRow effect = *found.effect;
  effect.error = what.error;
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
  if (Refused refused = not_at_rest(found)) return refused;
  std::optional<EffectRow> effect;
  if (found.effect != nullptr) effect = *found.effect;
  if (!effect && found.command->status == Status::failed && !found.command->effect.empty()) {
    effect = EffectRow::read(found.command->effect);
    if (effect) effect->attempts = 0;
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
  if (Refused refused = not_at_rest(found)) return refused;
  const CommandRow& command = *found.command;
  const bool may = found.effect != nullptr || command.status == Status::failed ||
                   (command.status == Status::executed && *status == Status::compensated);
  if (!may || command.status == *status) return Refusal{Rejection::effect_not_open};
  settle({.id = command.id,
          .status = *status,
          .reason = "resolved",
          .outcome = result->empty() ? command.outcome : std::move(*result),
          .fence = found.effect == nullptr ? 0 : found.effect->fence},
         deciding);
  return {};
}

Refused Cancel::decide(const CancellingEffect& what, Deciding& deciding) {
  const Found found = find(what.id, deciding);
  if (Refused refused = not_at_rest(found)) return refused;
  if (found.effect == nullptr) return Refusal{Rejection::effect_not_open};
  settle({.id = what.id,
          .status = Status::failed,
          .reason = found.effect->uncertain ? std::string(outcome_unknown) : "cancelled",
          .outcome = failure_text(*found.effect, {}),
          .fence = found.effect->fence},
         deciding);
  return {};
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  for (const RowName& name : due.rows) {
    if (name.space != EffectRow::space) continue;
    const auto* const effect = rows.row<EffectRow>(name.tenant, name.key);
    // A call of this batch may have ended or renewed the lease.
    if (effect == nullptr || !effect->leased() || *effect->lease_until > draft.now) continue;
    const RowName command{CommandRow::space, effect->tenant, name.key};
    if (rows.row(command) == nullptr) {  // it may have to be settled
      due.missing->emplace_back(command);
      continue;
    }
    EffectRow left = *effect;
    left.error = "the lease ended without a word";
    const Next next = lost(left, draft.now);
    Record& record = draft.add(next.moved ? kinds::lost : kinds::settled, effect->tenant);
    record.detail = next.moved ? next.moved->text() : next.settled.text();
  }
}

}  // namespace holdfast::commands
