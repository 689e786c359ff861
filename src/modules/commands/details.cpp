#include "modules/commands/details.hpp"

#include "modules/commands/json.hpp"

namespace holdfast::commands {
namespace {

template <typename Row>
std::string json_of(const Row& row) {
  std::string text;
  JsonWriter json(text);
  row.write(json);
  return text;
}

void write_flag(JsonWriter& json, std::string_view name, bool value) {
  json.key(name);
  json.boolean(value);
}

}  // namespace

std::string Submitted::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  optional_json(json, "about", about);
  text_member(json, "id", command.id);
  if (effect) {
    json.key("outside");
    effect->write(json, false);
  }
  json.key("record");
  command.write(json, false);
  json.end_object();
  return text;
}

std::optional<Submitted> Submitted::read(std::string_view detail) {
  ObjectReader reader(detail);
  Submitted said;
  std::string command;
  std::string effect;
  reader.json("about", said.about);
  reader.json("outside", effect);
  reader.json("record", command);
  if (!reader.good()) return std::nullopt;
  auto row = CommandRow::read(command);
  if (!row) return std::nullopt;
  said.command = std::move(*row);
  if (effect.empty()) return said;
  said.effect = EffectRow::read(effect);
  return said.effect ? std::optional(std::move(said)) : std::nullopt;
}

std::string Leased::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("effects");
  json.begin_array();
  for (const Item& each : items) {
    const EffectRow& effect = each.effect;
    json.begin_object();
    integer_member(json, "attempt", signed_of(each.attempt));
    text_member(json, "command_id", each.id);
    integer_member(json, "fence", signed_of(each.fence));
    text_member(json, "id", each.id);
    text_member(json, "kind", effect.provider);
    instant_text(json, "lease_until", until);
    json.key("request");
    json.begin_object();
    text_member(json, "action", effect.action);
    optional_text(json, "actor_id", effect.actor);
    optional_json(json, "args", effect.args);
    optional_text(json, "correlation_id", effect.correlation_id);
    optional_text(json, "effective_actor_id", effect.effective_actor);
    text_member(json, "entity", effect.entity);
    optional_json(json, "idempotency_key", effect.sealed_token);
    optional_json(json, "target", effect.target);
    json.end_object();
    optional_json(json, "result", effect.result);
    text_member(json, "shield", name(effect.shield));
    text_member(json, "stage", name(effect.stage));
    text_member(json, "tenant", effect.tenant);
    write_flag(json, "uncertain", effect.uncertain);
    json.end_object();
  }
  json.end_array();
  text_member(json, "holder", holder);
  json.end_object();
  return text;
}

std::optional<Leased> Leased::read(std::string_view detail) {
  ObjectReader reader(detail);
  Leased said;
  bool good = true;
  reader.text("holder", said.holder);
  reader.array("effects", [&](const simdjson::dom::element& element) {
    ObjectReader item(element);
    Item& each = said.items.emplace_back();
    item.text("id", each.id, true);
    item.number("fence", each.fence, true);
    item.number("attempt", each.attempt, true);
    item.instant("lease_until", said.until, true);
    good = good && item.good();
  });
  return reader.good() && good ? std::optional(std::move(said)) : std::nullopt;
}

Moved Moved::of(const EffectRow& effect) {
  return {.id = effect.id,
          .stage = effect.stage,
          .ready_at = effect.ready_at,
          .lease_until = effect.lease_until,
          .fence = effect.fence,
          .attempts = effect.attempts,
          .uncertain = effect.uncertain,
          .error = effect.error,
          .result = effect.result};
}

void Moved::change(EffectRow& effect) const {
  effect.stage = stage;
  effect.ready_at = ready_at;
  effect.lease_until = lease_until;
  if (!lease_until) effect.holder.clear();
  effect.fence = fence;
  effect.attempts = attempts;
  effect.uncertain = uncertain;
  effect.error = error;
  effect.result = result;
}

std::string Moved::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  integer_member(json, "attempts", signed_of(attempts));
  optional_text(json, "error", error);
  integer_member(json, "fence", signed_of(fence));
  text_member(json, "id", id);
  if (lease_until) instant_text(json, "lease_until", *lease_until);
  instant_text(json, "ready_at", ready_at);
  optional_json(json, "result", result);
  text_member(json, "stage", name(stage));
  if (uncertain) write_flag(json, "uncertain", true);
  json.end_object();
  return text;
}

std::optional<Moved> Moved::read(std::string_view detail) {
  ObjectReader reader(detail);
  Moved said;
  std::string stage;
  reader.number("attempts", said.attempts, true);
  reader.text("error", said.error);
  reader.number("fence", said.fence, true);
  reader.text("id", said.id, true);
  reader.instant("lease_until", said.lease_until);
  reader.instant("ready_at", said.ready_at, true);
  reader.json("result", said.result);
  reader.text("stage", stage, true);
  reader.flag("uncertain", said.uncertain);
  const auto found = stage_named(stage);
  if (!reader.good() || !found) return std::nullopt;
  said.stage = *found;
  return said;
}

std::string Settled::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  text_member(json, "ended", name(status));
  integer_member(json, "fence", signed_of(fence));
  write_flag(json, "had_effect", had_effect);
  text_member(json, "id", id);
  optional_json(json, "outcome", outcome);
  optional_text(json, "reason", reason);
  json.end_object();
  return text;
}

std::optional<Settled> Settled::read(std::string_view detail) {
  ObjectReader reader(detail);
  Settled said;
  std::string status;
  reader.number("fence", said.fence, true);
  reader.flag("had_effect", said.had_effect);
  reader.text("id", said.id, true);
  reader.json("outcome", said.outcome);
  reader.text("reason", said.reason);
  reader.text("ended", status, true);
  const auto found = status_named(status);
  if (!reader.good() || !found) return std::nullopt;
  said.status = *found;
  return said;
}

std::string Approved::text() const { return json_of(approval); }

std::optional<Approved> Approved::read(std::string_view detail) {
  auto row = ApprovalRow::read(detail);
  return row ? std::optional(Approved{std::move(*row)}) : std::nullopt;
}

std::string id_in(std::string_view detail) {
  ObjectReader reader(detail);
  std::string id;
  reader.text("id", id, true);
  return reader.good() ? id : std::string();
}

}  // namespace holdfast::commands
