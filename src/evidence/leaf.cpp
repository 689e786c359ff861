#include "evidence/leaf.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>

#include "base/hex.hpp"
#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "domain/canonical.hpp"
#include "domain/id_text.hpp"
#include "domain/kind.hpp"
#include "evidence/leaf_layout.hpp"
#include "evidence/strict_json.hpp"

namespace holdfast::evidence {
namespace {

using layout::Leaf;

constexpr Instant no_instant{};

/// Whether a member says nothing.
bool is_empty(const std::string& text) { return text.empty(); }
bool is_empty(Instant instant) { return instant == no_instant; }
bool is_empty(const HoldId& hold) { return hold.ordinal == 0; }
bool is_empty(const std::optional<Rejection>& rejection) { return !rejection; }
template <typename Number>
bool is_empty(Number number) {
  return static_cast<std::int64_t>(number) == 0;
}

void write_value(JsonWriter& json, std::string_view name, const std::string& text) {
  bytes_member(json, name, text);
}
void write_value(JsonWriter& json, std::string_view name, Instant instant) {
  text_member(json, name, time_text(instant));
}
void write_value(JsonWriter& json, std::string_view name, const HoldId& hold) {
  text_member(json, name, text_of(hold));
}
void write_value(JsonWriter& json, std::string_view member, RecordKind kind) {
  text_member(json, member, name(kind));
}
void write_value(JsonWriter& json, std::string_view member, Operation operation) {
  text_member(json, member, name(operation));
}
void write_value(JsonWriter& json, std::string_view member,
                 const std::optional<Rejection>& rejection) {
  text_member(json, member, name(*rejection));
}
template <typename Number>
void write_value(JsonWriter& json, std::string_view name, Number number) {
  integer_member(json, name, static_cast<std::int64_t>(number));
}

/// Canonical already, as everything in a leaf is.
void write_json(JsonWriter& json, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  json.key(name);
  json.raw(value);
}

void write_digest(JsonWriter& json, std::string_view name, const std::optional<Digest>& digest) {
  if (digest) text_member(json, name, digest->hex());
}

/// Which hash stands for a member.
constexpr std::optional<Digest> Hashes::*hash_of(std::string Record::*member) {
  return member == &Record::token ? &Hashes::token : &Hashes::nonce;
}

template <LeafPlace place>
void write_member(JsonWriter& json, const Record& record, const Hashes& hashes) {
  constexpr Leaf leaf = leaf_at(place);
  if constexpr (place == besides(Besides::decision)) {
    text_member(json, leaf.name, decision(record));
  } else if constexpr (place == besides(Besides::digest_on_record)) {
    write_digest(json, leaf.name, hashes.on_record);
  } else if constexpr (place == besides(Besides::format)) {
    if (!record.detail.empty()) integer_member(json, leaf.name, format_with_detail);
  } else {
    constexpr auto member = layout::entry<place>.value;
    if constexpr (leaf.form == layout::Form::hash) {
      write_digest(json, leaf.name, hashes.*hash_of(member));
    } else if constexpr (leaf.form == layout::Form::digest) {
      if (hashes.token) text_member(json, leaf.name, (record.*member).hex());
    } else if constexpr (leaf.form == layout::Form::json) {
      write_json(json, leaf.name, record.*member);
    } else if (leaf.always || !is_empty(record.*member)) {
      write_value(json, leaf.name, record.*member);
    }
  }
}

}  // namespace

std::string_view decision(const Record& record) {
  const auto& [first_seen, duplicate_replayed, conflict_rejected, expired_by_sweep] = decisions;
  if (record.kind == RecordKind::collided) return conflict_rejected;
  if (record.kind == RecordKind::replayed) return duplicate_replayed;
  return made_by_engine(record) ? expired_by_sweep : first_seen;
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

void write_leaf(JsonWriter& json, const Record& record, const Hashes& hashes) {
  json.begin_object();
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (write_member<leaf_order[i]>(json, record, hashes), ...);
  }
  (std::make_index_sequence<leaf_order.size()>());
  json.end_object();
}

namespace {

std::optional<std::string> text_in(const Element& value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

bool read_value(const Element& value, std::int64_t& number) {
  return value.get(number) == simdjson::SUCCESS;
}

bool read_value(const Element& value, std::uint64_t& number) {
  return value.get(number) == simdjson::SUCCESS && number <= INT64_MAX;
}

bool read_value(const Element& value, Instant& instant) {
  const auto text = text_in(value);
  if (!text) return false;
  const auto read = *text == to_rfc3339(never) ? std::optional(never) : parse_rfc3339(*text);
  instant = read.value_or(no_instant);
  return read.has_value();
}

bool read_value(const Element& value, std::string& name) {
  auto bytes = bytes_in(value);
  if (!bytes) return false;
  name = std::move(*bytes);
  return true;
}

bool read_value(const Element& value, std::optional<Digest>& digest) {
  const auto text = text_in(value);
  digest = text ? Digest::from_hex(*text) : std::nullopt;
  return digest.has_value();
}

bool read_value(const Element& value, RecordKind& kind) {
  const auto text = text_in(value);
  if (!text) return false;
  for (const KindRow* each : kinds()) {
    if (each->name != *text) continue;
    kind = each->kind;
    return true;
  }
  return false;
}

bool read_value(const Element& value, std::optional<Rejection>& rejection) {
  const auto text = text_in(value);
  for (const RejectionRow& each : rejection_table) {
    if (text && each.name == *text) rejection = each.id;
  }
  return rejection.has_value();
}

bool read_value(const Element& value, Reason& reason) {
  std::int64_t number = 0;
  if (!read_value(value, number) || number < 0) return false;
  reason = static_cast<Reason>(number);
  return static_cast<std::size_t>(number) < reason_table.size();
}

bool read_value(const Element& value, Operation& operation) {
  const auto text = text_in(value);
  const auto known = text ? operation_named(*text) : std::nullopt;
  operation = known.value_or(Operation::none);
  return known.has_value();
}

bool read_detail(const Element& value, std::string& detail) {
  const auto canonical = canonicalize(simdjson::minify(value),
                                      {.depth = depth_max, .bytes = layout::detail_bytes_max});
  detail = canonical.value_or(std::string());
  return value.is_object() && !detail.empty();
}

bool read_value(const Element& value, HoldId& hold) {
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
  std::int64_t format = 1;
};

template <LeafPlace place>
bool read_member(const Element& value, Reading& reading) {
  if constexpr (place == besides(Besides::decision)) {
    return read_value(value, reading.decision);
  } else if constexpr (place == besides(Besides::digest_on_record)) {
    return read_value(value, reading.leaf.hashes.on_record);
  } else if constexpr (place == besides(Besides::format)) {
    return read_value(value, reading.format) && reading.format == format_with_detail;
  } else {
    constexpr auto member = layout::entry<place>.value;
    constexpr layout::Form form = leaf_at(place).form;
    if constexpr (form == layout::Form::hash) {
      return read_value(value, reading.leaf.hashes.*hash_of(member));
    } else if constexpr (form == layout::Form::digest) {
      return read_value(value, reading.digest);
    } else if constexpr (form == layout::Form::json) {
      return read_detail(value, reading.leaf.record.*member);
    } else {
      return read_value(value, reading.leaf.record.*member);
    }
  }
}

struct Member {
  std::string_view name;
  bool (*read)(const Element& value, Reading& reading);
};

constexpr auto members = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{Member{leaf_at(leaf_order[i]).name, read_member<leaf_order[i]>}...};
}
(std::make_index_sequence<leaf_order.size()>());

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
  if ((reading.format == format_with_detail) != !leaf.record.detail.empty())
    return wrong("the leaf's format is not that of its members");
  if (reading.digest.has_value() != leaf.hashes.token.has_value())
    return wrong("the leaf has a token's hash or a digest, but not both");
  leaf.record.digest = reading.digest.value_or(Digest{});
  if (leaf.hashes.token) leaf.record.token = leaf.hashes.token->hex();
  if (leaf.hashes.nonce) leaf.record.nonce = leaf.hashes.nonce->hex();
  return std::move(leaf);
}

}  // namespace holdfast::evidence
