#include "modules/subscriptions/subscription_row.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "domain/digest.hpp"
#include "domain/row_json.hpp"

namespace holdfast::subscriptions {
namespace {

void names_member(JsonWriter& json, std::string_view name, const std::vector<std::string>& names) {
  json.key(name);
  json.begin_array();
  for (const std::string& each : names) json.string(each);
  json.end_array();
}

}  // namespace

bool SubscriptionRow::wants(std::string_view event) const {
  if (event.starts_with("subscription.")) return false;  // it would never be still again
  return events.empty() || std::any_of(events.begin(), events.end(), [&](const std::string& each) {
           return event.starts_with(each);
         });
}

void SubscriptionRow::write(JsonWriter& json) const {
  json.begin_object();
  instant_text(json, "created_at", created_at);
  integer_member(json, "cursor", signed_of(cursor));
  optional_text(json, "description", description);
  json.key("disabled");
  json.boolean(disabled);
  optional_text(json, "error", error);
  names_member(json, "events", events);
  if (failing_since) instant_text(json, "failing_since", *failing_since);
  integer_member(json, "failures", signed_of(failures));
  integer_member(json, "fence", signed_of(fence));
  optional_text(json, "holder", holder);
  text_member(json, "id", id);
  if (lease_until) instant_text(json, "lease_until", *lease_until);
  integer_member(json, "made_seq", signed_of(made_seq));
  instant_text(json, "next_at", next_at);
  optional_text(json, "reason", reason);
  integer_member(json, "secret", signed_of(secret));
  instant_text(json, "secret_since", secret_since);
  text_member(json, "tenant", tenant);
  text_member(json, "url", url);
  json.end_object();
}

std::optional<SubscriptionRow> SubscriptionRow::read(std::string_view json) {
  ObjectReader reader(json);
  SubscriptionRow row;
  reader.instant("created_at", row.created_at, true);
  reader.number("cursor", row.cursor, true);
  reader.text("description", row.description);
  reader.flag("disabled", row.disabled);
  reader.text("error", row.error);
  reader.array("events", [&](const simdjson::dom::element& each) {
    std::string_view name;
    if (each.get(name) == simdjson::SUCCESS) row.events.emplace_back(name);
  });
  reader.instant("failing_since", row.failing_since);
  reader.number("failures", row.failures, true);
  reader.number("fence", row.fence, true);
  reader.text("holder", row.holder);
  reader.text("id", row.id, true);
  reader.instant("lease_until", row.lease_until);
  reader.number("made_seq", row.made_seq, true);
  reader.instant("next_at", row.next_at, true);
  reader.text("reason", row.reason);
  reader.number("secret", row.secret, true);
  reader.instant("secret_since", row.secret_since, true);
  reader.text("tenant", row.tenant, true);
  reader.text("url", row.url, true);
  return reader.good() ? std::optional(std::move(row)) : std::nullopt;
}

RowIndex SubscriptionRow::index(std::string_view) const {
  return {.parent = std::string(list), .position = static_cast<std::int64_t>(made_seq)};
}

std::string subscription_id(std::string_view tenant, std::string_view token, std::uint64_t seq) {
  const std::string hash =
      sha256(fmt::format("{}\n{}\n{}{}", seq, tenant.size(), tenant, token)).hex();
  return "s-" + hash.substr(0, 32);
}

void write_subscription(const SubscriptionRow& row, JsonWriter& json) {
  json.begin_object();
  text_member(json, "id", row.id);
  text_member(json, "url", row.url);
  names_member(json, "events", row.events);
  optional_text(json, "description", row.description);
  text_member(json, "status", row.disabled ? "disabled" : row.failures > 0 ? "failing" : "active");
  optional_text(json, "reason", row.reason);
  optional_text(json, "error", row.error);
  integer_member(json, "cursor", signed_of(row.cursor));
  integer_member(json, "failures", signed_of(row.failures));
  instant_text(json, "next_at", row.next_at);
  instant_text(json, "created_at", row.created_at);
  json.end_object();
}

}  // namespace holdfast::subscriptions
