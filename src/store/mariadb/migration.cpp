// Making a store, and bringing one of an older schema to this one. There is no transaction around
// such statements here: each may find its work done already, and the version is written last.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "domain/digest.hpp"
#include "store/mariadb/rows.hpp"
#include "store/mariadb/schema.hpp"
#include "store/mariadb/session.hpp"
#include "store/shared/objections.hpp"
#include "store/views.hpp"

namespace holdfast::mariadb {
namespace {

using shared::Expected;
using shared::Fault;
using shared::Trouble;

/// Held by whoever changes the schema.
constexpr std::string_view take_lock = "SELECT GET_LOCK(CONCAT('holdfast.',MD5(DATABASE())),{})";
constexpr std::string_view give_lock = "DO RELEASE_LOCK(CONCAT('holdfast.',MD5(DATABASE())))";
/// Shorter than the time a connection waits for an answer.
constexpr int patient_lock_wait_seconds = 10;
constexpr int conflicts_max = 10;

/// An upgrade waits for others' transactions, and not for ever.
constexpr const char* patience_sql = "SET SESSION lock_wait_timeout=20";

/// Whoever has chosen this database, but for whoever waits to change its schema, too, and for
/// threads of the server's own. An account sees its own connections, and with PROCESS those of
/// others.
constexpr const char* others_sql =
    "SELECT CONCAT(user,'@',host,' (connection ',id,')') FROM information_schema.processlist "
    "WHERE db=DATABASE() AND id<>CONNECTION_ID() AND user NOT IN ('system user','event_scheduler') "
    "AND COALESCE(info,'') NOT LIKE 'SELECT GET\\_LOCK(CONCAT(''holdfast.''%' ORDER BY id LIMIT 5";

constexpr std::chrono::milliseconds look_again{100};
constexpr int looks = 20;  ///< what has just ended may still be seen

/// What was there stays.
void put_text(Script& script, std::string_view name, std::string_view text) {
  script.run(
      fmt::format("INSERT IGNORE INTO meta(name,text) VALUES ('{}',{})", name, literal(text)));
}

void put_number(Script& script, const KeptNumber& kept) {
  script.run(fmt::format("INSERT IGNORE INTO meta(name,number) VALUES ('{}',{})", kept.name,
                         kept.number ? std::to_string(*kept.number) : "NULL"));
}

void put_version(Script& script) {
  script.run(
      fmt::format("INSERT INTO meta(name,number) VALUES ('schema_version',{0}) ON DUPLICATE "
                  "KEY UPDATE number=GREATEST(number,{0})",
                  shared::schema_version));
}

}  // namespace

/// One node of a server at a time. Nodes at different servers of a cluster may meet: every
/// statement may find its work done, and what is in `meta` is written by a transaction.
template <typename Work>
auto MariadbSession::under_lock(Work work) -> decltype(work()) {
  bool mine = false;
  auto done = look(fmt::format(fmt::runtime(take_lock), patient_lock_wait_seconds),
                   [&](const Row& row) { mine = row.number(0) == 1; });
  if (!done) return tl::unexpected(done.error());
  if (!mine) {
    return tl::unexpected(
        Fault{Trouble::lost, "somebody else has been changing the schema for a while; try again"});
  }
  auto result = work();
  // The lock goes with the connection if it cannot be given back.
  if (!connection_.run(std::string(give_lock))) connection_.give_up();
  return result;
}

Expected<int> MariadbSession::make(const Rules& rules) {
  return under_lock([&] { return make_alone(rules); });
}

Expected<int> MariadbSession::make_alone(const Rules& rules) {
  const auto found = describe();
  if (!found) return tl::unexpected(found.error());
  if (found->schema_version != 0) return found->schema_version;
  if (auto ours = check_tables(); !ours) return tl::unexpected(ours.error());
  if (auto done = run_steps(making(), {}); !done) return tl::unexpected(done.error());
  if (auto done = until_written([&] { return write_rules(rules); }); !done)
    return tl::unexpected(done.error());
  return 0;
}

Expected<void> MariadbSession::run_steps(const std::vector<std::string>& steps,
                                         const StepObserver& before_step) {
  for (const std::string& step : steps) {
    if (before_step) before_step(step);
    if (auto done = connection_.run(step); !done) return done;
  }
  return {};
}

Expected<void> MariadbSession::until_written(const std::function<Expected<void>()>& write) {
  for (int conflicts = 0;; ++conflicts) {
    auto written = write();
    if (written) return written;
    if (written.error().trouble != Trouble::again || conflicts == conflicts_max) return written;
  }
}

/// `meta` is made before the others. Where it is missing and they are not, they are not ours.
Expected<void> MariadbSession::check_tables() {
  std::vector<std::string> there;
  auto done = look("SELECT table_name FROM information_schema.tables WHERE table_schema=DATABASE()",
                   [&](const Row& row) { there.emplace_back(row.bytes(0)); });
  if (!done) return done;
  const auto is_there = [&](std::string_view name) {
    return std::find(there.begin(), there.end(), name) != there.end();
  };
  if (is_there("meta")) return {};
  for (const char* const name : table_names()) {
    if (!is_there(name)) continue;
    return tl::unexpected(Fault{
        Trouble::refused,
        fmt::format("the database has a table {} that is not Holdfast's. Give the name of an empty "
                    "database.",
                    name)});
  }
  return {};
}

/// The version is said last: until then, there is no store. What a store was made with stays.
Expected<void> MariadbSession::write_rules(const Rules& rules) {
  Script script;
  begin(script);
  put_text(script, "digest_function", digest_function);
  for (const KeptNumber& each : kept_numbers(rules)) put_number(script, each);
  for (std::size_t i = 0; i < secret_names.size(); ++i) {
    const auto half = std::bit_cast<std::int64_t>(rules.confirmation_secret[i]);
    put_number(script, {std::string(secret_names[i]), half});
  }
  put_text(script, shared::views_name, views_mark(Dialect::mariadb));
  script.run("INSERT IGNORE INTO head VALUES (1,0,0,0,0,0,0,0,0,0,0)");
  put_version(script);
  return finish(std::move(script));
}

Expected<Upgraded> MariadbSession::upgrade(const StepObserver& before_step) {
  if (auto set = connection_.run(patience_sql); !set) return tl::unexpected(set.error());
  return under_lock([&] { return upgrade_alone(before_step); });
}

Expected<Upgraded> MariadbSession::upgrade_alone(const StepObserver& before_step) {
  const auto found = describe();
  if (!found) return tl::unexpected(found.error());
  if (std::string objection = shared::objection_to_upgrade(*found); !objection.empty())
    return tl::unexpected(Fault{Trouble::refused, std::move(objection)});
  Upgraded upgraded{.schema_before = found->schema_version, .schema = shared::schema_version};
  const bool older = found->schema_version < shared::schema_version;
  const std::string mark = views_mark(Dialect::mariadb);
  const std::vector<KeptNumber> windows = new_windows(found->kept);
  if (!older && found->views == mark && windows.empty()) return upgraded;
  if (older) {
    if (auto nobody = alone(shared::outdated_schema); !nobody)
      return tl::unexpected(nobody.error());
  }
  if (auto done = run_steps(older ? upgrading() : replacing_views(), before_step); !done)
    return tl::unexpected(done.error());
  if (older) {
    auto left = give_rights_to_modules();
    if (!left) return tl::unexpected(left.error());
    upgraded.caution = std::move(*left);
  }
  if (before_step) before_step("version");
  auto done = until_written([&] {
    Script script;
    begin(script);
    for (const KeptNumber& each : windows) put_number(script, each);
    script.run(fmt::format("DELETE FROM meta WHERE name='{}'", shared::views_name));
    put_text(script, shared::views_name, mark);
    put_version(script);
    return finish(std::move(script));
  });
  if (!done) return tl::unexpected(done.error());
  upgraded.views_refreshed = !older;
  return upgraded;
}

Expected<void> MariadbSession::alone(std::string_view why) {
  std::vector<std::string> others;
  for (int each = 0; each < looks; ++each) {
    others.clear();
    auto done = look(others_sql, [&](const Row& row) { others.emplace_back(row.bytes(0)); });
    if (!done || others.empty()) return done;
    std::this_thread::sleep_for(look_again);
  }
  return tl::unexpected(Fault{Trouble::refused, shared::at_work(others, why)});
}

/// What accounts may do with holds they may do with the rows of modules. What is left to do, where
/// this account may not give rights.
Expected<std::string> MariadbSession::give_rights_to_modules() {
  std::vector<std::string> grants;
  auto done = look(
      "SELECT CONCAT('GRANT ',GROUP_CONCAT(privilege_type ORDER BY privilege_type),' ON "
      "module_rows TO ',grantee) FROM information_schema.table_privileges WHERE "
      "table_schema=DATABASE() AND table_name='state_holds' GROUP BY grantee",
      [&](const Row& row) { grants.emplace_back(row.bytes(0)); });
  if (!done) return tl::unexpected(done.error());
  for (const std::string& each : grants) {
    if (auto given = connection_.run(each); given) continue;
    if (connection_.broken())
      return tl::unexpected(Fault{Trouble::lost, "the connection was lost; upgrade again"});
    return fmt::format("an account that may give rights is still to say: {}", each);
  }
  return std::string();
}

}  // namespace holdfast::mariadb
