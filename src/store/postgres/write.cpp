// The second round trip of a batch: everything that was decided, and the commit. Each statement
// that must find rows says how many, and the server stops the transaction if it does not.

#include <fmt/format.h>

#include <bit>

#include "store/postgres/rows.hpp"

namespace holdfast::postgres {
namespace {

/// Each column comes as an array; numbers are all bigint on the way.
std::string insert_records_sql() {
  std::string arrays;
  std::string values;
  for (int i = 0; i < journal::column_count; ++i) {
    const journal::Column& column = journal::column(i);
    const std::string_view comma = i == 0 ? "" : ", ";
    arrays += fmt::format("{}${}::{}[]", comma, i + 1, column.is_number() ? "bigint" : "bytea");
    values += fmt::format("{}{}{}", comma, column.name,
                          column.type == layout::Type::code ? "::smallint" : "");
  }
  return fmt::format("INSERT INTO journal({0}) SELECT {1} FROM unnest({2}) AS w({0})",
                     journal::columns(), values, arrays);
}

const Statement insert_records{"hf_insert_records", insert_records_sql()};

/// A row that is there already is an error of the primary key: the batch is decided anew.
std::string insert_outcomes_sql(const char* table) {
  return fmt::format(
      "INSERT INTO {} SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[])",
      table);
}

/// Of rows whose window is over; nobody else may have replaced or forgotten them.
std::string replace_outcomes_sql(const char* table, const char* key) {
  return fmt::format(
      "WITH done AS (UPDATE {0} t SET seq = w.seq, forget_us = w.forget_us "
      "FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[]) "
      "AS w(tenant, key, seq, forget_us, replaces) "
      "WHERE t.tenant = w.tenant AND t.{1} = w.key AND t.seq = w.replaces RETURNING 1) "
      "SELECT holdfast_expect((SELECT count(*) FROM done), $6::bigint)",
      table, key);
}

const Statement insert_tokens{"hf_insert_tokens", insert_outcomes_sql("state_tokens")};
const Statement replace_tokens{"hf_replace_tokens", replace_outcomes_sql("state_tokens", "token")};
const Statement insert_nonces{"hf_insert_nonces", insert_outcomes_sql("state_nonces")};
const Statement replace_nonces{"hf_replace_nonces", replace_outcomes_sql("state_nonces", "nonce")};

const Statement insert_resources{
    "hf_insert_resources",
    "INSERT INTO state_resources SELECT id, tenant, name, capacity, occupied, declared <> 0 "
    "FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], "
    "$6::bigint[]) AS w(id, tenant, name, capacity, occupied, declared)"};

const Statement change_resources{
    "hf_change_resources",
    "WITH done AS (UPDATE state_resources r SET occupied = r.occupied + w.occupied_by, "
    "capacity = coalesce(w.capacity, r.capacity), "
    "declared = r.declared OR w.capacity IS NOT NULL "
    "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS w(id, occupied_by, capacity) "
    "WHERE r.id = w.id RETURNING 1) "
    "SELECT holdfast_expect((SELECT count(*) FROM done), $4::bigint)"};

const Statement insert_holds{
    "hf_insert_holds",
    "INSERT INTO state_holds (ordinal, salt, tenant, resource_id, requester, quantity, state, "
    "placed_us, expires_us, placed_seq, group_ordinal, group_salt, group_size) "
    "SELECT ordinal, salt, tenant, resource_id, requester, quantity, 1, placed_us, expires_us, "
    "placed_seq, group_ordinal, group_salt, group_size "
    "FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[], "
    "$6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], "
    "$12::bigint[]) AS w(ordinal, salt, tenant, resource_id, requester, quantity, placed_us, "
    "expires_us, placed_seq, group_ordinal, group_salt, group_size)"};

/// Only what still is what the batch was decided on.
const Statement change_holds{
    "hf_change_holds",
    "WITH done AS (UPDATE state_holds h SET state = w.state::smallint, "
    "resolved_us = w.resolved_us, expires_us = w.expires_us, confirmed = w.confirmed, "
    "cancelled = w.cancelled, changed_seq = w.changed_seq, "
    "first_expires_us = nullif(w.first_expires_us, w.expires_us) "
    "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], "
    "$6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[]) AS w(ordinal, was, "
    "was_changed_seq, state, resolved_us, expires_us, confirmed, cancelled, changed_seq, "
    "first_expires_us) "
    "WHERE h.ordinal = w.ordinal AND h.state = w.was AND h.changed_seq = w.was_changed_seq "
    "RETURNING 1) SELECT holdfast_expect((SELECT count(*) FROM done), $11::bigint)"};

const Statement insert_rows{
    "hf_insert_rows",
    "INSERT INTO module_rows (space, tenant, key, version, parent, position, due_us, value) "
    "SELECT space::smallint, tenant, key, version, parent, position, due_us, value "
    "FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[], $6::bigint[], "
    "$7::bigint[], $8::bytea[]) "
    "AS w(space, tenant, key, version, parent, position, due_us, value)"};

/// Only what still is what the batch was decided on.
const Statement change_module_rows{
    "hf_change_rows",
    "WITH done AS (UPDATE module_rows m SET version = w.version, parent = w.parent, "
    "position = w.position, due_us = w.due_us, value = w.value "
    "FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[], $6::bigint[], "
    "$7::bigint[], $8::bytea[], $9::bigint[]) "
    "AS w(space, tenant, key, version, parent, position, due_us, value, was) "
    "WHERE m.space = w.space AND m.tenant = w.tenant AND m.key = w.key AND m.version = w.was "
    "RETURNING 1) SELECT holdfast_expect((SELECT count(*) FROM done), $10::bigint)"};

/// Likewise.
const Statement remove_rows{
    "hf_remove_rows",
    "WITH done AS (DELETE FROM module_rows m USING unnest($1::bigint[], $2::bytea[], $3::bytea[], "
    "$4::bigint[]) AS w(space, tenant, key, was) WHERE m.space = w.space AND m.tenant = w.tenant "
    "AND m.key = w.key AND m.version = w.was RETURNING 1) "
    "SELECT holdfast_expect((SELECT count(*) FROM done), $5::bigint)"};

const Statement move_head{
    "hf_move_head",
    "WITH done AS (UPDATE head SET seq = $1, chain = $2, latest_us = $3, ordinal = $4, live = $5, "
    "confirmed = $6, released = $7, expired = $8, tokens = $9, resources = $10 "
    "WHERE seq = $11 RETURNING 1) SELECT holdfast_expect((SELECT count(*) FROM done), 1)"};

class Columns {
 public:
  explicit Columns(std::size_t rows) : rows_(rows) {}

  /// One array of numbers, of each item what `of` says.
  template <typename Items, typename Of>
  Columns& numbers(const Items& items, Of of) {
    NumberArray array(rows_);
    for (const auto& each : items) array.add(of(each));
    parameters_.array(array.take());
    return *this;
  }

  template <typename Items, typename Of>
  Columns& bytes(const Items& items, Of of) {
    BytesArray array(rows_);
    for (const auto& each : items) array.add(of(each));
    parameters_.array(array.take());
    return *this;
  }

  template <typename Items, typename Of>
  Columns& bytes_or_null(const Items& items, Of of) {
    BytesArray array(rows_);
    for (const auto& each : items) array.add_or_null(of(each));
    parameters_.array(array.take());
    return *this;
  }

  Columns& count() {
    parameters_.number(static_cast<std::int64_t>(rows_));
    return *this;
  }

  Parameters take() { return std::move(parameters_); }

 private:
  const std::size_t rows_;
  Parameters parameters_;
};

/// Collects records, row by row, into an array for each column.
class JournalArrays {
 public:
  explicit JournalArrays(std::size_t rows)
      : numbers_(journal::column_count, NumberArray(rows)),
        bytes_(journal::column_count, BytesArray(rows)) {}
  void number(int column, std::optional<std::int64_t> value) {
    numbers_[static_cast<std::size_t>(column)].add(value);
  }
  void bytes(int column, std::string_view value) {
    bytes_[static_cast<std::size_t>(column)].add_or_null(value);
  }
  Parameters take() {
    Parameters parameters;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      parameters.array(layout::columns.at(i).is_number() ? numbers_[i].take() : bytes_[i].take());
    }
    return parameters;
  }

 private:
  std::vector<NumberArray> numbers_;  ///< of the columns that are numbers
  std::vector<BytesArray> bytes_;     ///< of the others
};

Parameters record_parameters(const Changes& changes) {
  JournalArrays arrays(changes.records->size());
  std::size_t at = 0;
  for (const Record& each : *changes.records) journal::write(arrays, each, changes.checksums[at++]);
  return arrays.take();
}

using Outcomes = std::vector<Changes::Outcome>;
using KeyOf = std::string_view (*)(const Changes::Outcome&);

std::string_view token_of(const Changes::Outcome& each) { return each.record->token; }
std::string_view nonce_of(const Changes::Outcome& each) { return each.record->nonce; }

Columns outcome_columns(const Outcomes& outcomes, KeyOf key) {
  using O = const Changes::Outcome&;
  Columns columns(outcomes.size());
  columns.bytes(outcomes, [](O each) -> std::string_view { return each.record->tenant; })
      .bytes(outcomes, key)
      .numbers(outcomes, [](O each) { return number(each.record->seq); })
      .numbers(outcomes, [](O each) -> std::optional<std::int64_t> {
        return each.forgotten_at == never ? std::nullopt : std::optional(us(each.forgotten_at));
      });
  return columns;
}

void queue_outcomes(Connection& to, const Outcomes& outcomes, KeyOf key, const Statement& insert,
                    const Statement& replace) {
  Outcomes fresh;
  Outcomes again;
  for (const Changes::Outcome& each : outcomes)
    (each.replaces == 0 ? fresh : again).push_back(each);
  if (!fresh.empty()) to.queue(insert, outcome_columns(fresh, key).take());
  if (again.empty()) return;
  to.queue(replace,
           outcome_columns(again, key)
               .numbers(again, [](const Changes::Outcome& each) { return number(each.replaces); })
               .count()
               .take());
}

void queue_resources(Connection& to, const Changes& changes) {
  const auto& fresh = changes.new_resources;
  using N = const Changes::NewResource&;
  if (!fresh.empty()) {
    to.queue(insert_resources, Columns(fresh.size())
                                   .numbers(fresh, [](N each) { return number(each.id); })
                                   .bytes(fresh, [](N each) { return each.tenant; })
                                   .bytes(fresh, [](N each) { return each.name; })
                                   .numbers(fresh, [](N each) { return each.capacity; })
                                   .numbers(fresh, [](N each) { return each.occupied; })
                                   .numbers(fresh, [](N each) { return each.declared ? 1 : 0; })
                                   .take());
  }
  const auto& changed = changes.changed_resources;
  using C = const Changes::ChangedResource&;
  if (changed.empty()) return;
  to.queue(change_resources, Columns(changed.size())
                                 .numbers(changed, [](C each) { return number(each.id); })
                                 .numbers(changed, [](C each) { return each.occupied_by; })
                                 .numbers(changed, [](C each) { return each.capacity; })
                                 .count()
                                 .take());
}

std::optional<std::int64_t> group_number(const Changes::NewHold& hold,
                                         std::uint64_t HoldId::*member) {
  if (hold.group == nullptr) return std::nullopt;
  return number(hold.group->hold.*member);
}

void queue_holds(Connection& to, const Changes& changes) {
  const auto& fresh = changes.new_holds;
  using N = const Changes::NewHold&;
  if (!fresh.empty()) {
    to.queue(insert_holds,
             Columns(fresh.size())
                 .numbers(fresh, [](N each) { return number(each.placed->hold.ordinal); })
                 .numbers(fresh, [](N each) { return number(each.placed->hold.salt); })
                 .bytes(fresh, [](N each) -> std::string_view { return each.placed->tenant; })
                 .numbers(fresh, [](N each) { return number(each.resource_id); })
                 .bytes(fresh, [](N each) -> std::string_view { return each.placed->requester; })
                 .numbers(fresh, [](N each) { return each.placed->quantity; })
                 .numbers(fresh, [](N each) { return us(each.placed->at); })
                 .numbers(fresh, [](N each) { return us(each.placed->expires_at); })
                 .numbers(fresh, [](N each) { return number(each.placed->seq); })
                 .numbers(fresh, [](N each) { return group_number(each, &HoldId::ordinal); })
                 .numbers(fresh, [](N each) { return group_number(each, &HoldId::salt); })
                 .numbers(fresh,
                          [](N each) {
                            return each.group == nullptr ? std::optional<std::int64_t>()
                                                         : std::optional(each.group->count);
                          })
                 .take());
  }
  const auto& changed = changes.changed_holds;
  using C = const Changes::ChangedHold&;
  if (changed.empty()) return;
  to.queue(change_holds,
           Columns(changed.size())
               .numbers(changed, [](C each) { return number(each.hold.id.ordinal); })
               .numbers(changed, [](C each) { return static_cast<std::int64_t>(each.was); })
               .numbers(changed, [](C each) { return number(each.was_changed_seq); })
               .numbers(changed, [](C each) { return static_cast<std::int64_t>(each.hold.state); })
               .numbers(changed,
                        [](C each) {
                          const bool held = each.hold.state == HoldState::held;
                          return held ? std::nullopt : std::optional(us(each.hold.resolved_at));
                        })
               .numbers(changed, [](C each) { return us(each.hold.expires_at); })
               .numbers(changed, [](C each) { return each.hold.confirmed; })
               .numbers(changed, [](C each) { return each.hold.cancelled; })
               .numbers(changed, [](C each) { return number(each.hold.changed_seq); })
               .numbers(changed, [](C each) { return us(each.hold.first_expires_at); })
               .count()
               .take());
}

Columns row_columns(const std::vector<Changes::Row>& rows) {
  using R = const Changes::Row&;
  Columns columns(rows.size());
  columns.numbers(rows, [](R each) { return static_cast<std::int64_t>(each.name.space); })
      .bytes(rows, [](R each) -> std::string_view { return each.name.tenant; })
      .bytes(rows, [](R each) -> std::string_view { return each.name.key; })
      .numbers(rows, [](R each) { return number(each.version); })
      .bytes_or_null(rows, [](R each) -> std::string_view { return each.index.parent; })
      .numbers(rows, [](R each) { return each.index.position; })
      .numbers(
          rows,
          [](R each) { return each.index.due ? std::optional(us(*each.index.due)) : std::nullopt; })
      .bytes(rows, [](R each) -> std::string_view { return each.value; });
  return columns;
}

void queue_rows(Connection& to, const Changes& changes) {
  const auto& fresh = changes.new_rows;
  if (!fresh.empty()) to.queue(insert_rows, row_columns(fresh).take());
  const auto& changed = changes.changed_rows;
  if (!changed.empty()) {
    to.queue(change_module_rows,
             row_columns(changed)
                 .numbers(changed, [](const Changes::Row& each) { return number(each.was); })
                 .count()
                 .take());
  }
  const auto& removed = changes.removed_rows;
  using R = const Changes::RemovedRow&;
  if (removed.empty()) return;
  to.queue(remove_rows,
           Columns(removed.size())
               .numbers(removed, [](R each) { return static_cast<std::int64_t>(each.name.space); })
               .bytes(removed, [](R each) -> std::string_view { return each.name.tenant; })
               .bytes(removed, [](R each) -> std::string_view { return each.name.key; })
               .numbers(removed, [](R each) { return number(each.was); })
               .count()
               .take());
}

Parameters head_parameters(const Head& head, std::uint64_t before) {
  const Counts& counts = head.counts;
  Parameters parameters;
  parameters.number(number(head.seq)).number(std::bit_cast<std::int64_t>(head.chain));
  parameters.number(us(head.now)).number(number(counts.holds)).number(number(counts.live_holds));
  parameters.number(number(counts.confirmed_holds)).number(number(counts.released_holds));
  parameters.number(number(counts.expired_holds)).number(number(counts.live_tokens));
  parameters.number(number(counts.resources)).number(number(before));
  return parameters;
}

}  // namespace

Expected<void> PostgresSession::write(const Changes& changes) {
  Connection& to = connection_;
  to.queue(insert_records, record_parameters(changes));
  queue_outcomes(to, changes.tokens, token_of, insert_tokens, replace_tokens);
  queue_outcomes(to, changes.nonces, nonce_of, insert_nonces, replace_nonces);
  queue_resources(to, changes);
  queue_holds(to, changes);
  queue_rows(to, changes);
  to.queue(move_head, head_parameters(changes.head, changes.records->front().seq - 1));
  return commit_nothing();
}

/// The lock of the head has made this a transaction that writes: its commit waits for the disk, and
/// for a standby, and for all that was written before it.
Expected<void> PostgresSession::commit_nothing() {
  connection_.queue(commit);
  const auto done = connection_.run(true);
  if (!done) return tl::unexpected(done.error());
  return {};
}

}  // namespace holdfast::postgres
