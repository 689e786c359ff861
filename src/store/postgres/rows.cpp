#include "store/postgres/rows.hpp"

#include <bit>
#include <cstring>

namespace holdfast::postgres {

Record record_at(const Result& result, int row, int first) {
  const auto integer = [&](int column) { return result.number(row, first + column); };
  const auto text = [&](int column) { return std::string(result.bytes(row, first + column)); };
  Record record;
  record.seq = static_cast<std::uint64_t>(integer(0));
  record.kind = static_cast<RecordKind>(integer(1));
  record.at = instant(integer(2));
  record.tenant = text(3);
  record.principal = text(4);
  record.operation = operation_numbered(integer(5)).value_or(Operation::none);
  record.token = text(6);
  record.nonce = text(7);
  const std::string_view digest = result.bytes(row, first + 8);
  if (digest.size() == record.digest.bytes.size()) {
    std::memcpy(record.digest.bytes.data(), digest.data(), digest.size());
  }
  record.rejection = rejection_numbered(integer(9));
  const std::int64_t reason = integer(10);
  if (reason > 0 && reason < static_cast<std::int64_t>(reason_table.size())) {
    record.reason = static_cast<Reason>(reason);
  }
  record.hold = {static_cast<std::uint64_t>(integer(11)), static_cast<std::uint64_t>(integer(12))};
  record.resource = text(13);
  record.requester = text(14);
  record.quantity = integer(15);
  record.expires_at = instant(integer(16));
  record.capacity = integer(17);
  record.ref = static_cast<std::uint64_t>(integer(18));
  record.count = integer(19);
  record.first_at = instant(integer(20));
  return record;
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
  return hold;
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
