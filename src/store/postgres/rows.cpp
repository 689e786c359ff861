#include "store/postgres/rows.hpp"

#include <bit>

namespace holdfast::postgres {

namespace {

/// The columns of a record among those of a result.
struct StoredRow {
  const Result& result;
  int row;
  int first;

  [[nodiscard]] std::optional<std::int64_t> number(int column) const {
    return result.number_or_null(row, first + column);
  }
  [[nodiscard]] std::optional<std::string_view> bytes(int column) const {
    if (result.is_null(row, first + column)) return std::nullopt;
    return result.bytes(row, first + column);
  }
};

}  // namespace

StoredRecord record_at(const Result& result, int row, int first) {
  StoredRecord stored;
  stored.as_written = journal::read(StoredRow{result, row, first}, stored.record, stored.checksum);
  return stored;
}

HoldFound hold_at(const Result& result, int row, int first) {
  const auto integer = [&](int column) { return result.number(row, first + column); };
  const auto text = [&](int column) { return std::string(result.bytes(row, first + column)); };
  HoldFound hold;
  hold.id = {static_cast<std::uint64_t>(integer(0)), static_cast<std::uint64_t>(integer(1))};
  hold.tenant = text(2);
  hold.resource = text(3);
  hold.requester = text(4);
  hold.resource_id = static_cast<std::uint64_t>(integer(5));
  hold.quantity = integer(6);
  hold.state = static_cast<HoldState>(integer(7));
  hold.placed_at = instant(integer(8));
  hold.expires_at = instant(integer(9));
  hold.resolved_at = instant(integer(10));
  hold.confirmed = integer(11);
  hold.cancelled = integer(12);
  hold.first_expires_at = instant(integer(13));
  hold.changed_seq = static_cast<std::uint64_t>(integer(14));
  hold.group = {static_cast<std::uint64_t>(integer(15)), static_cast<std::uint64_t>(integer(16))};
  hold.group_size = static_cast<std::uint32_t>(integer(17));
  return hold;
}

shared::KeptRow module_row_at(const Result& result, int row) {
  const auto space = static_cast<RowSpace>(result.number(row, 0));
  auto found =
      shared::kept_row({space, result.bytes(row, 1), result.bytes(row, 2)},
                       static_cast<std::uint64_t>(result.number(row, 3)), result.bytes(row, 6));
  found.position = result.number(row, 4);
  if (const auto due = result.number_or_null(row, 5)) found.due = instant(*due);
  return found;
}

std::string row_spaces() {
  NumberArray array(row_kinds().size());
  for (const RowKind* each : row_kinds()) array.add(static_cast<std::int64_t>(each->space));
  return array.take();
}

Head head_at(const Result& result, int row, int first) {
  const auto count = [&](int column) {
    return static_cast<std::uint64_t>(result.number(row, first + column));
  };
  Head head;
  head.seq = count(0);
  head.chain = std::bit_cast<std::uint64_t>(result.number(row, first + 1));
  head.counts = {.records = count(0),
                 .holds = count(2),
                 .live_holds = count(3),
                 .confirmed_holds = count(4),
                 .released_holds = count(5),
                 .expired_holds = count(6),
                 .live_tokens = count(7),
                 .resources = count(8)};
  return head;
}

Parameters time_parameters(const Time& time) {
  std::optional<std::int64_t> clock;
  if (time.clock) clock = us(*time.clock);
  Parameters parameters;
  parameters.number(clock).number(us(time.floor));
  return parameters;
}

}  // namespace holdfast::postgres
