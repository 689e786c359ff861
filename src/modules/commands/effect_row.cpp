#include "modules/commands/effect_row.hpp"

#include <fmt/format.h>

#include "domain/digest.hpp"
#include "domain/keyed_rows.hpp"
#include "modules/commands/json.hpp"

namespace holdfast::commands {
namespace {

constexpr std::string_view stage_names[] = {"call", "probe", "reconcile"};
constexpr Stage stages[] = {Stage::call, Stage::probe, Stage::reconcile};

template <typename Enum, std::size_t count>
void read_named(ObjectReader& reader, std::string_view member, const Enum (&all)[count],
                Enum& out) {
  std::string text;
  reader.text(member, text, true);
  for (const Enum each : all) {
    if (name(each) != text) continue;
    out = each;
    return;
  }
  reader.fail();
}

constexpr EffectKind kinds[] = {EffectKind::push, EffectKind::pull, EffectKind::handler};
constexpr Shield shields[] = {Shield::s1, Shield::s2, Shield::s3, Shield::s4};

}  // namespace

std::string_view name(Stage stage) { return stage_names[static_cast<std::size_t>(stage)]; }

std::optional<Stage> stage_named(std::string_view name) {
  for (const Stage each : stages) {
    if (commands::name(each) == name) return each;
  }
  return std::nullopt;
}

void EffectRow::write(JsonWriter& json, bool with_token) const {
  json.begin_object();
  text_member(json, "action", action);
  optional_text(json, "actor", actor);
  optional_json(json, "args", args);
  integer_member(json, "attempts", signed_of(attempts));
  integer_member(json, "attempts_max", signed_of(attempts_max));
  integer_member(json, "backoff_max_us", signed_of(backoff_max_us));
  integer_member(json, "backoff_us", signed_of(backoff_us));
  optional_text(json, "correlation_id", correlation_id);
  instant_text(json, "created_at", created_at);
  optional_text(json, "effective_actor", effective_actor);
  text_member(json, "entity", entity);
  optional_text(json, "error", error);
  integer_member(json, "fence", signed_of(fence));
  optional_text(json, "holder", holder);
  text_member(json, "id", id);
  text_member(json, "kind", name(kind));
  if (lease_until) instant_text(json, "lease_until", *lease_until);
  text_member(json, "provider", provider);
  instant_text(json, "ready_at", ready_at);
  optional_json(json, "result", result);
  optional_json(json, "sealed_token", sealed_token);
  text_member(json, "shield", name(shield));
  text_member(json, "stage", name(stage));
  optional_json(json, "target", target);
  text_member(json, "tenant", tenant);
  if (with_token) text_member(json, "token", token);
  if (uncertain) {
    json.key("uncertain");
    json.boolean(true);
  }
  json.end_object();
}

std::optional<EffectRow> EffectRow::read(std::string_view json) {
  ObjectReader reader(json);
  EffectRow row;
  reader.text("action", row.action, true);
  reader.text("actor", row.actor);
  reader.json("args", row.args);
  reader.number("attempts", row.attempts, true);
  reader.number("attempts_max", row.attempts_max, true);
  reader.number("backoff_max_us", row.backoff_max_us, true);
  reader.number("backoff_us", row.backoff_us, true);
  reader.text("correlation_id", row.correlation_id);
  reader.instant("created_at", row.created_at, true);
  reader.text("effective_actor", row.effective_actor);
  reader.text("entity", row.entity, true);
  reader.text("error", row.error);
  reader.number("fence", row.fence, true);
  reader.text("holder", row.holder);
  reader.text("id", row.id, true);
  read_named(reader, "kind", kinds, row.kind);
  reader.instant("lease_until", row.lease_until);
  reader.text("provider", row.provider, true);
  reader.instant("ready_at", row.ready_at, true);
  reader.json("result", row.result);
  reader.json("sealed_token", row.sealed_token);
  read_named(reader, "shield", shields, row.shield);
  read_named(reader, "stage", stages, row.stage);
  reader.json("target", row.target);
  reader.text("tenant", row.tenant, true);
  reader.text("token", row.token);
  reader.flag("uncertain", row.uncertain);
  return reader.good() ? std::optional(std::move(row)) : std::nullopt;
}

RowIndex EffectRow::index(std::string_view) const {
  if (lease_until) return {.due = lease_until};
  const bool by_workers = kind == EffectKind::pull && stage == Stage::call;
  return {
      .parent = by_workers ? queue_of_workers(tenant, provider) : queue_of_dispatchers(provider),
      .position = ready_at.time_since_epoch().count()};
}

std::string queue_of_dispatchers(std::string_view provider) {
  return fmt::format("call {}", provider);
}

/// Tenants may be long, and lists have names of at most `name_bytes_max`.
std::string queue_of_workers(std::string_view tenant, std::string_view kind) {
  return fmt::format("work {} {}", sha256(tenant).hex().substr(0, 32), kind);
}

Duration backoff_of(const EffectRow& effect) {
  const Backoff backoff{.first_us = effect.backoff_us, .most_us = effect.backoff_max_us};
  return backoff.after(effect.id, effect.attempts);
}

}  // namespace holdfast::commands
