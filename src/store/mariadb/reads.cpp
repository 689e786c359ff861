#include <fmt/format.h>

#include "domain/rows.hpp"
#include "store/mariadb/rows.hpp"
#include "store/mariadb/session.hpp"

// The read side: nothing is locked. Where an instant belongs to what is read, the head is read
// after it, so that nothing shown is from the future.

namespace holdfast::mariadb {
namespace {

using shared::Expected;
using shared::HoldFilter;
using shared::HoldFound;
using shared::Time;

/// Where the rows come from, by the index that suits the filter.
std::string holds_from(const HoldFilter& filter) {
  if (filter.resource) {
    return fmt::format(
        "state_resources r FORCE INDEX(by_name) STRAIGHT_JOIN state_holds h FORCE INDEX"
        "(by_resource) ON r.tenant={} AND r.name={} AND h.resource_id=r.id",
        literal(filter.tenant), literal(*filter.resource));
  }
  const std::string_view index = filter.ordinal     ? "PRIMARY"
                                 : filter.requester ? "by_requester"
                                                    : "by_tenant";
  return fmt::format(
      "state_holds h FORCE INDEX({}) STRAIGHT_JOIN state_resources r ON r.id=h.resource_id", index);
}

/// Binary columns: byte for byte.
std::string begins_with(std::string_view column, const std::string& prefix) {
  return fmt::format("{0}>={1} AND LEFT({0},{2})={1}", column, literal(prefix), prefix.size());
}

std::string holds_where(const HoldFilter& filter, std::uint64_t first) {
  std::string where = fmt::format("h.tenant={}", literal(filter.tenant));
  const auto add = [&](const std::string& condition) { where += " AND " + condition; };
  if (filter.ordinal) add(fmt::format("h.ordinal={}", *filter.ordinal));
  if (filter.requester) add("h.requester=" + literal(*filter.requester));
  if (filter.state) add(fmt::format("h.state={}", static_cast<int>(*filter.state)));
  if (filter.prefix) add(begins_with("r.name", *filter.prefix));
  if (filter.group) {
    const HoldId& of = filter.group->first;
    add(fmt::format("h.ordinal BETWEEN {} AND {} AND h.group_ordinal={} AND h.group_salt={}",
                    of.ordinal, of.ordinal + group_size_max - 1, of.ordinal, of.salt));
  }
  if (filter.before <= INT64_MAX) add(fmt::format("h.ordinal<{}", filter.before));
  if (first > 1) add(fmt::format("h.ordinal>={}", first));
  return where;
}

std::string hold_sql(std::uint64_t ordinal) {
  return fmt::format(
      "SELECT {} FROM state_holds h STRAIGHT_JOIN state_resources r ON r.id=h.resource_id WHERE "
      "h.ordinal={}",
      hold_columns, ordinal);
}

}  // namespace

Expected<shared::Head> MariadbSession::head(const Time& time) {
  std::optional<shared::Head> head;
  std::optional<Instant> next_expiry;
  Script script;
  script.read("SELECT MIN(expires_us) FROM state_holds WHERE state=1", [&](const Row& row) {
    if (!row.is_null(0)) next_expiry = row.instant(0);
  });
  for (const RowKind* each : row_kinds()) {
    script.read(fmt::format("SELECT MIN(due_us) FROM module_rows WHERE space={}",
                            static_cast<int>(each->space)),
                [&](const Row& row) {
                  if (row.is_null(0)) return;
                  next_expiry = std::min(next_expiry.value_or(never), row.instant(0));
                });
  }
  script.read(std::string(head_sql), [&](const Row& row) { head = head_of(row, time); });
  if (auto done = look(script); !done) return tl::unexpected(done.error());
  if (!head) return tl::unexpected(headless());
  head->counts.next_expiry = next_expiry;
  return *head;
}

/// The first hold placed after that instant, or the next that will be. Holds are placed in order of
/// their ordinals, which have no gaps, so there is no need for an index.
Expected<std::uint64_t> MariadbSession::first_placed_after(Instant instant) {
  const auto head_now = head({});
  if (!head_now) return tl::unexpected(head_now.error());
  std::uint64_t low = 1;
  std::uint64_t high = head_now->counts.holds + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    bool after = false;
    auto done = look(fmt::format("SELECT placed_us FROM state_holds WHERE ordinal={}", middle),
                     [&](const Row& row) { after = row.instant(0) > instant; });
    if (!done) return tl::unexpected(done.error());
    if (after) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Expected<shared::HoldsRead> MariadbSession::holds(const Time& time, const HoldFilter& filter) {
  std::uint64_t first = 1;
  if (filter.placed_after) {
    const auto found = first_placed_after(*filter.placed_after);
    if (!found) return tl::unexpected(found.error());
    first = *found;
  }
  shared::HoldsRead answer;
  Script script;
  script.read(
      fmt::format("SELECT {},j.token FROM {} STRAIGHT_JOIN journal j ON j.seq=h.placed_seq "
                  "WHERE {} ORDER BY h.ordinal DESC LIMIT {}",
                  hold_columns, holds_from(filter), holds_where(filter, first), filter.limit),
      [&](const Row& row) {
        answer.holds.push_back(hold_of(row));
        answer.holds.back().token = row.bytes(hold_column_count);
      });
  bool headed = false;
  script.read(std::string(head_sql), [&](const Row& row) {
    answer.now = head_of(row, time).now;
    headed = true;
  });
  if (auto done = look(script); !done) return tl::unexpected(done.error());
  if (!headed) return tl::unexpected(headless());
  return answer;
}

Expected<shared::OutcomeRead> MariadbSession::outcome(const Time& time, std::string_view tenant,
                                                      std::string_view token) {
  shared::OutcomeRead answer;
  Script script;
  script.read(fmt::format("SELECT {} FROM state_tokens t FORCE INDEX(PRIMARY) STRAIGHT_JOIN "
                          "journal j ON j.seq=t.seq WHERE t.tenant={} AND t.token={}",
                          record_columns(), literal(tenant), literal(token)),
              [&](const Row& row) { answer.record = record_at(row, 0).record; });
  bool headed = false;
  script.read(std::string(head_sql), [&](const Row& row) {
    answer.now = head_of(row, time).now;
    headed = true;
  });
  if (auto done = look(script); !done) return tl::unexpected(done.error());
  if (!headed) return tl::unexpected(headless());
  const std::uint64_t ordinal = answer.record ? token_row_of(*answer.record).hold_ordinal : 0;
  if (ordinal == 0) return answer;
  auto done = look(hold_sql(ordinal), [&](const Row& row) { answer.hold = hold_of(row); });
  if (!done) return tl::unexpected(done.error());
  return answer;
}

/// Occupied and lapsed quantities are of one snapshot, since they are read by one statement. The
/// instant comes first, because an index takes only a number.
Expected<std::vector<shared::ResourceRead>> MariadbSession::resources(
    const Time& time, const shared::ResourceFilter& filter) {
  std::optional<Instant> now;
  auto done = look(std::string(head_sql), [&](const Row& row) { now = head_of(row, time).now; });
  if (!done) return tl::unexpected(done.error());
  if (!now) return tl::unexpected(headless());
  std::string where = fmt::format("r.tenant={}", literal(filter.tenant));
  if (filter.name) where += " AND r.name=" + literal(*filter.name);
  if (filter.prefix) where += " AND " + begins_with("r.name", *filter.prefix);
  if (filter.before <= INT64_MAX) where += fmt::format(" AND r.id<{}", filter.before);
  std::vector<shared::ResourceRead> found;
  done = look(
      fmt::format("SELECT r.id,r.name,r.capacity,r.declared,r.occupied-COALESCE((SELECT "
                  "SUM(h.quantity-COALESCE(h.confirmed,0)) FROM state_holds h FORCE "
                  "INDEX(by_resource_expiry) WHERE "
                  "h.resource_id=r.id AND h.state=1 AND h.expires_us<={}),0) FROM state_resources "
                  "r FORCE INDEX({}) WHERE {} ORDER BY r.id DESC LIMIT {}",
                  now->time_since_epoch().count(), filter.name ? "by_name" : "by_tenant", where,
                  filter.limit),
      [&](const Row& row) {
        found.push_back({row.count(0),
                         {.name = std::string(row.bytes(1)),
                          .capacity = row.number(2),
                          .in_use = row.number(4),
                          .declared = row.number(3) != 0}});
      });
  if (!done) return tl::unexpected(done.error());
  return found;
}

Expected<std::optional<Availability>> MariadbSession::availability(const Time& time,
                                                                   std::string_view tenant,
                                                                   std::string_view name) {
  std::optional<Instant> now;
  auto done = look(std::string(head_sql), [&](const Row& row) { now = head_of(row, time).now; });
  if (!done) return tl::unexpected(done.error());
  if (!now) return tl::unexpected(headless());
  const std::int64_t now_us = now->time_since_epoch().count();
  std::optional<Availability> found;
  done =
      look(fmt::format(
               "SELECT r.capacity,r.occupied,COALESCE(SUM(IF(h.expires_us>{0},h.quantity-"
               "COALESCE(h.confirmed,0),0)),0),COALESCE(SUM(h.quantity-COALESCE(h.confirmed,0))"
               ",0),MIN(IF(h.expires_us>{0},h.expires_us,NULL)) FROM state_resources r FORCE "
               "INDEX(by_name) LEFT JOIN state_holds h FORCE INDEX(by_resource_expiry) ON "
               "h.resource_id=r.id AND h.state=1 WHERE r.tenant={1} AND r.name={2} GROUP BY r.id",
               now_us, literal(tenant), literal(name)),
           [&](const Row& row) {
             found = Availability{.resource = std::string(name),
                                  .capacity = row.number(0),
                                  .held = row.number(2),
                                  .confirmed = row.number(1) - row.number(3)};
             if (!row.is_null(4)) found->next_expiry = row.instant(4);
           });
  if (!done) return tl::unexpected(done.error());
  return found;
}

Expected<std::vector<shared::KeptRow>> MariadbSession::rows(const shared::RowFilter& filter) {
  std::string rest;
  if (filter.key) {
    rest = fmt::format("AND m.`key`={}", literal(*filter.key));
  } else {
    rest = fmt::format(
        "AND m.parent={} AND m.position>={} AND (m.position>{} OR m.`key`>{}) ORDER BY "
        "m.position,m.`key` LIMIT {}",
        literal(filter.parent), filter.after.position, filter.after.position,
        literal(filter.after.key), filter.limit);
  }
  std::vector<shared::KeptRow> found;
  auto done = look(fmt::format("SELECT {} FROM module_rows m FORCE INDEX({}) WHERE m.space={} AND "
                               "m.tenant={} {}",
                               module_row_columns, filter.key ? "PRIMARY" : "by_parent",
                               static_cast<int>(filter.space), literal(filter.tenant), rest),
                   [&](const Row& row) { found.push_back(module_row_of(row)); });
  if (!done) return tl::unexpected(done.error());
  return found;
}

Expected<ListSizes> MariadbSession::list_sizes(std::string_view tenant, RowSpace space) {
  ListSizes sizes;
  auto done = look(
      fmt::format("SELECT m.parent,COUNT(*) FROM module_rows m FORCE INDEX(by_parent) WHERE "
                  "m.space={} AND m.tenant={} AND m.parent IS NOT NULL GROUP BY m.parent",
                  static_cast<int>(space), literal(tenant)),
      [&](const Row& row) {
        sizes.push_back({std::string(row.bytes(0)), static_cast<std::uint64_t>(row.number(1))});
      });
  if (!done) return tl::unexpected(done.error());
  return sizes;
}

Expected<std::vector<shared::StoredRecord>> MariadbSession::records(std::uint64_t after,
                                                                    std::size_t limit) {
  std::vector<shared::StoredRecord> found;
  auto done = look(fmt::format("SELECT {} FROM journal j WHERE j.seq>{} ORDER BY j.seq LIMIT {}",
                               record_columns(), after, limit),
                   [&](const Row& row) { found.push_back(record_at(row, 0)); });
  if (!done) return tl::unexpected(done.error());
  return found;
}

/// A server that is there may still be one that only reads, or a node that has lost its cluster.
Expected<void> MariadbSession::ready() {
  bool read_only = false;
  bool joined = !connection_.clustered();
  Script script;
  script.read("SELECT @@global.read_only,seq FROM head WHERE one=1",
              [&](const Row& row) { read_only = row.number(0) != 0; });
  if (connection_.clustered()) {
    script.read("SHOW GLOBAL STATUS LIKE 'wsrep_ready'",
                [&](const Row& row) { joined = row.bytes(1) == "ON"; });
  }
  if (auto done = look(script); !done) return done;
  if (!read_only && joined) {
    // Adds nothing, but fails where a record could not be added.
    return connection_.run("INSERT INTO journal SELECT * FROM journal WHERE seq<0");
  }
  connection_.give_up();
  return tl::unexpected(
      shared::Fault{shared::Trouble::lost, read_only ? "the server may only be read from"
                                                     : "the server has lost its cluster"});
}

}  // namespace holdfast::mariadb
