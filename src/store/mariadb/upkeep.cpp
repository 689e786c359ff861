#include <fmt/format.h>

#include <algorithm>

#include "store/mariadb/account.hpp"
#include "store/mariadb/rows.hpp"
#include "store/mariadb/session.hpp"

// What is done beside the batches: forgetting, saying what is here, and letting accounts in.

namespace holdfast::mariadb {
namespace {

using shared::Expected;
using shared::Fault;
using shared::Time;
using shared::Trouble;

/// Rows that are past their window, by the records they stand for. Those that a batch has claimed
/// are left for the next time: whoever holds the lock of the head waits for nobody.
std::string expired_sql(std::string_view table, Instant now, std::size_t limit) {
  return fmt::format(
      "SELECT seq FROM {} FORCE INDEX(by_forget) WHERE forget_us<={} AND seq IS NOT NULL ORDER BY "
      "forget_us LIMIT {} FOR UPDATE SKIP LOCKED",
      table, now.time_since_epoch().count(), limit);
}

void delete_rows(Script& script, std::string_view table, const std::vector<std::uint64_t>& seqs) {
  const std::string after = fmt::format(
      ") SELECT * FROM w) w STRAIGHT_JOIN {} AS t FORCE INDEX(by_seq) ON t.seq=w.seq", table);
  script.change_rows({"DELETE t FROM (WITH w(seq) AS (VALUES", after}, seqs,
                     [](Values& values, std::uint64_t seq) { values.number(seq); });
}

}  // namespace

Expected<std::size_t> MariadbSession::forget(const Time& time, std::size_t limit) {
  auto forgotten = forget_all(time, limit);
  if (!forgotten) abandon();
  return forgotten;
}

Expected<std::size_t> MariadbSession::forget_all(const Time& time, std::size_t limit) {
  std::optional<Instant> now;
  Script opening;
  begin(opening);
  opening.read(std::string(head_lock_sql), [&](const Row& row) { now = head_of(row, time).now; });
  if (auto done = connection_.run(opening); !done) return tl::unexpected(done.error());
  if (!now) return tl::unexpected(headless());

  std::vector<std::uint64_t> tokens;
  std::vector<std::uint64_t> nonces;
  Script search;
  search.read(expired_sql("state_tokens", *now, limit),
              [&](const Row& row) { tokens.push_back(row.count(0)); });
  search.read(expired_sql("state_nonces", *now, limit),
              [&](const Row& row) { nonces.push_back(row.count(0)); });
  if (auto done = connection_.run(search); !done) return tl::unexpected(done.error());
  if (tokens.empty() && nonces.empty()) {
    abandon();
    return 0;
  }

  Script closing;
  delete_rows(closing, "state_tokens", tokens);
  delete_rows(closing, "state_nonces", nonces);
  // The instant acted upon is kept: what was forgotten at it must not be remembered at an earlier.
  closing.change(
      fmt::format("UPDATE head SET tokens=tokens-{},latest_us=GREATEST(latest_us,{}) WHERE one=1",
                  tokens.size(), now->time_since_epoch().count()),
      1);
  if (auto done = finish(std::move(closing)); !done) return tl::unexpected(done.error());
  return std::max(tokens.size(), nonces.size());
}

Expected<shared::Description> MariadbSession::describe() {
  shared::Description found;
  found.server = connection_.server();
  auto done =
      look("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit,@@GLOBAL.innodb_flush_method",
           [&](const Row& row) {
             const std::int64_t flush = row.number(0);
             const bool to_disk = row.bytes(1) != "nosync" && row.bytes(1) != "littlesync";
             if ((flush == 1 || flush == 3) && to_disk) return;
             const std::string setting =
                 to_disk ? fmt::format("innodb_flush_log_at_trx_commit is {}", flush)
                         : fmt::format("innodb_flush_method is {}", row.bytes(1));
             found.caution = fmt::format(
                 "{} at this server: when {}its power fails, calls that were answered may be lost",
                 setting, flush == 0 ? "it is killed or " : "");
           });
  if (!done) return tl::unexpected(done.error());
  bool is_there = false;
  done = look(
      "SELECT 1 FROM information_schema.tables WHERE table_schema=DATABASE() AND table_name='meta'",
      [&](const Row&) { is_there = true; });
  if (!done) return tl::unexpected(done.error());
  if (!is_there) return found;
  done = look("SELECT name,number,text FROM meta", [&](const Row& row) {
    const std::string_view name = row.bytes(0);
    std::optional<std::int64_t> number;
    if (!row.is_null(1)) number = row.number(1);
    if (name == "schema_version") found.schema_version = static_cast<int>(row.number(1));
    if (name == "digest_function") found.kept.digest_function = row.bytes(2);
    if (name == shared::views_name) found.views = row.bytes(2);
    if (name == shared::copy_mark) found.half_copied = true;
    keep_number(found.kept, name, number);
  });
  if (!done) return tl::unexpected(done.error());
  return found;
}

Expected<void> MariadbSession::mark_copy(bool under_way) {
  return connection_.run(
      under_way
          ? fmt::format("INSERT IGNORE INTO meta(name,number) VALUES ('{}',1)", shared::copy_mark)
          : fmt::format("DELETE FROM meta WHERE name='{}'", shared::copy_mark));
}

Expected<void> MariadbSession::grant(const std::string& service, const std::string& auditor) {
  std::string database;
  auto done = look("SELECT DATABASE()", [&](const Row& row) { database = row.bytes(0); });
  if (!done) return done;
  Script script;
  if (!service.empty()) {
    const auto account = account_sql(service);
    if (!account) return tl::unexpected(account.error());
    for (const std::string& each : service_grants(database, *account)) script.run(each);
  }
  if (!auditor.empty()) {
    const auto account = account_sql(auditor);
    if (!account) return tl::unexpected(account.error());
    script.run(auditor_grant(database, *account));
  }
  return look(script);
}

}  // namespace holdfast::mariadb
