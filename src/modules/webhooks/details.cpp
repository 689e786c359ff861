#include "modules/webhooks/details.hpp"

#include "domain/row_json.hpp"

namespace holdfast::webhooks {
namespace {

constexpr std::string_view leased_entries = "entries";

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
  json.begin_object();
  leased_work::write_attempts(json, work.lease);
  integer_member(json, "fence", signed_of(work.lease.fence));
  instant_text(json, "ready_at", work.lease.ready_at);
  json.end_object();
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
  auto row = EntryRow::read(entry);
  auto sent = PayloadRow::read(payload);
  WorkRow left;
  ObjectReader orders(work);
  leased_work::read_lease_state(orders, left.lease);
  if (!row || !sent || !orders.good()) return std::nullopt;
  return Received{std::move(*row), std::move(left), std::move(*sent)};
}

std::shared_ptr<const Received> Received::of(const Record& record) {
  if (record.said.value) return std::static_pointer_cast<const Received>(record.said.value);
  auto said = read(record.detail);
  if (!said) return nullptr;
  said->work.of_entry(said->entry, record.tenant);
  return std::make_shared<const Received>(std::move(*said));
}

std::string text_of(const leased_work::Leased& said, const std::vector<const WorkRow*>& entries) {
  return leased_work::text_of(said, leased_entries, [&](JsonWriter& json, std::size_t place) {
    const WorkRow& work = *entries[place];
    text_member(json, "event_id", work.event_id);
    leased_work::write_item(json, said, place, work.target);
    instant_text(json, "received_at", work.received_at);
    text_member(json, "source", work.source);
    text_member(json, "tenant", work.tenant);
  });
}

std::optional<leased_work::Leased> read_leased(std::string_view detail) {
  return leased_work::read_leased(detail, leased_entries);
}

std::optional<std::vector<LeasedEntry>> read_entries(std::string_view detail) {
  std::vector<LeasedEntry> entries;
  const auto read = [&](ObjectReader& reader, const leased_work::Leased::Item& item) {
    LeasedEntry& entry = entries.emplace_back();
    entry.id = item.id;
    entry.fence = item.fence;
    reader.text("event_id", entry.event_id);
    reader.text("source", entry.source);
    reader.text("tenant", entry.tenant);
  };
  const auto said = leased_work::read_leased(detail, leased_entries, read);
  return said ? std::optional(std::move(entries)) : std::nullopt;
}

Moved Moved::of(const WorkRow& work) {
  return {.id = work.id, .lease = work.lease, .dead = work.dead};
}

void Moved::change(WorkRow& work) const {
  leased_work::take_standing(work.lease, lease);
  work.dead = dead;
}

std::string Moved::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  leased_work::write_standing(json, id, lease);
  text_member(json, "status", name(dead ? Status::dead : Status::received));
  json.end_object();
  return text;
}

std::optional<Moved> Moved::read(std::string_view detail) {
  ObjectReader reader(detail);
  Moved said;
  std::string status;
  leased_work::read_standing(reader, said.id, said.lease);
  reader.text("status", status, true);
  said.dead = status == name(Status::dead);
  const bool left = said.dead || status == name(Status::received);
  return reader.good() && left ? std::optional(std::move(said)) : std::nullopt;
}

std::string Completed::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  integer_member(json, "attempts", signed_of(attempts));
  integer_member(json, "fence", signed_of(fence));
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

}  // namespace holdfast::webhooks
