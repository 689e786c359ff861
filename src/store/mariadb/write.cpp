#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/assert.hpp"
#include "store/mariadb/rows.hpp"
#include "store/mariadb/session.hpp"

// What a batch does. Every statement says how many rows it has to change, and the transaction is
// committed only when all of them did.

namespace holdfast::mariadb {
namespace {

using shared::Changes;
using shared::Expected;

// The primary key is named wherever rows are found by it: a condition on `seq` would lead to its
// index, where everybody's claims stand side by side.

/// Quicker than an update. What was no claim any more would be counted as one row or none.
constexpr Frame fill_claims_frame{
    "INSERT INTO state_tokens(tenant,token,seq,forget_us) VALUES",
    "ON DUPLICATE KEY UPDATE forget_us=IF(seq IS NULL,VALUES(forget_us),forget_us),"
    "seq=IF(seq IS NULL,VALUES(seq),seq)",
    2};

constexpr Frame old_tokens_frame{
    "UPDATE (WITH w(tenant,token,replaces,seq,forget_us) AS (VALUES",
    ") SELECT * FROM w) w STRAIGHT_JOIN state_tokens t FORCE INDEX(PRIMARY) ON t.tenant=w.tenant "
    "AND t.token=w.token SET t.seq=w.seq,t.forget_us=w.forget_us WHERE t.seq=w.replaces"};

constexpr Frame drop_claims_frame{
    "DELETE t FROM (WITH w(tenant,token) AS (VALUES",
    ") SELECT * FROM w) w STRAIGHT_JOIN state_tokens AS t FORCE INDEX(PRIMARY) ON "
    "t.tenant=w.tenant AND t.token=w.token WHERE t.seq IS NULL"};

constexpr Frame new_nonces_frame{"INSERT INTO state_nonces(tenant,nonce,seq,forget_us) VALUES", ""};

constexpr Frame old_nonces_frame{
    "UPDATE (WITH w(tenant,nonce,replaces,seq,forget_us) AS (VALUES",
    ") SELECT * FROM w) w STRAIGHT_JOIN state_nonces n FORCE INDEX(PRIMARY) ON n.tenant=w.tenant "
    "AND n.nonce=w.nonce SET n.seq=w.seq,n.forget_us=w.forget_us WHERE n.seq=w.replaces"};

constexpr Frame new_resources_frame{
    "INSERT INTO state_resources(id,tenant,name,capacity,occupied,declared) VALUES", ""};

constexpr Frame changed_resources_frame{
    "UPDATE (WITH w(id,occupied_by,capacity) AS (VALUES",
    ") SELECT * FROM w) w STRAIGHT_JOIN state_resources r FORCE INDEX(PRIMARY) ON r.id=w.id SET "
    "r.occupied=r.occupied+w.occupied_by,r.declared=IF(w.capacity IS NULL,r.declared,1),"
    "r.capacity=COALESCE(w.capacity,r.capacity)"};

constexpr Frame new_holds_frame{
    "INSERT INTO state_holds(ordinal,salt,tenant,resource_id,requester,quantity,state,placed_us,"
    "expires_us,placed_seq,group_ordinal,group_salt,group_size) VALUES",
    ""};

/// Only what still is what the batch was decided on. Every row changes: at least its state, or the
/// record that changed it last.
constexpr Frame changed_holds_frame{
    "UPDATE (WITH w(ordinal,was,was_changed_seq,state,resolved_us,expires_us,confirmed,cancelled,"
    "changed_seq,first_expires_us) AS (VALUES",
    ") SELECT * FROM w) w STRAIGHT_JOIN state_holds h FORCE INDEX(PRIMARY) ON h.ordinal=w.ordinal "
    "SET h.state=w.state,h.resolved_us=IF(w.state=1,NULL,w.resolved_us),h.expires_us=w.expires_us,"
    "h.confirmed=w.confirmed,h.cancelled=w.cancelled,h.changed_seq=w.changed_seq,"
    "h.first_expires_us=NULLIF(w.first_expires_us,w.expires_us) "
    "WHERE h.state=w.was AND h.changed_seq=w.was_changed_seq"};

constexpr Frame new_rows_frame{
    "INSERT INTO module_rows(space,tenant,`key`,version,parent,position,due_us,value) VALUES", ""};

/// Likewise: a row's version changes with it.
constexpr Frame changed_rows_frame{
    "UPDATE (WITH w(space,tenant,k,was,version,parent,position,due_us,value) AS (VALUES",
    ") SELECT * FROM w) w STRAIGHT_JOIN module_rows m FORCE INDEX(PRIMARY) ON m.space=w.space AND "
    "m.tenant=w.tenant AND m.`key`=w.k SET m.version=w.version,m.parent=w.parent,"
    "m.position=w.position,m.due_us=w.due_us,m.value=w.value WHERE m.version=w.was"};

constexpr Frame removed_rows_frame{
    "DELETE m FROM (WITH w(space,tenant,k,was) AS (VALUES",
    ") SELECT * FROM w) w STRAIGHT_JOIN module_rows AS m FORCE INDEX(PRIMARY) ON m.space=w.space "
    "AND m.tenant=w.tenant AND m.`key`=w.k WHERE m.version=w.was"};

void write_journal(Script& script, const Changes& changes) {
  static const std::string insert =
      fmt::format("INSERT INTO journal({}) VALUES", journal::columns());
  std::size_t at = 0;
  script.change_rows({insert, ""}, *changes.records, [&](Values& values, const Record& record) {
    write_record(values, record, changes.checksums[at++]);
  });
}

/// Outcomes of what had none, and of what had one whose window is over.
struct Outcomes {
  std::vector<Changes::Outcome> fresh;
  std::vector<Changes::Outcome> replacing;
};

Outcomes sorted_out(const std::vector<Changes::Outcome>& all) {
  Outcomes outcomes;
  for (const Changes::Outcome& each : all)
    (each.replaces == 0 ? outcomes.fresh : outcomes.replacing).push_back(each);
  return outcomes;
}

/// `name` is the member of a record that is a key here: its token, or its nonce.
void write_outcomes(Script& script, const std::vector<Changes::Outcome>& all,
                    std::string Record::*name, const Frame& fresh, const Frame& replacing) {
  const Outcomes outcomes = sorted_out(all);
  script.change_rows(fresh, outcomes.fresh, [&](Values& values, const Changes::Outcome& each) {
    values.bytes(each.record->tenant)
        .bytes(each.record->*name)
        .number(each.record->seq)
        .instant(each.forgotten_at);
  });
  script.change_rows(replacing, outcomes.replacing,
                     [&](Values& values, const Changes::Outcome& each) {
                       values.bytes(each.record->tenant)
                           .bytes(each.record->*name)
                           .number(each.replaces)
                           .number(each.record->seq)
                           .instant(each.forgotten_at);
                     });
}

void write_resources(Script& script, const Changes& changes) {
  script.change_rows(new_resources_frame, changes.new_resources,
                     [](Values& values, const Changes::NewResource& each) {
                       values.number(each.id)
                           .bytes(each.tenant)
                           .bytes(each.name)
                           .number(each.capacity)
                           .number(each.occupied)
                           .number(std::int64_t{each.declared});
                     });
  script.change_rows(changed_resources_frame, changes.changed_resources,
                     [](Values& values, const Changes::ChangedResource& each) {
                       values.number(each.id).number(each.occupied_by);
                       each.capacity ? values.number(*each.capacity) : values.null();
                     });
}

/// A hold that is placed and resolved in one batch is placed, and then resolved.
void write_holds(Script& script, const Changes& changes) {
  script.change_rows(new_holds_frame, changes.new_holds,
                     [](Values& values, const Changes::NewHold& each) {
                       const Record& placed = *each.placed;
                       values.number(placed.hold.ordinal)
                           .number(placed.hold.salt)
                           .bytes(placed.tenant)
                           .number(each.resource_id)
                           .bytes(placed.requester)
                           .number(placed.quantity)
                           .number(static_cast<std::int64_t>(HoldState::held))
                           .instant(placed.at)
                           .instant(placed.expires_at)
                           .number(placed.seq);
                       if (each.group == nullptr) {
                         values.null().null().null();
                       } else {
                         const HoldId& group = each.group->hold;
                         values.number(group.ordinal).number(group.salt).number(each.group->count);
                       }
                     });
  script.change_rows(changed_holds_frame, changes.changed_holds,
                     [](Values& values, const Changes::ChangedHold& each) {
                       const HoldRow& hold = each.hold;
                       values.number(hold.id.ordinal)
                           .number(static_cast<std::int64_t>(each.was))
                           .number(each.was_changed_seq)
                           .number(static_cast<std::int64_t>(hold.state))
                           .instant(hold.resolved_at)
                           .instant(hold.expires_at)
                           .number(hold.confirmed)
                           .number(hold.cancelled)
                           .number(hold.changed_seq)
                           .instant(hold.first_expires_at);
                     });
}

void write_row(Values& values, const Changes::Row& row) {
  values.number(static_cast<std::int64_t>(row.name.space))
      .bytes(row.name.tenant)
      .bytes(row.name.key);
  if (row.was != 0) values.number(row.was);
  values.number(row.version).bytes_or_null(row.index.parent).number(row.index.position);
  row.index.due ? values.instant(*row.index.due) : values.null();
  values.bytes(row.value);
}

/// The server cuts what is longer than 65,535 bytes in a list of values that it joins with a table.
/// Such a row has a statement of its own.
constexpr std::size_t joined_bytes_max = 60'000;

void change_long_row(Script& script, const Changes::Row& row) {
  const auto null = [](bool unset, std::string text) { return unset ? "NULL" : std::move(text); };
  const std::string due =
      row.index.due ? std::to_string(row.index.due->time_since_epoch().count()) : "NULL";
  script.change(
      fmt::format("UPDATE module_rows SET version={},parent={},position={},due_us={},value={} "
                  "WHERE space={} AND tenant={} AND `key`={} AND version={}",
                  row.version, null(row.index.parent.empty(), literal(row.index.parent)),
                  row.index.position, due, literal(row.value), static_cast<int>(row.name.space),
                  literal(row.name.tenant), literal(row.name.key), row.was),
      1);
}

void write_changed_rows(Script& script, const std::vector<Changes::Row>& rows) {
  const auto is_long = [](const Changes::Row& row) { return row.value.size() > joined_bytes_max; };
  if (std::none_of(rows.begin(), rows.end(), is_long))
    return script.change_rows(changed_rows_frame, rows, write_row);
  std::vector<Changes::Row> joined;
  for (const Changes::Row& each : rows)
    is_long(each) ? change_long_row(script, each) : joined.push_back(each);
  script.change_rows(changed_rows_frame, joined, write_row);
}

void write_module_rows(Script& script, const Changes& changes) {
  script.change_rows(new_rows_frame, changes.new_rows, write_row);
  write_changed_rows(script, changes.changed_rows);
  script.change_rows(removed_rows_frame, changes.removed_rows,
                     [](Values& values, const Changes::RemovedRow& each) {
                       values.number(static_cast<std::int64_t>(each.name.space))
                           .bytes(each.name.tenant)
                           .bytes(each.name.key)
                           .number(each.was);
                     });
}

void write_head(Script& script, const Changes& changes) {
  const shared::Head& head = changes.head;
  const Counts& counts = head.counts;
  script.change(
      fmt::format("UPDATE head SET seq={},chain={},latest_us={},ordinal={},live={},confirmed={},"
                  "released={},expired={},tokens={},resources={} WHERE one=1 AND seq={}",
                  head.seq, std::bit_cast<std::int64_t>(head.chain),
                  head.now.time_since_epoch().count(), counts.holds, counts.live_holds,
                  counts.confirmed_holds, counts.released_holds, counts.expired_holds,
                  counts.live_tokens, counts.resources, changes.records->front().seq - 1),
      1);
}

}  // namespace

/// Each claim gets its outcome here, or goes: together these are all there are, and the counts of
/// both statements are checked, so that no claim outlives its transaction.
void MariadbSession::write_tokens(Script& script, const Changes& changes) const {
  std::vector<bool> filled(claims_.size());
  for (const Changes::Outcome& each : changes.tokens) {
    const Claim claim{each.record->tenant, each.record->token};
    const auto found = std::lower_bound(claims_.begin(), claims_.end(), claim);
    const bool fresh = found != claims_.end() && *found == claim;
    HOLDFAST_ASSERT(fresh == (each.replaces == 0));
    if (fresh) filled[static_cast<std::size_t>(found - claims_.begin())] = true;
  }
  write_outcomes(script, changes.tokens, &Record::token, fill_claims_frame, old_tokens_frame);
  std::vector<Claim> left;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    if (!filled[i]) left.push_back(claims_[i]);
  }
  script.change_rows(drop_claims_frame, left, [](Values& values, const Claim& claim) {
    values.bytes(claim.tenant).bytes(claim.token);
  });
}

Expected<void> MariadbSession::write(const Changes& changes) {
  HOLDFAST_ASSERT(in_transaction_);
  Script script;
  write_journal(script, changes);
  write_tokens(script, changes);
  write_outcomes(script, changes.nonces, &Record::nonce, new_nonces_frame, old_nonces_frame);
  write_resources(script, changes);
  write_holds(script, changes);
  write_module_rows(script, changes);
  write_head(script, changes);
  return finish(std::move(script));
}

/// Claims go: nothing came of them. The head is written, or the commit would have nothing to wait
/// for: what is waited for with it is all that was written before.
Expected<void> MariadbSession::commit_nothing() {
  HOLDFAST_ASSERT(in_transaction_);
  Script script;
  write_tokens(script, {});
  script.change("UPDATE head SET latest_us=latest_us+1 WHERE one=1", 1);
  return finish(std::move(script));
}

}  // namespace holdfast::mariadb
