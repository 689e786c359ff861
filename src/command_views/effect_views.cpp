#include "command_views/effect_views.hpp"

#include <fmt/format.h>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "modules/commands/json.hpp"
#include "modules/commands/secrets.hpp"

namespace holdfast::commands {
namespace {

constexpr std::string_view status_names[] = {"waiting", "leased", "unknown", "dead"};

std::string after_error(const EffectRow& effect) {
  if (effect.lease.attempts == 0) return {};
  std::string text =
      fmt::format(" Attempts so far: {} of {}", effect.lease.attempts, effect.lease.attempts_max);
  return text +
         (effect.lease.error.empty() ? "." : fmt::format("; the last: {}", effect.lease.error));
}

std::string_view what_is_next(const EffectRow& effect) {
  switch (effect.stage) {
    case Stage::probe:
      return "the provider is asked whether it took place";
    case Stage::reconcile:
      return "the provider is asked how often it took place";
    case Stage::call:
      break;
  }
  return effect.kind == EffectKind::pull ? "a worker leases it" : "it is carried out";
}

/// Why it waits, in words.
std::string why(const EffectView& view, Instant now) {
  const EffectRow& effect = view.effect;
  if (!view.command.open()) {
    return fmt::format(
        "Its command failed ({}), and it is not tried again by itself. An operator "
        "may retry or resolve it.{}",
        view.command.reason, after_error(effect));
  }
  if (effect.lease.leased()) {
    return fmt::format("{} is at work on it until {}.", effect.lease.holder,
                       time_text(*effect.lease.until));
  }
  if (effect.lease.ready_at > now) {
    return fmt::format("Not before {}, {}.{}", time_text(effect.lease.ready_at),
                       what_is_next(effect), after_error(effect));
  }
  return fmt::format("It is ready: it waits until {}.{}", what_is_next(effect),
                     after_error(effect));
}

void write_intent(JsonWriter& json, const EffectRow& effect) {
  json.key("intent");
  json.begin_object();
  text_member(json, "entity", effect.entity);
  text_member(json, "action", effect.action);
  optional_json(json, "target", effect.target);
  json.end_object();
}

}  // namespace

std::string_view name(EffectStatus status) {
  return status_names[static_cast<std::size_t>(status)];
}

std::optional<EffectStatus> effect_status_named(std::string_view name) {
  for (const EffectStatus each : effect_statuses) {
    if (commands::name(each) == name) return each;
  }
  return std::nullopt;
}

EffectStatus EffectView::status() const {
  if (effect.lease.leased()) return EffectStatus::leased;
  if (effect.uncertain) return EffectStatus::unknown;
  return command.open() ? EffectStatus::waiting : EffectStatus::dead;
}

void EffectView::write(JsonWriter& json, Instant now) const {
  json.begin_object();
  text_member(json, "id", effect.id);
  text_member(json, "command_id", effect.id);
  text_member(json, "idempotency_key", effect.token);
  write_intent(json, effect);
  optional_json(json, "args", without_secrets(effect.args));
  optional_text(json, "correlation_id", effect.correlation_id);
  text_member(json, "status", commands::name(status()));
  text_member(json, "kind", name(effect.kind));
  text_member(json, "provider", effect.provider);
  text_member(json, "shield", name(effect.shield));
  text_member(json, "stage", name(effect.stage));
  integer_member(json, "attempts", static_cast<std::int64_t>(effect.lease.attempts));
  integer_member(json, "attempts_max", static_cast<std::int64_t>(effect.lease.attempts_max));
  instant_text(json, "ready_at", effect.lease.ready_at);
  if (effect.lease.until) instant_text(json, "lease_until", *effect.lease.until);
  optional_text(json, "holder", effect.lease.holder);
  integer_member(json, "fence", static_cast<std::int64_t>(effect.lease.fence));
  json.key("uncertain");
  json.boolean(effect.uncertain);
  optional_text(json, "error", effect.lease.error);
  optional_json(json, "result", effect.result);
  optional_text(json, "reason", command.reason);
  text_member(json, "why", why(*this, now));
  instant_text(json, "created_at", effect.created_at);
  json.end_object();
}

}  // namespace holdfast::commands
