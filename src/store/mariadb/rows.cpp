#include "store/mariadb/rows.hpp"

#include <algorithm>
#include <bit>

namespace holdfast::mariadb {
namespace {

/// The columns of a record among those of a row.
struct StoredRow {
  const Row& row;
  std::size_t first;

  [[nodiscard]] std::optional<std::int64_t> number(int column) const {
    const std::size_t at = first + static_cast<std::size_t>(column);
    return row.is_null(at) ? std::nullopt : std::optional(row.number(at));
  }
  [[nodiscard]] std::optional<std::string_view> bytes(int column) const {
    const std::size_t at = first + static_cast<std::size_t>(column);
    return row.is_null(at) ? std::nullopt : std::optional(row.bytes(at));
  }
};

/// Values come in the order of the columns.
struct ValueSink {
  Values& values;
  void number(int, std::optional<std::int64_t> value) {
    value ? values.number(*value) : values.null();
  }
  void bytes(int, std::string_view value) { values.bytes_or_null(value); }
};

}  // namespace

shared::StoredRecord record_at(const Row& row, std::size_t first) {
  shared::StoredRecord stored;
  stored.as_written = journal::read(StoredRow{row, first}, stored.record, stored.checksum);
  return stored;
}

void write_record(Values& values, const Record& record, std::uint64_t checksum) {
  ValueSink sink{values};
  journal::write(sink, record, checksum);
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
  hold.confirmed = row.number(11);
  hold.cancelled = row.number(12);
  hold.first_expires_at = row.instant(13);
  hold.changed_seq = row.count(14);
  hold.group = {row.count(15), row.count(16)};
  hold.group_size = static_cast<std::uint32_t>(row.count(17));
  return hold;
}

shared::KeptRow module_row_of(const Row& row) {
  const auto space = static_cast<RowSpace>(row.number(0));
  auto found = shared::kept_row({space, row.bytes(1), row.bytes(2)}, row.count(3), row.bytes(6));
  found.position = row.number(4);
  if (!row.is_null(5)) found.due = row.instant(5);
  return found;
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
