#include <fmt/format.h>

#include <algorithm>

#include "domain/rows.hpp"
#include "store/mariadb/rows.hpp"
#include "store/mariadb/session.hpp"

// What a batch is decided on.

namespace holdfast::mariadb {
namespace {

using shared::Expected;
using shared::Fault;
using shared::Loaded;
using shared::OutcomeFound;
using shared::ResourceFound;
using shared::Trouble;
using shared::Wanted;

void write_name(Values& values, const ScopedName& name) {
  values.bytes(name.tenant).bytes(name.name);
}

/// Names with their places in what was wanted, so that rows found can be told apart.
struct Numbered {
  std::size_t at;
  ScopedName name;
};

std::vector<Numbered> numbered(const std::vector<ScopedName>& names) {
  std::vector<Numbered> all;
  all.reserve(names.size());
  for (const ScopedName& each : names) all.push_back({all.size(), each});
  return all;
}

void write_numbered(Values& values, const Numbered& each) {
  values.number(each.at);
  write_name(values, each.name);
}

// Names are looked up by joining a table of literals, first, with the table they are in: a long
// list of pairs after IN would be answered by reading the whole of it.

constexpr Frame claim_frame{"INSERT INTO state_tokens(tenant,token) VALUES",
                            "ON DUPLICATE KEY UPDATE seq=seq"};

constexpr Frame resources_frame{
    "WITH w(i,tenant,name) AS (VALUES",
    ") SELECT w.i,r.id,r.capacity,r.occupied FROM w STRAIGHT_JOIN state_resources r FORCE INDEX"
    "(by_name) ON r.tenant=w.tenant AND r.name=w.name FOR UPDATE"};

void read_nonces(Script& script, const Wanted& wanted, Loaded& loaded) {
  const std::string after = fmt::format(
      ") SELECT w.i,{} FROM w STRAIGHT_JOIN state_nonces n FORCE INDEX(PRIMARY) ON "
      "n.tenant=w.tenant AND n.nonce=w.nonce STRAIGHT_JOIN journal j ON j.seq=n.seq FOR UPDATE",
      record_columns());
  script.read_rows({"WITH w(i,tenant,nonce) AS (VALUES", after}, numbered(wanted.nonces),
                   write_numbered, [&](const Row& row) {
                     loaded.nonces.push_back({row.count(0), record_at(row, 1).record});
                   });
}

void read_resources(Script& script, const Wanted& wanted, Loaded& loaded) {
  script.read_rows(
      resources_frame, numbered(wanted.resources), write_numbered, [&](const Row& row) {
        loaded.resources.push_back({row.count(0), row.count(1), row.number(2), row.number(3)});
      });
}

/// Those that were named, and those that the outcomes found speak of.
std::vector<std::uint64_t> holds_named(const Wanted& wanted, const Loaded& loaded) {
  std::vector<std::uint64_t> ordinals = wanted.holds;
  for (const OutcomeFound& each : loaded.tokens) {
    const std::uint64_t ordinal = token_row_of(each.record).hold_ordinal;
    if (ordinal != 0) ordinals.push_back(ordinal);
  }
  std::sort(ordinals.begin(), ordinals.end());
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
  return ordinals;
}

void read_holds_named(Script& script, const std::vector<std::uint64_t>& ordinals, Loaded& loaded) {
  const std::string after = fmt::format(
      ") SELECT {} FROM w STRAIGHT_JOIN state_holds h FORCE INDEX(PRIMARY) ON h.ordinal=w.ordinal "
      "STRAIGHT_JOIN state_resources r ON r.id=h.resource_id FOR UPDATE",
      hold_columns);
  script.read_rows(
      {"WITH w(ordinal) AS (VALUES", after}, ordinals,
      [](Values& values, std::uint64_t ordinal) { values.number(ordinal); },
      [&](const Row& row) { loaded.holds.push_back(hold_of(row)); });
}

/// Members follow each other.
void read_groups_named(Script& script, const Wanted& wanted, Loaded& loaded) {
  const std::string after = fmt::format(
      ") SELECT {} FROM w STRAIGHT_JOIN state_holds f FORCE INDEX(PRIMARY) ON f.ordinal=w.ordinal "
      "AND f.group_ordinal=w.ordinal STRAIGHT_JOIN state_holds h FORCE INDEX(PRIMARY) ON "
      "h.ordinal BETWEEN f.ordinal AND f.ordinal+f.group_size-1 "
      "STRAIGHT_JOIN state_resources r ON r.id=h.resource_id FOR UPDATE",
      hold_columns);
  script.read_rows(
      {"WITH w(ordinal) AS (VALUES", after}, wanted.groups,
      [](Values& values, std::uint64_t ordinal) { values.number(ordinal); },
      [&](const Row& row) { loaded.holds.push_back(hold_of(row)); });
}

/// How many lapsed holds of a resource can be needed at most: each frees at least one, and there
/// are no more than occupy it.
std::int64_t lapsed_max(const ResourceFound& resource, const Wanted& wanted) {
  if (wanted.lapsed_all) return resource.occupied;
  const std::int64_t missing = resource.occupied + wanted.lapsed_quantity - resource.capacity;
  return std::clamp(missing, std::int64_t{0}, resource.occupied);
}

/// Resources that may need all of theirs are asked about together. Where some are enough, earliest
/// first, each is asked about by itself: there may be a great many more.
void read_lapsed(Script& script, const Wanted& wanted, Loaded& loaded) {
  const auto take = [&](const Row& row) { loaded.holds.push_back(hold_of(row)); };
  const std::string lapsed =
      fmt::format("h.state=1 AND h.expires_us<={}", loaded.head.now.time_since_epoch().count());
  std::vector<std::uint64_t> whole;
  for (const ResourceFound& each : loaded.resources) {
    const std::int64_t most = lapsed_max(each, wanted);
    if (most == 0) continue;
    if (most == each.occupied) {
      whole.push_back(each.id);
      continue;
    }
    script.read(fmt::format("SELECT {} FROM state_holds h FORCE INDEX(by_resource_expiry) "
                            "STRAIGHT_JOIN state_resources r ON r.id=h.resource_id WHERE "
                            "h.resource_id={} AND {} ORDER BY h.expires_us,h.ordinal LIMIT {} "
                            "FOR UPDATE",
                            hold_columns, each.id, lapsed, most),
                take);
  }
  const std::string after = fmt::format(
      ") SELECT {} FROM w STRAIGHT_JOIN state_holds h FORCE INDEX(by_resource_expiry) ON "
      "h.resource_id=w.id AND {} STRAIGHT_JOIN state_resources r ON r.id=h.resource_id FOR UPDATE",
      hold_columns, lapsed);
  script.read_rows(
      {"WITH w(id) AS (VALUES", after}, whole,
      [](Values& values, std::uint64_t id) { values.number(id); }, take);
}

void read_module_rows(Script& script, const Wanted& wanted, Loaded& loaded) {
  const std::string after = fmt::format(
      ") SELECT {} FROM w STRAIGHT_JOIN module_rows m FORCE INDEX(PRIMARY) ON m.space=w.space AND "
      "m.tenant=w.tenant AND m.`key`=w.k FOR UPDATE",
      module_row_columns);
  script.read_rows(
      {"WITH w(space,tenant,k) AS (VALUES", after}, wanted.rows,
      [](Values& values, const OwnedRowName& name) {
        values.number(static_cast<std::int64_t>(name.space)).bytes(name.tenant).bytes(name.key);
      },
      [&](const Row& row) { loaded.rows.push_back(module_row_of(row)); });
  if (wanted.due_max == 0) return;
  for (const RowKind* each : row_kinds()) {
    script.read(fmt::format("SELECT {} FROM module_rows m FORCE INDEX(by_due) WHERE m.space={} AND "
                            "m.due_us<={} ORDER BY m.due_us,m.tenant,m.`key` LIMIT {} FOR UPDATE",
                            module_row_columns, static_cast<int>(each->space),
                            loaded.head.now.time_since_epoch().count(), wanted.due_max),
                [&](const Row& row) { loaded.due_rows.push_back(module_row_of(row)); });
  }
}

/// Each list is asked about by itself: the first of each are wanted. The index gives them in order.
void read_lists(Script& script, const Wanted& wanted, Loaded& loaded) {
  for (std::size_t i = 0; i < wanted.lists.size(); ++i) {
    const OwnedRowName& list = wanted.lists[i].name;
    script.read(
        fmt::format("SELECT {} FROM module_rows m FORCE INDEX(by_parent) WHERE m.space={} AND "
                    "m.tenant={} AND m.parent={} AND m.position<={} "
                    "ORDER BY m.position,m.`key` LIMIT {} FOR UPDATE",
                    module_row_columns, static_cast<int>(list.space), literal(list.tenant),
                    literal(list.key), loaded.head.now.time_since_epoch().count(),
                    wanted.lists[i].limit),
        [&loaded, i](const Row& row) {
          loaded.listed.push_back({i, module_row_of(row)});
        });
  }
}

void read_due(Script& script, const Wanted& wanted, Loaded& loaded) {
  if (wanted.due_max == 0) return;
  script.read(fmt::format("SELECT {} FROM state_holds h FORCE INDEX(by_expiry) STRAIGHT_JOIN "
                          "state_resources r ON r.id=h.resource_id WHERE h.state=1 AND "
                          "h.expires_us<={} ORDER BY h.expires_us,h.ordinal LIMIT {} FOR UPDATE",
                          hold_columns, loaded.head.now.time_since_epoch().count(), wanted.due_max),
              [&](const Row& row) {
                loaded.holds.push_back(hold_of(row));
                loaded.due.push_back(loaded.holds.back().id.ordinal);
              });
}

}  // namespace

/// A row that is there already is locked and left as it is. Then the rows are read, with a lock
/// again: what was committed while we waited is in no earlier snapshot.
void MariadbSession::claim_tokens(Script& script, const Wanted& wanted, Loaded& loaded) {
  script.run_rows(claim_frame, wanted.tokens, write_name);
  const std::string after = fmt::format(
      ") SELECT w.i,t.seq,{} FROM w STRAIGHT_JOIN state_tokens t FORCE INDEX(PRIMARY) ON "
      "t.tenant=w.tenant AND t.token=w.token LEFT JOIN journal j ON j.seq=t.seq FOR UPDATE",
      record_columns());
  script.read_rows({"WITH w(i,tenant,token) AS (VALUES", after}, numbered(wanted.tokens),
                   write_numbered, [&](const Row& row) {
                     const std::size_t at = row.count(0);
                     if (row.is_null(1)) {
                       const ScopedName& name = wanted.tokens[at];
                       claims_.push_back({std::string(name.tenant), std::string(name.name)});
                     } else {
                       loaded.tokens.push_back({at, record_at(row, 2).record});
                     }
                   });
}

/// Every token has a row now: ours, or that of its outcome.
Expected<void> MariadbSession::check_claims(const Wanted& wanted, const Loaded& loaded) const {
  for (const OutcomeFound& each : loaded.tokens) {
    if (each.record.seq != 0) continue;
    return tl::unexpected(Fault{Trouble::refused,
                                "the record of a token is missing: restore the database from a "
                                "backup"});
  }
  if (claims_.size() + loaded.tokens.size() == wanted.tokens.size()) return {};
  return tl::unexpected(Fault{Trouble::again, "the server took the transaction back"});
}

Expected<Loaded> MariadbSession::load(const Wanted& wanted) {
  Loaded loaded;
  Script script;
  begin(script);
  claim_tokens(script, wanted, loaded);
  bool headed = false;
  script.read(std::string(head_lock_sql), [&](const Row& row) {
    loaded.head = head_of(row, wanted.time);
    headed = true;
  });
  script.read(fmt::format("SELECT name,number FROM meta WHERE name IN ('{}','{}')",
                          shared::copy_mark, change_name),
              [&](const Row& row) {
                if (row.bytes(0) == shared::copy_mark) loaded.half_copied = true;
                if (row.bytes(0) == change_name) loaded.window_seq = row.count(1);
              });
  // Nonces are not claimed. Under the lock of the head none can be spent by anybody else.
  read_nonces(script, wanted, loaded);
  read_resources(script, wanted, loaded);
  if (auto done = connection_.run(script); !done) return tl::unexpected(done.error());
  if (!headed) return tl::unexpected(headless());
  if (auto all = check_claims(wanted, loaded); !all) return tl::unexpected(all.error());
  if (auto done = load_holds(wanted, loaded); !done) return tl::unexpected(done.error());
  std::sort(claims_.begin(), claims_.end());
  return loaded;
}

Expected<void> MariadbSession::load_holds(const Wanted& wanted, Loaded& loaded) {
  Script script;
  read_holds_named(script, holds_named(wanted, loaded), loaded);
  read_groups_named(script, wanted, loaded);
  read_lapsed(script, wanted, loaded);
  read_due(script, wanted, loaded);
  read_module_rows(script, wanted, loaded);
  read_lists(script, wanted, loaded);
  return connection_.run(script);
}

}  // namespace holdfast::mariadb
