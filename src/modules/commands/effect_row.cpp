#include "modules/commands/effect_row.hpp"

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

constexpr EffectKind effect_kinds[] = {EffectKind::push, EffectKind::pull, EffectKind::handler};
constexpr Shield shields[] = {Shield::s1, Shield::s2, Shield::s3, Shield::s4};

}  // namespace

std::string_view name(Stage stage) { return stage_names[static_cast<std::size_t>(stage)]; }

std::optional<Stage> stage_named(std::string_view name) {
  for (const Stage each : stages) {
    if (commands::name(each) == name) return each;
  }
  return std::nullopt;
}

void EffectRow::of_command(const CommandRow& command, std::string_view whose) {
  tenant = whose;
  id = command.id;
  token = command.token;
  entity = command.entity;
  action = command.action;
  target = command.target;
  args = command.args;
  actor = command.actor;
  effective_actor = command.effective_actor;
  correlation_id = command.correlation_id;
  created_at = command.created_at;
}

void EffectRow::write(JsonWriter& json, Written as) const {
  const bool whole = as == Written::row;
  json.begin_object();
  if (whole) text_member(json, "action", action);
  if (whole) optional_text(json, "actor", actor);
  if (whole) optional_json(json, "args", args);
  leased_work::write_attempts(json, lease);
  if (whole) optional_text(json, "correlation_id", correlation_id);
  if (whole) instant_text(json, "created_at", created_at);
  if (whole) optional_text(json, "effective_actor", effective_actor);
  if (whole) text_member(json, "entity", entity);
  optional_text(json, "error", lease.error);
  integer_member(json, "fence", signed_of(lease.fence));
  optional_text(json, "holder", lease.holder);
  if (whole) text_member(json, "id", id);
  text_member(json, "kind", name(kind));
  if (lease.until) instant_text(json, "lease_until", *lease.until);
  text_member(json, "provider", provider);
  instant_text(json, "ready_at", lease.ready_at);
  optional_json(json, "result", result);
  optional_json(json, "sealed_token", sealed_token);
  text_member(json, "shield", name(shield));
  text_member(json, "stage", name(stage));
  if (whole) optional_json(json, "target", target);
  if (whole) text_member(json, "tenant", tenant);
  if (whole) text_member(json, "token", token);
  if (uncertain) {
    json.key("uncertain");
    json.boolean(true);
  }
  json.end_object();
}

std::optional<EffectRow> EffectRow::read(std::string_view json, Written as) {
  const bool whole = as == Written::row;
  ObjectReader reader(json);
  EffectRow row;
  reader.text("action", row.action, whole);
  reader.text("actor", row.actor);
  reader.json("args", row.args);
  reader.text("correlation_id", row.correlation_id);
  reader.instant("created_at", row.created_at, whole);
  reader.text("effective_actor", row.effective_actor);
  reader.text("entity", row.entity, whole);
  reader.text("id", row.id, whole);
  read_named(reader, "kind", effect_kinds, row.kind);
  reader.text("provider", row.provider, true);
  reader.json("result", row.result);
  reader.json("sealed_token", row.sealed_token);
  read_named(reader, "shield", shields, row.shield);
  read_named(reader, "stage", stages, row.stage);
  reader.json("target", row.target);
  reader.text("tenant", row.tenant, whole);
  reader.text("token", row.token);
  reader.flag("uncertain", row.uncertain);
  leased_work::read_lease_state(reader, row.lease);
  return reader.good() ? std::optional(std::move(row)) : std::nullopt;
}

RowIndex EffectRow::index(std::string_view) const {
  if (lease.leased()) return {.due = lease.until};
  const bool by_workers = kind == EffectKind::pull && stage == Stage::call;
  return {.parent = by_workers ? leased_work::queue_of_workers(tenant, provider)
                               : leased_work::queue_of_dispatchers(dispatchers_do, provider),
          .position = leased_work::position_of(lease)};
}

}  // namespace holdfast::commands
