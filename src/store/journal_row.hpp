#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "domain/record.hpp"

/// A record as a row of the table `journal`: the same columns in the same order on every engine,
/// NULL where a record does not use a member.
namespace holdfast::journal {

enum Column : int {
  seq,
  kind,
  at_us,
  tenant,
  principal,
  operation,
  token,
  nonce,
  digest,
  rejection,
  reason,
  hold_ordinal,
  hold_salt,
  resource,
  requester,
  quantity,
  expires_us,
  capacity,
  ref,
  times,
  first_us,
  checksum
};

inline constexpr std::array<std::string_view, 22> column_names{
    "seq",       "kind",     "at_us",     "tenant",    "principal",  "operation",
    "token",     "nonce",    "digest",    "rejection", "reason",     "hold_ordinal",
    "hold_salt", "resource", "requester", "quantity",  "expires_us", "capacity",
    "ref",       "times",    "first_us",  "checksum"};
inline constexpr int column_count = static_cast<int>(column_names.size());

/// Names are text, tokens are not; everything else is a number.
[[nodiscard]] constexpr bool is_opaque(Column column) {
  return column == token || column == nonce || column == digest;
}
[[nodiscard]] constexpr bool is_bytes(Column column) {
  return is_opaque(column) || column == tenant || column == principal || column == resource ||
         column == requester;
}

/// All of them, `seq,kind,…`, or `j.seq,j.kind,…` for the prefix `j.`.
[[nodiscard]] inline std::string columns(std::string_view prefix = {}) {
  std::string list;
  for (const std::string_view name : column_names) {
    if (!list.empty()) list += ',';
    list.append(prefix).append(name);
  }
  return list;
}

[[nodiscard]] inline std::string_view bytes_of(const Digest& value) {
  return {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()};
}

/// Gives `sink` every column in order: `number(column, value)`, with nothing for NULL, and
/// `bytes(column, value)`, with the empty ones for NULL.
template <typename Sink>
void write(Sink& sink, const Record& record, std::uint64_t sum) {
  using Number = std::optional<std::int64_t>;
  const auto unless_zero = [](auto value) {
    const auto number = static_cast<std::int64_t>(value);
    return number == 0 ? Number() : Number(number);
  };
  const auto us = [](Instant instant) { return instant.time_since_epoch().count(); };
  sink.number(seq, static_cast<std::int64_t>(record.seq));
  sink.number(kind, static_cast<std::int64_t>(record.kind));
  sink.number(at_us, us(record.at));
  sink.bytes(tenant, record.tenant);
  sink.bytes(principal, record.principal);
  sink.number(operation, unless_zero(record.operation));
  sink.bytes(token, record.token);
  sink.bytes(nonce, record.nonce);
  sink.bytes(digest, record.token.empty() ? std::string_view() : bytes_of(record.digest));
  sink.number(rejection, record.rejection ? unless_zero(*record.rejection) : Number());
  sink.number(reason, unless_zero(record.reason));
  sink.number(hold_ordinal, unless_zero(record.hold.ordinal));
  sink.number(hold_salt, record.hold.ordinal == 0
                             ? Number()
                             : Number(static_cast<std::int64_t>(record.hold.salt)));
  sink.bytes(resource, record.resource);
  sink.bytes(requester, record.requester);
  sink.number(quantity, unless_zero(record.quantity));
  sink.number(expires_us, unless_zero(us(record.expires_at)));
  sink.number(capacity, unless_zero(record.capacity));
  sink.number(ref, unless_zero(record.ref));
  sink.number(times, unless_zero(record.count));
  sink.number(first_us, unless_zero(us(record.first_at)));
  sink.number(checksum, std::bit_cast<std::int64_t>(sum));
}

/// Reads what `write` wrote. `row` offers `number(column)` and `bytes(column)`, each nothing for
/// NULL. False if the row is not as it was written: somebody made a NULL a zero, or the other way
/// round, or put in a number that means nothing; the same record to us, but not to whoever asks in
/// SQL.
template <typename Row>
bool read(const Row& row, Record& record, std::uint64_t& sum) {
  bool as_written = true;
  const auto number = [&](Column column) -> std::int64_t {
    const auto stored = row.number(column);
    if (!stored) return 0;
    if (*stored == 0) as_written = false;
    return *stored;
  };
  const auto bytes = [&](Column column) -> std::string_view {
    const auto stored = row.bytes(column);
    if (!stored) return {};
    if (stored->empty()) as_written = false;
    return *stored;
  };
  const auto instant = [](std::int64_t us) { return Instant(Duration(us)); };
  record.seq = static_cast<std::uint64_t>(number(seq));
  const std::int64_t stored_kind = number(kind);
  record.kind =
      static_cast<RecordKind>(stored_kind > 0 && stored_kind <= UINT16_MAX ? stored_kind : 0);
  record.at = instant(row.number(at_us).value_or(0));
  record.tenant = bytes(tenant);
  record.principal = bytes(principal);
  const std::int64_t stored_operation = number(operation);
  const auto known_operation = operation_numbered(stored_operation);
  if (stored_operation != 0 && !known_operation) as_written = false;
  record.operation = known_operation.value_or(Operation::none);
  record.token = bytes(token);
  record.nonce = bytes(nonce);
  record.digest = {};
  const std::string_view stored_digest = bytes(digest);
  const std::size_t digest_size = record.token.empty() ? 0 : record.digest.bytes.size();
  if (stored_digest.size() != digest_size) as_written = false;
  if (stored_digest.size() == record.digest.bytes.size()) {
    std::memcpy(record.digest.bytes.data(), stored_digest.data(), stored_digest.size());
  }
  const std::int64_t stored_rejection = number(rejection);
  record.rejection = rejection_numbered(stored_rejection);
  if (stored_rejection != 0 && !record.rejection) as_written = false;
  const std::int64_t stored_reason = number(reason);
  const bool known_reason =
      stored_reason > 0 && stored_reason < static_cast<std::int64_t>(reason_table.size());
  if (stored_reason != 0 && !known_reason) as_written = false;
  record.reason = known_reason ? static_cast<Reason>(stored_reason) : Reason::none;
  const auto salt = row.number(hold_salt);
  record.hold = {static_cast<std::uint64_t>(number(hold_ordinal)),
                 static_cast<std::uint64_t>(salt.value_or(0))};
  if (salt.has_value() != (record.hold.ordinal != 0)) as_written = false;
  record.resource = bytes(resource);
  record.requester = bytes(requester);
  record.quantity = number(quantity);
  record.expires_at = instant(number(expires_us));
  record.capacity = number(capacity);
  record.ref = static_cast<std::uint64_t>(number(ref));
  record.count = number(times);
  record.first_at = instant(number(first_us));
  sum = std::bit_cast<std::uint64_t>(row.number(checksum).value_or(0));
  return as_written;
}

}  // namespace holdfast::journal
