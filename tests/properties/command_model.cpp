#include "properties/command_model.hpp"

#include <algorithm>

namespace holdfast::test {

using commands::Shield;

ModelCommand* CommandModel::find(const std::string& tenant, const std::string& id) {
  for (auto& [key, command] : commands) {
    if (command.tenant == tenant && command.id == id) return &command;
  }
  return nullptr;
}

void CommandModel::wait(ModelEffect& effect, char stage, Instant now, bool backs_off) {
  Duration all = std::chrono::seconds(1);
  for (std::uint64_t i = 1; i < effect.attempts && all < std::chrono::minutes(5); ++i) all *= 2;
  all = std::min<Duration>(all, std::chrono::minutes(5));
  effect.stage = stage;
  effect.lease_until.reset();
  effect.ready_at = backs_off ? now + all / 2 : now;
  effect.ready_latest = backs_off ? now + all : now;
}

void CommandModel::end(ModelCommand& command, std::string status, std::string reason, Instant now) {
  if (command.effect && status == "failed") {
    command.left = command.effect;
    command.left->lease_until.reset();
    command.left->uncertain = command.left->uncertain || reason == "outcome_unknown";
  }
  command.effect.reset();
  command.status = std::move(status);
  command.reason = std::move(reason);
  command.ended = now;
}

void CommandModel::lose(ModelCommand& command, Instant now) {
  ModelEffect& effect = *command.effect;
  if (effect.stage != 'c') return wait(effect, effect.stage, now, true);
  effect.uncertain = true;
  const bool left = effect.attempts < effect.attempts_max;
  if (effect.shield == Shield::s3) return wait(effect, 'p', now, false);
  if (effect.shield == Shield::s4 && !left) return wait(effect, 'r', now, false);
  if (effect.shield != Shield::s2 && left) return wait(effect, 'c', now, true);
  end(command, "failed", "outcome_unknown", now);
}

void CommandModel::again(ModelCommand& command, Instant now) {
  ModelEffect& effect = *command.effect;
  const bool left = effect.attempts < effect.attempts_max;
  if (effect.stage == 'p') {
    effect.uncertain = false;
    if (left) return wait(effect, 'c', now, false);
    effect.stage = 'c';
  } else if (left) {
    return wait(effect, 'c', now, true);
  }
  if (effect.uncertain && effect.shield == Shield::s4) return wait(effect, 'r', now, false);
  end(command, "failed", effect.uncertain ? "outcome_unknown" : "attempts_exhausted", now);
}

namespace {

CommandModel::Refusal not_the_holder(const ModelCommand* command, std::int64_t fence) {
  if (command == nullptr) return Rejection::command_not_known;
  if (!command->effect) return Rejection::effect_not_open;
  if (!command->effect->lease_until || command->effect->fence != fence)
    return Rejection::stale_fence;
  return std::nullopt;
}

CommandModel::Refusal not_at_rest(const ModelCommand* command) {
  if (command == nullptr) return Rejection::command_not_known;
  if (command->effect && command->effect->lease_until) return Rejection::effect_not_open;
  return std::nullopt;
}

}  // namespace

CommandModel::Refusal CommandModel::renew(ModelCommand* command, std::int64_t fence, Duration lease,
                                          Instant now) {
  if (const auto refused = not_the_holder(command, fence)) return refused;
  auto& until = command->effect->lease_until;
  until = std::max(*until, now + lease);
  return std::nullopt;
}

CommandModel::Refusal CommandModel::complete(ModelCommand* command, std::int64_t fence,
                                             Instant now) {
  if (const auto refused = not_the_holder(command, fence)) return refused;
  ModelEffect& effect = *command->effect;
  if (effect.shield == Shield::s4 && effect.uncertain && effect.stage == 'c')
    wait(effect, 'r', now, false);
  else
    end(*command, "executed", "", now);
  return std::nullopt;
}

CommandModel::Refusal CommandModel::fail(ModelCommand* command, std::int64_t fence,
                                         const std::string& verdict, Instant now) {
  if (const auto refused = not_the_holder(command, fence)) return refused;
  ModelEffect& effect = *command->effect;
  const bool calls = effect.stage == 'c';
  if (verdict == "refused" && !calls) return Rejection::invalid_request;
  if (verdict == "refused" && effect.shield == Shield::s4 && effect.uncertain)
    wait(effect, 'r', now, false);
  else if (verdict == "refused")
    end(*command, "failed", "refused", now);
  else if (verdict == "unknown" || (verdict == "retry" && !calls))
    lose(*command, now);
  else if (effect.stage == 'r')
    end(*command, "failed", "attempts_exhausted", now);
  else
    again(*command, now);
  return std::nullopt;
}

CommandModel::Refusal CommandModel::retry(ModelCommand* command, Instant now) {
  if (const auto refused = not_at_rest(command)) return refused;
  if (!command->effect) {
    if (command->status != "failed" || !command->left) return Rejection::effect_not_open;
    command->effect = command->left;
    command->effect->attempts = 0;
    command->left.reset();
    command->status = "in_progress";
    command->reason.clear();
  }
  wait(*command->effect, command->effect->stage, now, false);
  return std::nullopt;
}

CommandModel::Refusal CommandModel::resolve(ModelCommand* command, const std::string& status,
                                            Instant now) {
  if (const auto refused = not_at_rest(command)) return refused;
  const bool may = command->effect || command->status == "failed" ||
                   (command->status == "executed" && status == "compensated");
  if (!may || command->status == status) return Rejection::effect_not_open;
  end(*command, status, "resolved", now);
  return std::nullopt;
}

CommandModel::Refusal CommandModel::cancel(ModelCommand* command, Instant now) {
  if (const auto refused = not_at_rest(command)) return refused;
  if (!command->effect) return Rejection::effect_not_open;
  end(*command, "failed", command->effect->uncertain ? "outcome_unknown" : "cancelled", now);
  return std::nullopt;
}

std::size_t CommandModel::sweep(Instant now) {
  std::size_t lost = 0;
  for (auto& [key, command] : commands) {
    if (!command.effect || !command.effect->lease_until) continue;
    if (*command.effect->lease_until > now) continue;
    lose(command, now);
    ++lost;
  }
  return lost;
}

bool CommandModel::leasable(const ModelCommand& command, bool dispatches, Instant now) {
  if (!command.effect || command.effect->lease_until) return false;
  return (command.effect->stage != 'c') == dispatches && command.effect->ready_at <= now;
}

void CommandModel::lease(ModelCommand& command, Instant until) {
  ModelEffect& effect = *command.effect;
  effect.lease_until = until;
  ++effect.fence;
  if (effect.stage == 'c') ++effect.attempts;
}

}  // namespace holdfast::test
