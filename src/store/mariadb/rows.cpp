#include "store/mariadb/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace holdfast::mariadb {
namespace {

/// The order of `record_columns`.
enum Column : std::size_t {
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
  sum
};

std::int64_t us(Instant instant) { return instant.time_since_epoch().count(); }

std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

Reason reason_numbered(std::int64_t number) {
  const bool known = number > 0 && number < static_cast<std::int64_t>(reason_table.size());
  return known ? static_cast<Reason>(number) : Reason::none;
}

}  // namespace

Record record_at(const Row& row, std::size_t first) {
  Record record;
  record.seq = row.count(first + seq);
  const std::int64_t kind_number = row.number(first + kind);
  record.kind = static_cast<RecordKind>(kind_number > 0 && kind_number < 256 ? kind_number : 0);
  record.at = row.instant(first + at_us);
  record.tenant = row.bytes(first + tenant);
  record.principal = row.bytes(first + principal);
  record.operation = operation_numbered(row.number(first + operation)).value_or(Operation::none);
  record.token = row.bytes(first + token);
  record.nonce = row.bytes(first + nonce);
  const std::string_view stored_digest = row.bytes(first + digest);
  if (stored_digest.size() == record.digest.bytes.size())
    std::memcpy(record.digest.bytes.data(), stored_digest.data(), stored_digest.size());
  record.rejection = rejection_numbered(row.number(first + rejection));
  record.reason = reason_numbered(row.number(first + reason));
  record.hold = {row.count(first + hold_ordinal), row.count(first + hold_salt)};
  record.resource = row.bytes(first + resource);
  record.requester = row.bytes(first + requester);
  record.quantity = row.number(first + quantity);
  record.expires_at = row.instant(first + expires_us);
  record.capacity = row.number(first + capacity);
  record.ref = row.count(first + ref);
  record.count = row.number(first + times);
  record.first_at = row.instant(first + first_us);
  return record;
}

std::uint64_t checksum_at(const Row& row, std::size_t first) {
  return std::bit_cast<std::uint64_t>(row.number(first + sum));
}

void write_record(Values& values, const Record& record, std::uint64_t checksum) {
  const std::string_view its_digest =
      record.token.empty() ? std::string_view() : view(record.digest);
  values.number(record.seq)
      .number(static_cast<std::int64_t>(record.kind))
      .instant(record.at)
      .bytes_or_null(record.tenant)
      .bytes_or_null(record.principal)
      .number_or_null(static_cast<std::int64_t>(record.operation))
      .bytes_or_null(record.token)
      .bytes_or_null(record.nonce)
      .bytes_or_null(its_digest)
      .number_or_null(record.rejection ? static_cast<std::int64_t>(*record.rejection) : 0)
      .number_or_null(static_cast<std::int64_t>(record.reason))
      .number_or_null(static_cast<std::int64_t>(record.hold.ordinal));
  if (record.hold.ordinal == 0) {
    values.null();
  } else {
    values.number(record.hold.salt);
  }
  values.bytes_or_null(record.resource)
      .bytes_or_null(record.requester)
      .number_or_null(record.quantity)
      .number_or_null(us(record.expires_at))
      .number_or_null(record.capacity)
      .number_or_null(static_cast<std::int64_t>(record.ref))
      .number_or_null(record.count)
      .number_or_null(us(record.first_at))
      .number(std::bit_cast<std::int64_t>(checksum));
}

shared::HoldFound hold_of(const Row& row) {
  shared::HoldFound hold;
  hold.id = {row.count(0), row.count(1)};
  hold.tenant = row.bytes(2);
  hold.resource = row.bytes(3);
  hold.requester = row.bytes(4);
  hold.resource_id = row.count(5);
  hold.quantity = row.number(6);
  hold.state = static_cast<HoldState>(row.number(7));
  hold.placed_at = row.instant(8);
  hold.expires_at = row.instant(9);
  hold.resolved_at = row.instant(10);
  return hold;
}

shared::Head head_of(const Row& row, const shared::Time& time) {
  shared::Head head;
  head.seq = row.count(0);
  head.chain = std::bit_cast<std::uint64_t>(row.number(1));
  head.now = std::max({row.instant(2), time.clock.value_or(row.instant(10)), time.floor});
  head.counts.records = head.seq;
  head.counts.holds = row.count(3);
  head.counts.live_holds = row.count(4);
  head.counts.confirmed_holds = row.count(5);
  head.counts.released_holds = row.count(6);
  head.counts.expired_holds = row.count(7);
  head.counts.live_tokens = row.count(8);
  head.counts.resources = row.count(9);
  return head;
}

shared::Fault headless() {
  return {shared::Trouble::refused,
          "the table head has lost its row: restore the database from a backup"};
}

}  // namespace holdfast::mariadb
