// The first round trip of a batch. In order: the tokens are claimed, so that a call that is being
// decided elsewhere is waited for and then seen; their outcomes are read; the head is locked, last
// of all locks; and under it everything else is read, which nobody can change meanwhile.

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "store/postgres/rows.hpp"

namespace holdfast::postgres {
namespace {

using shared::OutcomeFound;

const Statement begin{"hf_begin", "BEGIN"};

/// Sorted, so that two batches that share tokens wait for each other in one order.
const Statement claim{"hf_claim",
                      "SELECT count(pg_advisory_xact_lock(k)) FROM unnest($1::bigint[]) AS k"};

/// An outcome that speaks of a hold comes with it: a replay needs it, and nothing else does.
std::string outcomes_sql(const char* table, const char* key) {
  return fmt::format(
      "SELECT w.i, {}, {} FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS w(tenant, key, "
      "i) JOIN {} t ON t.tenant = w.tenant AND t.{} = w.key JOIN journal j ON j.seq = t.seq "
      "LEFT JOIN state_holds h ON h.ordinal = j.hold_ordinal "
      "LEFT JOIN state_resources r ON r.id = h.resource_id",
      record_columns(), hold_columns, table, key);
}

const Statement tokens{"hf_tokens", outcomes_sql("state_tokens", "token")};
const Statement nonces{"hf_nonces", outcomes_sql("state_nonces", "nonce")};

const Statement lock_head{"hf_lock_head", "SELECT 1 FROM head FOR UPDATE"};

/// After the lock, in a statement of its own: what it shows and what time it is are as of then.
const Statement read_head{
    "hf_read_head", fmt::format("SELECT {}, n, set_config('holdfast.now', n::text, true), "
                                "EXISTS (SELECT 1 FROM meta WHERE name = '{}'), "
                                "(SELECT number FROM meta WHERE name = '{}') FROM head, {} AS t(n)",
                                head_columns, shared::copy_mark, change_name, now_sql)};

const Statement named_resources{
    "hf_resources",
    "SELECT w.i, r.id, r.capacity, r.occupied "
    "FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS w(tenant, name, i) "
    "JOIN state_resources r ON r.tenant = w.tenant AND r.name = w.name"};

const Statement named_holds{"hf_named_holds",
                            fmt::format("SELECT {} FROM unnest($1::bigint[]) AS w(ordinal) "
                                        "JOIN state_holds h ON h.ordinal = w.ordinal "
                                        "JOIN state_resources r ON r.id = h.resource_id",
                                        hold_columns)};

/// Members follow each other.
const Statement named_groups{
    "hf_named_groups",
    fmt::format(
        "SELECT {} FROM unnest($1::bigint[]) AS w(ordinal) "
        "JOIN state_holds f ON f.ordinal = w.ordinal AND f.group_ordinal = w.ordinal "
        "JOIN state_holds h ON h.ordinal BETWEEN f.ordinal AND f.ordinal + f.group_size - 1 "
        "JOIN state_resources r ON r.id = h.resource_id",
        hold_columns)};

/// Of each resource that may run short, as many lapsed holds as can be needed: each gives back at
/// least one.
const Statement lapsed_holds{
    "hf_lapsed_holds",
    fmt::format("SELECT {} FROM unnest($1::bytea[], $2::bytea[]) AS w(tenant, name) "
                "JOIN state_resources r ON r.tenant = w.tenant AND r.name = w.name "
                "CROSS JOIN LATERAL (SELECT * FROM state_holds x WHERE x.resource_id = r.id "
                "AND x.state = 1 AND x.expires_us <= current_setting('holdfast.now')::bigint "
                "ORDER BY x.expires_us, x.ordinal "
                "LIMIT CASE WHEN $4 THEN NULL ELSE greatest(r.occupied - r.capacity + $3::bigint, "
                "0) END) h",
                hold_columns)};

const Statement due_holds{
    "hf_due_holds",
    fmt::format("SELECT {} FROM state_holds h JOIN state_resources r ON r.id = h.resource_id "
                "WHERE h.state = 1 AND h.expires_us <= current_setting('holdfast.now')::bigint "
                "ORDER BY h.expires_us, h.ordinal LIMIT $1::bigint",
                hold_columns)};

/// What `read_head` found, in the statements after it.
constexpr const char* now_read = "current_setting('holdfast.now')::bigint";

const Statement named_rows{
    "hf_rows",
    fmt::format("SELECT {} FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS w(space, tenant, "
                "key) JOIN module_rows m ON m.space = w.space AND m.tenant = w.tenant "
                "AND m.key = w.key",
                module_row_columns)};

/// Of each list the first that are ready. How far these go is asked of the index by itself: with
/// keys to put in order, a planner that expects few would read and sort all that is ready.
const Statement listed_rows{
    "hf_listed_rows",
    fmt::format("SELECT {}, w.i FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[]) "
                "WITH ORDINALITY AS w(space, tenant, parent, most, i) "
                "CROSS JOIN LATERAL (SELECT * FROM module_rows x WHERE x.space = w.space "
                "AND x.tenant = w.tenant AND x.parent = w.parent AND x.position <= coalesce(("
                "SELECT y.position FROM module_rows y WHERE y.space = w.space "
                "AND y.tenant = w.tenant AND y.parent = w.parent AND y.position <= {} "
                "ORDER BY y.position LIMIT 1 OFFSET w.most - 1), {}) "
                "ORDER BY x.position, x.key LIMIT w.most) m ORDER BY w.i, m.position, m.key",
                module_row_columns, now_read, now_read)};

const Statement due_rows{
    "hf_due_rows",
    fmt::format("SELECT {} FROM unnest($1::bigint[]) AS s(space) CROSS JOIN LATERAL (SELECT * FROM "
                "module_rows x WHERE x.space = s.space "
                "AND x.due_us <= current_setting('holdfast.now')::bigint "
                "ORDER BY x.due_us, x.tenant, x.key LIMIT $2::bigint) m",
                module_row_columns)};

/// What two nodes mean by one token must be one number; that two tokens may share it only makes
/// them wait for each other.
std::int64_t lock_number(const ScopedName& key) {
  const XXH64_hash_t tenant = XXH3_64bits(key.tenant.data(), key.tenant.size());
  return static_cast<std::int64_t>(XXH3_64bits_withSeed(key.name.data(), key.name.size(), tenant));
}

Parameters claim_parameters(const std::vector<ScopedName>& keys) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(keys.size());
  for (const ScopedName& each : keys) numbers.push_back(lock_number(each));
  std::sort(numbers.begin(), numbers.end());
  NumberArray array(numbers.size());
  for (const std::int64_t each : numbers) array.add(each);
  Parameters parameters;
  parameters.array(array.take());
  return parameters;
}

Parameters name_parameters(const std::vector<ScopedName>& keys) {
  BytesArray tenants(keys.size());
  BytesArray names(keys.size());
  for (const ScopedName& each : keys) {
    tenants.add(each.tenant);
    names.add(each.name);
  }
  Parameters parameters;
  parameters.array(tenants.take()).array(names.take());
  return parameters;
}

Parameters ordinal_parameters(const std::vector<std::uint64_t>& ordinals) {
  NumberArray array(ordinals.size());
  for (const std::uint64_t each : ordinals) array.add(number(each));
  Parameters parameters;
  parameters.array(array.take());
  return parameters;
}

Parameters row_parameters(const std::vector<OwnedRowName>& rows) {
  NumberArray spaces(rows.size());
  BytesArray tenants(rows.size());
  BytesArray keys(rows.size());
  for (const OwnedRowName& each : rows) {
    spaces.add(static_cast<std::int64_t>(each.space));
    tenants.add(each.tenant);
    keys.add(each.key);
  }
  Parameters parameters;
  parameters.array(spaces.take()).array(tenants.take()).array(keys.take());
  return parameters;
}

Parameters list_parameters(const std::vector<WantedList>& lists) {
  NumberArray spaces(lists.size());
  BytesArray tenants(lists.size());
  BytesArray parents(lists.size());
  NumberArray limits(lists.size());
  for (const WantedList& each : lists) {
    spaces.add(static_cast<std::int64_t>(each.name.space));
    tenants.add(each.name.tenant);
    parents.add(each.name.key);
    limits.add(static_cast<std::int64_t>(each.limit));
  }
  Parameters parameters;
  parameters.array(spaces.take()).array(tenants.take()).array(parents.take()).array(limits.take());
  return parameters;
}

/// Takes the results of a round trip one after the other, as they were asked for.
class Reader {
 public:
  explicit Reader(const std::vector<Result>& results) : results_(results) {}
  const Result& next() { return results_[at_++]; }
  void skip() { ++at_; }

 private:
  const std::vector<Result>& results_;
  std::size_t at_ = 0;
};

void read_outcomes(const Result& result, std::vector<OutcomeFound>& outcomes,
                   std::vector<HoldFound>& holds) {
  constexpr int hold_first = 1 + journal::column_count;
  for (int row = 0; row < result.rows(); ++row) {
    const auto wanted = static_cast<std::size_t>(result.number(row, 0) - 1);
    outcomes.push_back({wanted, record_at(result, row, 1).record});
    if (!result.is_null(row, hold_first)) holds.push_back(hold_at(result, row, hold_first));
  }
}

void read_holds(const Result& result, std::vector<HoldFound>& holds) {
  for (int row = 0; row < result.rows(); ++row) holds.push_back(hold_at(result, row, 0));
}

void read_rows(const Result& result, std::vector<shared::KeptRow>& rows) {
  for (int row = 0; row < result.rows(); ++row) rows.push_back(module_row_at(result, row));
}

void read_listed(const Result& result, std::vector<shared::ListedRow>& rows) {
  for (int row = 0; row < result.rows(); ++row) {
    const auto wanted = static_cast<std::size_t>(result.number(row, module_row_column_count) - 1);
    rows.push_back({wanted, module_row_at(result, row)});
  }
}

}  // namespace

Expected<Loaded> PostgresSession::load(const Wanted& wanted) {
  Connection& to = connection_;
  to.queue(begin);
  if (!wanted.tokens.empty()) {
    to.queue(claim, claim_parameters(wanted.tokens));
    to.queue(tokens, name_parameters(wanted.tokens));
  }
  if (!wanted.nonces.empty()) to.queue(nonces, name_parameters(wanted.nonces));
  to.queue(lock_head);
  to.queue(read_head, time_parameters(wanted.time));
  if (!wanted.resources.empty()) {
    to.queue(named_resources, name_parameters(wanted.resources));
    Parameters lapsed = name_parameters(wanted.resources);
    lapsed.number(wanted.lapsed_quantity).flag(wanted.lapsed_all);
    to.queue(lapsed_holds, std::move(lapsed));
  }
  if (!wanted.holds.empty()) to.queue(named_holds, ordinal_parameters(wanted.holds));
  if (!wanted.groups.empty()) to.queue(named_groups, ordinal_parameters(wanted.groups));
  if (!wanted.rows.empty()) to.queue(named_rows, row_parameters(wanted.rows));
  if (!wanted.lists.empty()) to.queue(listed_rows, list_parameters(wanted.lists));
  const bool due_rows_wanted = wanted.due_max > 0 && !row_kinds().empty();
  if (wanted.due_max > 0) {
    Parameters most;
    most.number(static_cast<std::int64_t>(wanted.due_max));
    to.queue(due_holds, std::move(most));
  }
  if (due_rows_wanted) {
    Parameters most;
    most.array(row_spaces()).number(static_cast<std::int64_t>(wanted.due_max));
    to.queue(due_rows, std::move(most));
  }
  const auto results = to.run();
  if (!results) return tl::unexpected(results.error());

  Loaded loaded;
  std::vector<HoldFound> spoken_of;
  Reader reader(*results);
  reader.skip();  // begin
  if (!wanted.tokens.empty()) {
    reader.skip();  // claim
    read_outcomes(reader.next(), loaded.tokens, spoken_of);
  }
  if (!wanted.nonces.empty()) read_outcomes(reader.next(), loaded.nonces, spoken_of);
  reader.skip();  // lock_head
  const Result& head = reader.next();
  loaded.head = head_at(head, 0, 0);
  loaded.head.now = instant(head.number(0, 9));
  loaded.half_copied = head.number(0, 11) != 0;
  loaded.window_seq = static_cast<std::uint64_t>(head.number(0, 12));
  if (!wanted.resources.empty()) {
    const Result& found = reader.next();
    for (int row = 0; row < found.rows(); ++row) {
      loaded.resources.push_back({static_cast<std::size_t>(found.number(row, 0) - 1),
                                  static_cast<std::uint64_t>(found.number(row, 1)),
                                  found.number(row, 2), found.number(row, 3)});
    }
    read_holds(reader.next(), loaded.holds);
  }
  if (!wanted.holds.empty()) read_holds(reader.next(), loaded.holds);
  if (!wanted.groups.empty()) read_holds(reader.next(), loaded.holds);
  if (!wanted.rows.empty()) read_rows(reader.next(), loaded.rows);
  if (!wanted.lists.empty()) read_listed(reader.next(), loaded.listed);
  if (wanted.due_max > 0) {
    const Result& due = reader.next();
    for (int row = 0; row < due.rows(); ++row) {
      loaded.due.push_back(static_cast<std::uint64_t>(due.number(row, 0)));
    }
    read_holds(due, loaded.holds);
  }
  if (due_rows_wanted) read_rows(reader.next(), loaded.due_rows);
  // Last: read before the lock, they give way to what was read under it.
  std::move(spoken_of.begin(), spoken_of.end(), std::back_inserter(loaded.holds));
  return loaded;
}

}  // namespace holdfast::postgres
