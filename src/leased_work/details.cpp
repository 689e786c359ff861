#include "leased_work/details.hpp"

namespace holdfast::leased_work {

std::string text_of(const Leased& said, std::string_view list, const WriteItem& write) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key(list);
  json.begin_array();
  for (std::size_t place = 0; place < said.items.size(); ++place) {
    json.begin_object();
    integer_member(json, "attempt", signed_of(said.items[place].attempt));
    write(json, place);
    json.end_object();
  }
  json.end_array();
  text_member(json, "holder", said.holder);
  json.end_object();
  return text;
}

void write_item(JsonWriter& json, const Leased& said, std::size_t place, std::string_view kind) {
  const Leased::Item& item = said.items[place];
  integer_member(json, "fence", signed_of(item.fence));
  text_member(json, "id", item.id);
  text_member(json, "kind", kind);
  instant_text(json, "lease_until", said.until);
}

std::optional<Leased> read_leased(std::string_view detail, std::string_view list,
                                  const ReadItem& read) {
  ObjectReader reader(detail);
  Leased said;
  bool good = true;
  reader.text("holder", said.holder);
  reader.array(list, [&](const simdjson::dom::element& element) {
    ObjectReader item(element);
    Leased::Item& each = said.items.emplace_back();
    item.number("attempt", each.attempt, true);
    item.number("fence", each.fence, true);
    item.text("id", each.id, true);
    item.instant("lease_until", said.until, true);
    if (read) read(item, each);
    good = good && item.good();
  });
  return reader.good() && good ? std::optional(std::move(said)) : std::nullopt;
}

void write_standing(JsonWriter& json, std::string_view id, const LeaseState& lease) {
  integer_member(json, "attempts", signed_of(lease.attempts));
  optional_text(json, "error", lease.error);
  integer_member(json, "fence", signed_of(lease.fence));
  text_member(json, "id", id);
  if (lease.until) instant_text(json, "lease_until", *lease.until);
  instant_text(json, "ready_at", lease.ready_at);
}

void read_standing(ObjectReader& reader, std::string& id, LeaseState& lease) {
  reader.number("attempts", lease.attempts, true);
  reader.text("error", lease.error);
  reader.number("fence", lease.fence, true);
  reader.text("id", id, true);
  reader.instant("lease_until", lease.until);
  reader.instant("ready_at", lease.ready_at, true);
}

void take_lease(LeaseState& lease, const Leased& said, const Leased::Item& item) {
  lease.fence = item.fence;
  lease.attempts = item.attempt;
  lease.until = said.until;
  lease.holder = said.holder;
}

void take_standing(LeaseState& lease, const LeaseState& said) {
  lease.ready_at = said.ready_at;
  lease.until = said.until;
  if (!said.until) lease.holder.clear();
  lease.fence = said.fence;
  lease.attempts = said.attempts;
  lease.error = said.error;
}

std::string id_in(std::string_view detail) {
  ObjectReader reader(detail);
  std::string id;
  reader.text("id", id, true);
  return reader.good() ? id : std::string();
}

}  // namespace holdfast::leased_work
