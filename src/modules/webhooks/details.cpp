#include "modules/webhooks/details.hpp"

#include "domain/row_json.hpp"

namespace holdfast::webhooks {
namespace {

std::int64_t as_signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }

}  // namespace

std::string Received::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("entry");
  entry.write(json);
  text_member(json, "id", entry.id);
  json.key("payload");
  payload.write(json);
  json.key("work");
  work.write(json);
  json.end_object();
  return text;
}

std::optional<Received> Received::read(std::string_view detail) {
  ObjectReader reader(detail);
  std::string entry;
  std::string payload;
  std::string work;
  reader.json("entry", entry);
  reader.json("payload", payload);
  reader.json("work", work);
  if (!reader.good()) return std::nullopt;
  auto first = EntryRow::read(entry);
  auto second = WorkRow::read(work);
  auto third = PayloadRow::read(payload);
  if (!first || !second || !third) return std::nullopt;
  return Received{std::move(*first), std::move(*second), std::move(*third)};
}

std::string Leased::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("entries");
  json.begin_array();
  for (const Item& each : items) {
    const WorkRow& work = each.work;
    json.begin_object();
    integer_member(json, "attempt", as_signed(each.attempt));
    text_member(json, "event_id", work.event_id);
    integer_member(json, "fence", as_signed(each.fence));
    text_member(json, "id", each.id);
    text_member(json, "kind", work.target);
    instant_text(json, "lease_until", until);
    instant_text(json, "received_at", work.received_at);
    text_member(json, "source", work.source);
    text_member(json, "tenant", work.tenant);
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
  reader.array("entries", [&](const simdjson::dom::element& element) {
    ObjectReader item(element);
    Item& each = said.items.emplace_back();
    item.number("attempt", each.attempt, true);
    item.text("event_id", each.work.event_id);
    item.number("fence", each.fence, true);
    item.text("id", each.id, true);
    item.text("kind", each.work.target);
    item.instant("lease_until", said.until, true);
    item.text("source", each.work.source);
    item.text("tenant", each.work.tenant);
    good = good && item.good();
  });
  return reader.good() && good ? std::optional(std::move(said)) : std::nullopt;
}

Moved Moved::of(const WorkRow& work) {
  return {.id = work.id,
          .ready_at = work.ready_at,
          .fence = work.fence,
          .attempts = work.attempts,
          .error = work.error,
          .dead = work.dead};
}

void Moved::change(WorkRow& work) const {
  work.ready_at = ready_at;
  work.lease_until.reset();
  work.holder.clear();
  work.fence = fence;
  work.attempts = attempts;
  work.error = error;
  work.dead = dead;
}

std::string Moved::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  integer_member(json, "attempts", as_signed(attempts));
  optional_text(json, "error", error);
  integer_member(json, "fence", as_signed(fence));
  text_member(json, "id", id);
  instant_text(json, "ready_at", ready_at);
  text_member(json, "status", name(dead ? Status::dead : Status::received));
  json.end_object();
  return text;
}

std::optional<Moved> Moved::read(std::string_view detail) {
  ObjectReader reader(detail);
  Moved said;
  std::string status;
  reader.number("attempts", said.attempts, true);
  reader.text("error", said.error);
  reader.number("fence", said.fence, true);
  reader.text("id", said.id, true);
  reader.instant("ready_at", said.ready_at, true);
  reader.text("status", status, true);
  said.dead = status == name(Status::dead);
  const bool left = said.dead || status == name(Status::received);
  return reader.good() && left ? std::optional(std::move(said)) : std::nullopt;
}

std::string Completed::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  integer_member(json, "attempts", as_signed(attempts));
  integer_member(json, "fence", as_signed(fence));
  text_member(json, "id", id);
  optional_json(json, "result", result);
  text_member(json, "status", name(Status::done));
  json.end_object();
  return text;
}

std::optional<Completed> Completed::read(std::string_view detail) {
  ObjectReader reader(detail);
  Completed said;
  std::string status;
  reader.number("attempts", said.attempts, true);
  reader.number("fence", said.fence, true);
  reader.text("id", said.id, true);
  reader.json("result", said.result);
  reader.text("status", status, true);
  const bool good = reader.good() && status == name(Status::done);
  return good ? std::optional(std::move(said)) : std::nullopt;
}

std::string without_payload(std::string_view detail) {
  if (!detail.starts_with(R"({"entry":)")) return std::string(detail);
  const auto said = Received::read(detail);
  if (!said) return std::string(detail);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("entry");
  said->entry.write(json);
  text_member(json, "id", said->entry.id);
  json.end_object();
  return text;
}

std::string id_in(std::string_view detail) {
  ObjectReader reader(detail);
  std::string id;
  reader.text("id", id, true);
  return reader.good() ? id : std::string();
}

}  // namespace holdfast::webhooks
