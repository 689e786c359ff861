#include "modules/webhooks/inbox_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "domain/keyed_rows.hpp"
#include "domain/row_json.hpp"
#include "signatures/base64.hpp"

namespace holdfast::webhooks {
namespace {

constexpr std::string_view status_names[] = {"received", "processing", "done", "dead"};

void read_follows(ObjectReader& reader, Follows& follows) {
  std::string text;
  reader.text("follows", text, true);
  const auto found = follows_named(text);
  found ? void(follows = *found) : reader.fail();
}

/// Whether JSON shows it in about as many bytes: text, without control characters that become six.
bool is_plain_text(std::string_view body) {
  const auto is_escape = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  return is_valid_utf8(body) && std::none_of(body.begin(), body.end(), is_escape);
}

}  // namespace

std::string_view name(Status status) { return status_names[static_cast<std::size_t>(status)]; }

std::optional<Status> status_named(std::string_view name) {
  for (const Status each : statuses) {
    if (webhooks::name(each) == name) return each;
  }
  return std::nullopt;
}

std::string entry_id(std::string_view row_key, std::uint64_t use) {
  return keyed_row_id('w', row_key, use);
}

std::string_view row_key_in(std::string_view id) { return keyed_row_key_in('w', id); }

void EntryRow::write(JsonWriter& json) const {
  json.begin_object();
  integer_member(json, "attempts", signed_of(attempts));
  integer_member(json, "body_bytes", signed_of(body_bytes));
  text_member(json, "digest", digest);
  if (done_at) instant_text(json, "done_at", *done_at);
  text_member(json, "event_id", event_id);
  instant_text(json, "expires_at", expires_at);
  text_member(json, "follows", name(follows));
  text_member(json, "id", id);
  instant_text(json, "received_at", received_at);
  optional_json(json, "result", result);
  integer_member(json, "seq", signed_of(seq));
  if (signed_at) instant_text(json, "signed_at", *signed_at);
  text_member(json, "source", source);
  text_member(json, "target", target);
  integer_member(json, "use", signed_of(use));
  json.end_object();
}

std::optional<EntryRow> EntryRow::read(std::string_view json) {
  ObjectReader reader(json);
  EntryRow row;
  reader.number("attempts", row.attempts, true);
  reader.number("body_bytes", row.body_bytes, true);
  reader.text("digest", row.digest, true);
  reader.instant("done_at", row.done_at);
  reader.text("event_id", row.event_id, true);
  reader.instant("expires_at", row.expires_at, true);
  read_follows(reader, row.follows);
  reader.text("id", row.id, true);
  reader.instant("received_at", row.received_at, true);
  reader.json("result", row.result);
  reader.number("seq", row.seq, true);
  reader.instant("signed_at", row.signed_at);
  reader.text("source", row.source, true);
  reader.text("target", row.target, true);
  reader.number("use", row.use, true);
  return reader.good() ? std::optional(std::move(row)) : std::nullopt;
}

RowIndex EntryRow::index(std::string_view) const {
  return {.parent = std::string(done_at ? done_entries : open_entries),
          .position = -signed_of(seq)};
}

void WorkRow::of_entry(const EntryRow& entry, std::string_view whose) {
  tenant = whose;
  id = entry.id;
  source = entry.source;
  event_id = entry.event_id;
  follows = entry.follows;
  target = entry.target;
  received_at = entry.received_at;
}

void WorkRow::write(JsonWriter& json) const {
  json.begin_object();
  leased_work::write_attempts(json, lease);
  if (dead) {
    json.key("dead");
    json.boolean(true);
  }
  optional_text(json, "error", lease.error);
  text_member(json, "event_id", event_id);
  integer_member(json, "fence", signed_of(lease.fence));
  text_member(json, "follows", name(follows));
  optional_text(json, "holder", lease.holder);
  text_member(json, "id", id);
  if (lease.until) instant_text(json, "lease_until", *lease.until);
  instant_text(json, "ready_at", lease.ready_at);
  instant_text(json, "received_at", received_at);
  text_member(json, "source", source);
  text_member(json, "target", target);
  text_member(json, "tenant", tenant);
  json.end_object();
}

std::optional<WorkRow> WorkRow::read(std::string_view json) {
  ObjectReader reader(json);
  WorkRow row;
  leased_work::read_lease_state(reader, row.lease);
  reader.flag("dead", row.dead);
  reader.text("event_id", row.event_id, true);
  read_follows(reader, row.follows);
  reader.text("id", row.id, true);
  reader.instant("received_at", row.received_at, true);
  reader.text("source", row.source, true);
  reader.text("target", row.target, true);
  reader.text("tenant", row.tenant, true);
  return reader.good() ? std::optional(std::move(row)) : std::nullopt;
}

RowIndex WorkRow::index(std::string_view) const {
  const std::int64_t position = leased_work::position_of(lease);
  if (status() != Status::received)
    return {.parent = list_of(status(), tenant), .position = position, .due = lease.until};
  return {.parent = follows == Follows::pull
                        ? leased_work::queue_of_workers(tenant, target)
                        : leased_work::queue_of_dispatchers(dispatchers_do, source),
          .position = position};
}

std::string list_of(Status status, std::string_view tenant) {
  return fmt::format("{} {}", name(status), leased_work::tenant_in_list(tenant));
}

void write_payload(JsonWriter& json, const PayloadRow& payload) {
  if (is_plain_text(payload.body)) {
    text_member(json, "body", payload.body);
  } else {
    text_member(json, "body_base64", signatures::to_base64(payload.body));
  }
  optional_json(json, "headers", payload.headers);
}

void PayloadRow::write(JsonWriter& json) const {
  json.begin_object();
  write_payload(json, *this);
  json.end_object();
}

std::optional<PayloadRow> PayloadRow::read(std::string_view json) {
  ObjectReader reader(json);
  PayloadRow row;
  std::string base64;
  reader.text("body", row.body);
  reader.text("body_base64", base64);
  reader.json("headers", row.headers);
  if (!reader.good()) return std::nullopt;
  if (base64.empty()) return row;
  auto bytes = signatures::from_base64(base64);
  if (!bytes) return std::nullopt;
  row.body = std::move(*bytes);
  return row;
}

void write_entry(JsonWriter& json, const EntryRow& entry, const WorkRow* work,
                 const PayloadRow* payload) {
  json.begin_object();
  text_member(json, "id", entry.id);
  text_member(json, "source", entry.source);
  text_member(json, "event_id", entry.event_id);
  text_member(json, "status", name(work == nullptr ? Status::done : work->status()));
  text_member(json, "follows", name(entry.follows));
  text_member(json, "target", entry.target);
  integer_member(json, "attempts",
                 signed_of(work == nullptr ? entry.attempts : work->lease.attempts));
  if (work != nullptr) {
    integer_member(json, "attempts_max", signed_of(work->lease.attempts_max));
    optional_text(json, "last_error", work->lease.error);
  }
  optional_json(json, "result", entry.result);
  integer_member(json, "body_bytes", signed_of(entry.body_bytes));
  text_member(json, "body_sha256", entry.digest);
  if (payload != nullptr) write_payload(json, *payload);
  instant_text(json, "received_at", entry.received_at);
  if (entry.signed_at) instant_text(json, "signed_at", *entry.signed_at);
  if (entry.done_at) instant_text(json, "done_at", *entry.done_at);
  if (work != nullptr && work->status() == Status::received)
    instant_text(json, "ready_at", work->lease.ready_at);
  if (work != nullptr && work->lease.leased()) {
    text_member(json, "holder", work->lease.holder);
    instant_text(json, "lease_until", *work->lease.until);
  }
  json.end_object();
}

}  // namespace holdfast::webhooks
