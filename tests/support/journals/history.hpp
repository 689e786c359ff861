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
  /// To `duration` from now, even if that is earlier.
  void extend(std::string_view token, HoldId id, Duration duration);
  void confirm_part(std::string_view token, HoldId id, std::int64_t quantity);
  void confirm_finally(std::string_view token, HoldId id, std::int64_t quantity);
  void cancel(std::string_view token, HoldId id, std::int64_t quantity);
  /// A record for each hold, then the outcome.
  GroupId place_group(std::string_view token, const Grouping& what);
  /// The same of what is done to holds of a group: `kind` to each of them.
  void confirm_group(std::string_view token, GroupId group, const std::vector<HoldId>& held);
  void release_group(std::string_view token, GroupId group, const std::vector<HoldId>& held);
  void extend_group(std::string_view token, GroupId group, const std::vector<HoldId>& held,
                    Duration duration);
  void declare(std::string_view token, std::string_view resource, std::int64_t capacity);
  void refuse(std::string_view token, const Command& command, Rejection rejection);
  /// The engine expires it by itself.
  void sweep(HoldId id);
  /// The request of that record comes again, or its token with another request.
  void replay(std::uint64_t seq);
  void collide(std::uint64_t seq);
  /// The store has another window from here on.
  void change_window(Duration before, Duration window);
  /// Replays of more tokens than can be told apart.
  void flood(std::int64_t count, Instant first_at);

 private:
  Record& add(RecordKind kind);
  Record& add(RecordKind kind, std::string_view token, const Command& command);
  Record& repeat(RecordKind kind, std::uint64_t seq);
  void change_group(std::string_view token, const Command& command, GroupId group,
                    const std::vector<HoldId>& held, RecordKind part, RecordKind outcome);
};

/// A morning at a small hotel in which every kind of record and every recorded rejection occurs,
/// and nothing is wrong. The comments inside give each record's number.
[[nodiscard]] History good_history();

/// Windows that become shorter and longer, and `short_rules` again; nothing is wrong.
[[nodiscard]] History history_of_windows();

/// Commands and their effects in every kind of record they have; nothing is wrong.
[[nodiscard]] History history_of_commands();

/// Subscriptions in every kind of record they have; nothing is wrong.
[[nodiscard]] History history_of_subscriptions();

/// Holds that are extended, confirmed in parts and cancelled, and groups of them; nothing is wrong.
[[nodiscard]] History changing_history();

}  // namespace holdfast::test
