#include "modules/commands/details.hpp"

#include "modules/commands/json.hpp"

namespace holdfast::commands {
namespace {

constexpr std::string_view leased_effects = "effects";

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

void write_request(JsonWriter& json, const EffectRow& effect) {
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
    effect->write(json, Written::record);
  }
  json.key("record");
  command.write(json, Written::record);
  json.end_object();
  return text;
}

std::optional<Submitted> Submitted::read(std::string_view detail) {
  ObjectReader reader(detail);
  Submitted said;
  std::string command;
  std::string effect;
  reader.json("about", said.about);
  std::string id;
  reader.text("id", id, true);
  reader.json("outside", effect);
  reader.json("record", command);
  if (!reader.good()) return std::nullopt;
  auto row = CommandRow::read(command, Written::record);
  if (!row) return std::nullopt;
  said.command = std::move(*row);
  said.command.id = std::move(id);
  if (effect.empty()) return said;
  said.effect = EffectRow::read(effect, Written::record);
  return said.effect ? std::optional(std::move(said)) : std::nullopt;
}

std::shared_ptr<const Submitted> Submitted::of(const Record& record) {
  if (record.said.value) return std::static_pointer_cast<const Submitted>(record.said.value);
  auto said = read(record.detail);
  if (!said) return nullptr;
  CommandRow& command = said->command;
  command.token = record.token;
  command.seq = record.seq;
  command.principal = record.principal;
  command.digest = record.digest.hex();
  command.created_at = command.updated_at = record.at;
  if (record.expires_at != Instant{}) command.expires_at = record.expires_at;
  if (said->effect) said->effect->of_command(command, record.tenant);
  return std::make_shared<const Submitted>(std::move(*said));
}

std::string text_of(const leased_work::Leased& said, const std::vector<const EffectRow*>& effects) {
  return leased_work::text_of(said, leased_effects, [&](JsonWriter& json, std::size_t place) {
    const EffectRow& effect = *effects[place];
    text_member(json, "command_id", effect.id);
    leased_work::write_item(json, said, place, effect.provider);
    json.key("request");
    write_request(json, effect);
    optional_json(json, "result", effect.result);
    text_member(json, "shield", name(effect.shield));
    text_member(json, "stage", name(effect.stage));
    text_member(json, "tenant", effect.tenant);
    write_flag(json, "uncertain", effect.uncertain);
  });
}

std::optional<leased_work::Leased> read_leased(std::string_view detail) {
  return leased_work::read_leased(detail, leased_effects);
}

Moved Moved::of(const EffectRow& effect) {
  return {.id = effect.id,
          .lease = effect.lease,
          .stage = effect.stage,
          .uncertain = effect.uncertain,
          .result = effect.result};
}

void Moved::change(EffectRow& effect) const {
  leased_work::take_standing(effect.lease, lease);
  effect.stage = stage;
  effect.uncertain = uncertain;
  effect.result = result;
}

std::string Moved::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  leased_work::write_standing(json, id, lease);
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
  leased_work::read_standing(reader, said.id, said.lease);
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

}  // namespace holdfast::commands
