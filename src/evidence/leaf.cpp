#include "evidence/leaf.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>

#include "base/hex.hpp"
#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "domain/id_text.hpp"
#include "domain/kind.hpp"
#include "evidence/strict_json.hpp"

namespace holdfast::evidence {
namespace {

constexpr Instant no_instant{};

void name_member(JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) bytes_member(json, name, value);
}

void instant_member(JsonWriter& json, std::string_view name, Instant instant) {
  if (instant != no_instant) text_member(json, name, time_text(instant));
}

void number_member(JsonWriter& json, std::string_view name, std::int64_t number) {
  if (number != 0) integer_member(json, name, number);
}

void digest_member(JsonWriter& json, std::string_view name, const std::optional<Digest>& digest) {
  if (digest) text_member(json, name, digest->hex());
}

}  // namespace

std::string_view decision(const Record& record) {
  if (record.kind == RecordKind::collided) return "conflict_rejected";
  if (record.kind == RecordKind::replayed) return "duplicate_replayed";
  return made_by_engine(record) ? "expired_by_sweep" : "first_seen";
}

Hashes hashes_of(const Record& record, const std::optional<Digest>& on_record) {
  Hashes hashes{.on_record = on_record};
  if (!record.token.empty()) hashes.token = sha256(record.token);
  if (!record.nonce.empty()) hashes.nonce = sha256(record.nonce);
  return hashes;
}

void bytes_member(JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  if (is_valid_utf8(value)) return json.string(value);
  json.begin_object();
  text_member(json, "hex", to_hex(value));
  json.end_object();
}

/// Members in the order of RFC 8785.
void write_leaf(JsonWriter& json, const Record& record, const Hashes& hashes) {
  json.begin_object();
  text_member(json, "at", time_text(record.at));
  number_member(json, "capacity", record.capacity);
  number_member(json, "count", record.count);
  text_member(json, "decision", decision(record));
  if (hashes.token) text_member(json, "digest", record.digest.hex());
  digest_member(json, "digest_on_record", hashes.on_record);
  instant_member(json, "expires_at", record.expires_at);
  instant_member(json, "first_at", record.first_at);
  if (record.hold.ordinal != 0) text_member(json, "hold", text_of(record.hold));
  text_member(json, "kind", name(record.kind));
  digest_member(json, "nonce_hash", hashes.nonce);
  if (record.operation != Operation::none) text_member(json, "operation", name(record.operation));
  name_member(json, "principal", record.principal);
  number_member(json, "quantity", record.quantity);
  number_member(json, "reason", static_cast<std::int64_t>(record.reason));
  number_member(json, "ref", static_cast<std::int64_t>(record.ref));
  if (record.rejection) text_member(json, "rejection", name(*record.rejection));
  name_member(json, "requester", record.requester);
  name_member(json, "resource", record.resource);
  integer_member(json, "seq", static_cast<std::int64_t>(record.seq));
  name_member(json, "tenant", record.tenant);
  digest_member(json, "token_hash", hashes.token);
  json.end_object();
}

namespace {

std::optional<std::string> text_in(const Element& value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

bool read_number(const Element& value, std::int64_t& number) {
  return value.get(number) == simdjson::SUCCESS;
}

bool read_sequence(const Element& value, std::uint64_t& number) {
  return value.get(number) == simdjson::SUCCESS && number <= INT64_MAX;
}

bool read_instant(const Element& value, Instant& instant) {
  const auto text = text_in(value);
  if (!text) return false;
  const auto read = *text == to_rfc3339(never) ? std::optional(never) : parse_rfc3339(*text);
  instant = read.value_or(no_instant);
  return read.has_value();
}

bool read_name(const Element& value, std::string& name) {
  auto bytes = bytes_in(value);
  if (!bytes) return false;
  name = std::move(*bytes);
  return true;
}

bool read_digest(const Element& value, std::optional<Digest>& digest) {
  const auto text = text_in(value);
  digest = text ? Digest::from_hex(*text) : std::nullopt;
  return digest.has_value();
}

bool read_kind(const Element& value, RecordKind& kind) {
  const auto text = text_in(value);
  if (!text) return false;
  for (const KindRow* each : kinds()) {
    if (each->name != *text) continue;
    kind = each->kind;
    return true;
  }
  return false;
}

bool read_rejection(const Element& value, std::optional<Rejection>& rejection) {
  const auto text = text_in(value);
  for (const RejectionRow& each : rejection_table) {
    if (text && each.name == *text) rejection = each.id;
  }
  return rejection.has_value();
}

bool read_reason(const Element& value, Reason& reason) {
  std::int64_t number = 0;
  if (!read_number(value, number) || number < 0) return false;
  reason = static_cast<Reason>(number);
  return static_cast<std::size_t>(number) < reason_table.size();
}

bool read_operation(const Element& value, Operation& operation) {
  const auto text = text_in(value);
  const auto known = text ? operation_named(*text) : std::nullopt;
  operation = known.value_or(Operation::none);
  return known.has_value();
}

bool read_hold(const Element& value, HoldId& hold) {
  const auto text = text_in(value);
  const auto id = text ? HoldId::parse(*text) : std::nullopt;
  hold = id.value_or(HoldId{});
  return id.has_value();
}

/// A leaf while it is read.
struct Reading {
  ReadLeaf leaf;
  std::optional<Digest> digest;
  std::string decision;
};

struct Member {
  std::string_view name;
  bool (*read)(const Element& value, Reading& reading);
};

constexpr std::array members{
    Member{"at", [](const Element& v, Reading& r) { return read_instant(v, r.leaf.record.at); }},
    Member{"capacity",
           [](const Element& v, Reading& r) { return read_number(v, r.leaf.record.capacity); }},
    Member{"count",
           [](const Element& v, Reading& r) { return read_number(v, r.leaf.record.count); }},
    Member{"decision", [](const Element& v, Reading& r) { return read_name(v, r.decision); }},
    Member{"digest", [](const Element& v, Reading& r) { return read_digest(v, r.digest); }},
    Member{"digest_on_record",
           [](const Element& v, Reading& r) { return read_digest(v, r.leaf.hashes.on_record); }},
    Member{"expires_at",
           [](const Element& v, Reading& r) { return read_instant(v, r.leaf.record.expires_at); }},
    Member{"first_at",
           [](const Element& v, Reading& r) { return read_instant(v, r.leaf.record.first_at); }},
    Member{"hold", [](const Element& v, Reading& r) { return read_hold(v, r.leaf.record.hold); }},
    Member{"kind", [](const Element& v, Reading& r) { return read_kind(v, r.leaf.record.kind); }},
    Member{"nonce_hash",
           [](const Element& v, Reading& r) { return read_digest(v, r.leaf.hashes.nonce); }},
    Member{"operation",
           [](const Element& v, Reading& r) { return read_operation(v, r.leaf.record.operation); }},
    Member{"principal",
           [](const Element& v, Reading& r) { return read_name(v, r.leaf.record.principal); }},
    Member{"quantity",
           [](const Element& v, Reading& r) { return read_number(v, r.leaf.record.quantity); }},
    Member{"reason",
           [](const Element& v, Reading& r) { return read_reason(v, r.leaf.record.reason); }},
    Member{"ref", [](const Element& v, Reading& r) { return read_sequence(v, r.leaf.record.ref); }},
    Member{"rejection",
           [](const Element& v, Reading& r) { return read_rejection(v, r.leaf.record.rejection); }},
    Member{"requester",
           [](const Element& v, Reading& r) { return read_name(v, r.leaf.record.requester); }},
    Member{"resource",
           [](const Element& v, Reading& r) { return read_name(v, r.leaf.record.resource); }},
    Member{"seq", [](const Element& v, Reading& r) { return read_sequence(v, r.leaf.record.seq); }},
    Member{"tenant",
           [](const Element& v, Reading& r) { return read_name(v, r.leaf.record.tenant); }},
    Member{"token_hash",
           [](const Element& v, Reading& r) { return read_digest(v, r.leaf.hashes.token); }},
};

}  // namespace

std::optional<std::string> bytes_in(const Element& value) {
  if (auto text = text_in(value)) return text;
  std::string_view digits;
  if (value["hex"].get(digits) != simdjson::SUCCESS) return std::nullopt;
  std::string bytes(digits.size() / 2, '\0');
  return from_hex(digits, bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

std::string leaf_text(const ReadLeaf& leaf) {
  std::string text;
  JsonWriter json(text);
  write_leaf(json, leaf.record, leaf.hashes);
  return text;
}

tl::expected<ReadLeaf, std::string> read_leaf(const Element& json) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return wrong("the leaf is not an object");
  Reading reading;
  reading.leaf.record.kind = RecordKind{};
  std::uint32_t seen = 0;
  for (const auto& [key, value] : object) {
    std::size_t at = 0;
    while (at < members.size() && members[at].name != key) ++at;
    if (at == members.size()) return wrong("the leaf has a member that leaves do not have");
    if ((seen >> at & 1U) != 0)
      return wrong(fmt::format("the leaf has two members {}", members[at].name));
    seen |= 1U << at;
    if (!members[at].read(value, reading))
      return wrong(fmt::format("the leaf's {} is nothing it can be", members[at].name));
  }
  ReadLeaf& leaf = reading.leaf;
  if (leaf.record.kind == RecordKind{}) return wrong("the leaf has no kind");
  if (reading.decision != decision(leaf.record))
    return wrong("the leaf's decision is not that of its kind");
  if (leaf.hashes.on_record && leaf.record.kind != RecordKind::collided)
    return wrong("the leaf has a digest on record, but tells of no conflict");
  if (reading.digest.has_value() != leaf.hashes.token.has_value())
    return wrong("the leaf has a token's hash or a digest, but not both");
  leaf.record.digest = reading.digest.value_or(Digest{});
  if (leaf.hashes.token) leaf.record.token = leaf.hashes.token->hex();
  if (leaf.hashes.nonce) leaf.record.nonce = leaf.hashes.nonce->hex();
  return std::move(leaf);
}

}  // namespace holdfast::evidence
