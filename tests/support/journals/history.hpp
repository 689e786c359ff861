#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/record.hpp"
#include "support/calls.hpp"

namespace holdfast::test {

/// Writes a journal by hand, record by record, as the engine would, and just as readily as it never
/// would: nothing is checked here. For showing what the audit accepts and what it catches.
class History {
 public:
  Instant now = start;
  Caller caller{};
  std::vector<Record> records;

  void wait(Duration by) { now += by; }
  /// The record written last; good until the next one.
  [[nodiscard]] Record& last() { return records.back(); }
  [[nodiscard]] std::uint64_t last_seq() const { return records.empty() ? 0 : records.back().seq; }

  HoldId place(std::string_view token, const Placing& what);
  void confirm(std::string_view token, HoldId id);
  void release(std::string_view token, HoldId id);
  void expire(std::string_view token, HoldId id);
  void declare(std::string_view token, std::string_view resource, std::int64_t capacity);
  void refuse(std::string_view token, const Command& command, Rejection rejection);
  /// The engine expires it by itself.
  void sweep(HoldId id);
  /// The request of that record comes again, or its token with another request.
  void replay(std::uint64_t seq);
  void collide(std::uint64_t seq);
  /// Replays of more tokens than can be told apart.
  void flood(std::int64_t count, Instant first_at);

 private:
  Record& add(RecordKind kind);
  Record& add(RecordKind kind, std::string_view token, const Command& command);
  Record& repeat(RecordKind kind, std::uint64_t seq);
};

/// A morning at a small hotel in which every kind of record and every recorded rejection occurs,
/// and nothing is wrong. The comments inside give each record's number.
[[nodiscard]] History good_history();

}  // namespace holdfast::test
