#include "modules/commands/command_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "domain/keyed_rows.hpp"
#include "modules/commands/json.hpp"
#include "modules/commands/secrets.hpp"

namespace holdfast::commands {
namespace {

constexpr std::string_view status_names[] = {"in_progress", "executed", "failed", "rejected",
                                             "compensated"};

}  // namespace

std::string_view name(Status status) { return status_names[static_cast<std::size_t>(status)]; }

std::optional<Status> status_named(std::string_view name) {
  for (const Status each : statuses) {
    if (commands::name(each) == name) return each;
  }
  return std::nullopt;
}

std::string row_key(std::string_view tenant, std::string_view token) {
  return keyed_row_key(tenant, token);
}

std::string command_id(std::string_view row_key, std::uint64_t use) {
  return keyed_row_id('c', row_key, use);
}

std::string_view row_key_in(std::string_view id) { return keyed_row_key_in('c', id); }

void CommandRow::write(JsonWriter& json, Written as) const {
  const bool whole = as == Written::row;
  json.begin_object();
  text_member(json, "action", action);
  optional_text(json, "actor", actor);
  optional_json(json, "args", args);
  optional_text(json, "command_kind", command_kind);
  optional_text(json, "compensation", compensation);
  optional_text(json, "confirmation", confirmation);
  optional_text(json, "correlation_id", correlation_id);
  if (whole) instant_text(json, "created_at", created_at);
  if (whole) text_member(json, "digest", digest);
  optional_json(json, "effect", effect);
  optional_text(json, "effective_actor", effective_actor);
  text_member(json, "entity", entity);
  if (whole && expires_at) instant_text(json, "expires_at", *expires_at);
  if (whole) text_member(json, "id", id);
  optional_json(json, "outcome", outcome);
  if (whole) optional_text(json, "principal", principal);
  optional_text(json, "reason", reason);
  optional_text(json, "registry", registry);
  if (whole) integer_member(json, "seq", static_cast<std::int64_t>(seq));
  text_member(json, "status", name(status));
  optional_json(json, "target", target);
  if (whole) text_member(json, "token", token);
  if (whole) instant_text(json, "updated_at", updated_at);
  integer_member(json, "use", static_cast<std::int64_t>(use));
  json.end_object();
}

std::optional<CommandRow> CommandRow::read(std::string_view json, Written as) {
  const bool whole = as == Written::row;
  ObjectReader reader(json);
  CommandRow row;
  std::string status;
  reader.text("action", row.action, true);
  reader.text("actor", row.actor);
  reader.json("args", row.args);
  reader.text("command_kind", row.command_kind);
  reader.text("compensation", row.compensation);
  reader.text("confirmation", row.confirmation);
  reader.text("correlation_id", row.correlation_id);
  reader.instant("created_at", row.created_at, whole);
  reader.text("digest", row.digest);
  reader.json("effect", row.effect);
  reader.text("effective_actor", row.effective_actor);
  reader.text("entity", row.entity, true);
  reader.instant("expires_at", row.expires_at);
  reader.text("id", row.id, whole);
  reader.json("outcome", row.outcome);
  reader.text("principal", row.principal);
  reader.text("reason", row.reason);
  reader.text("registry", row.registry);
  reader.number("seq", row.seq, whole);
  reader.text("status", status, true);
  reader.json("target", row.target);
  reader.text("token", row.token);
  reader.instant("updated_at", row.updated_at, whole);
  reader.number("use", row.use, true);
  const auto found = status_named(status);
  if (!reader.good() || !found) return std::nullopt;
  row.status = *found;
  return row;
}

RowIndex CommandRow::index(std::string_view) const {
  return {.parent = std::string(name(status)), .position = -static_cast<std::int64_t>(seq)};
}

void ApprovalRow::write(JsonWriter& json) const {
  json.begin_object();
  instant_text(json, "at", at);
  text_member(json, "confirmation", confirmation);
  text_member(json, "id", id);
  text_member(json, "principal", principal);
  json.end_object();
}

std::optional<ApprovalRow> ApprovalRow::read(std::string_view json) {
  ObjectReader reader(json);
  ApprovalRow row;
  reader.instant("at", row.at, true);
  reader.text("confirmation", row.confirmation, true);
  reader.text("id", row.id, true);
  reader.text("principal", row.principal, true);
  return reader.good() ? std::optional(std::move(row)) : std::nullopt;
}

RowIndex ApprovalRow::index(std::string_view) const { return {}; }

void write_command(const CommandRow& row, JsonWriter& json) {
  json.begin_object();
  text_member(json, "command_id", row.id);
  text_member(json, "idempotency_key", row.token);
  text_member(json, "status", name(row.status));
  json.key("intent");
  json.begin_object();
  text_member(json, "entity", row.entity);
  text_member(json, "action", row.action);
  optional_json(json, "target", row.target);
  json.end_object();
  optional_json(json, "args", without_secrets(row.args));
  optional_text(json, "actor_id", row.actor);
  optional_text(json, "effective_actor_id", row.effective_actor);
  optional_text(json, "command_kind", row.command_kind);
  optional_text(json, "correlation_id", row.correlation_id);
  optional_text(json, "reason", row.reason);
  json.key("outcome");
  row.outcome.empty() ? json.null() : json.raw(row.outcome);
  text_member(json, "outcome_ref", fmt::format("/v1/commands/{}", row.id));
  text_member(json, "fingerprint", row.digest);
  instant_text(json, "created_at", row.created_at);
  instant_text(json, "updated_at", row.updated_at);
  json.key("ttl_expires_at");
  row.expires_at ? json.string(time_text(*row.expires_at)) : json.null();
  json.end_object();
}

}  // namespace holdfast::commands
