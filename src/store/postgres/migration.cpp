// Making a store, and bringing one of an older schema to this one: each in one transaction.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <chrono>
#include <thread>

#include "domain/digest.hpp"
#include "store/postgres/rows.hpp"
#include "store/postgres/schema.hpp"
#include "store/shared/objections.hpp"
#include "store/views.hpp"

namespace holdfast::postgres {
namespace {

/// Held by whoever changes the schema; the number is "holdfast" in ASCII.
constexpr const char* lock_schema = "SELECT pg_advisory_xact_lock(7525351979834107764)";

const Statement other_tables{
    "hf_other_tables",
    "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() "
    "AND c.relkind IN ('r', 'p', 'v') AND c.relname IN ('journal', 'head', 'holds', 'resources', "
    "'state_tokens', 'state_nonces', 'state_holds', 'state_resources', 'module_rows')"};
const Statement encoding{"hf_encoding", "SELECT current_setting('server_encoding')"};

/// An upgrade waits for others' transactions, and not for ever.
constexpr const char* patience = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '20s'";

/// Whose the tables are, and where. What is made beside them is to be found and used like them.
const Statement owner{"hf_owner",
                      "SELECT quote_ident(pg_get_userbyid(c.relowner)), quote_ident(n.nspname) "
                      "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                      "WHERE c.oid = 'head'::regclass"};

std::string sessions_sql(const char* condition) {
  return fmt::format(
      "SELECT format('%s from %s (process %s)', coalesce(usename, '?'), "
      "coalesce(host(client_addr), 'a socket'), pid) FROM pg_stat_activity, "
      "LATERAL (SELECT pg_stat_clear_snapshot()) s "
      "WHERE datname = current_database() AND application_name {} "
      "AND pid <> pg_backend_pid() ORDER BY pid LIMIT 5",
      condition);
}

/// Sessions of programs before schema 3 call themselves so, whatever they do.
const Statement old_nodes{"hf_old_nodes", sessions_sql("= 'holdfast'")};
/// Those of any version.
const Statement all_nodes{"hf_all_nodes", sessions_sql("~ '^holdfast(/|$)'")};

/// What roles may do with views goes when these are made again. What they may do with holds they
/// may do with the rows of modules.
const Statement rights{
    "hf_rights",
    "SELECT format('GRANT %s ON %I TO %s%s', a.privilege_type, "
    "CASE c.relkind WHEN 'v' THEN c.relname ELSE 'module_rows' END, "
    "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, "
    "CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) "
    "FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a "
    "WHERE c.relnamespace = current_schema()::regnamespace AND a.grantee <> c.relowner "
    "AND (c.relname = 'state_holds' "
    "OR (c.relkind = 'v' AND c.relname::text = ANY (string_to_array(convert_from($1, 'UTF8'), ' "
    "'))))"};

constexpr std::chrono::milliseconds look_again{100};
constexpr int looks = 20;  ///< what has just ended may still be seen
constexpr int deadlocks_max = 5;

}  // namespace

Expected<int> PostgresSession::make(const Rules& rules) {
  if (auto begun = connection_.script("BEGIN"); !begun) return tl::unexpected(begun.error());
  auto found = make_locked(rules);
  if (!found) {
    abandon();
    return found;
  }
  if (auto done = connection_.script("COMMIT"); !done) return tl::unexpected(done.error());
  return found;
}

/// In a transaction that holds the lock: whoever came second finds nothing left to do.
Expected<int> PostgresSession::make_locked(const Rules& rules) {
  if (auto locked = connection_.script(lock_schema); !locked) return tl::unexpected(locked.error());
  const auto found = describe();
  if (!found) return tl::unexpected(found.error());
  if (found->schema_version != 0) return found->schema_version;
  const auto spelt = ask(encoding);
  if (!spelt) return tl::unexpected(spelt.error());
  if (spelt->bytes(0, 0) != "UTF8" && spelt->bytes(0, 0) != "SQL_ASCII") {
    return tl::unexpected(Fault{
        Trouble::refused, fmt::format("the database's encoding is {}, which cannot show every "
                                      "name. Make one with ENCODING 'UTF8'.",
                                      spelt->bytes(0, 0))});
  }
  const auto others = ask(other_tables);
  if (!others) return tl::unexpected(others.error());
  if (others->number(0, 0) != 0) {
    return tl::unexpected(Fault{Trouble::refused,
                                "this database has tables of these names that are not a "
                                "store's. Give a database, or a schema, of its own."});
  }
  for (const std::string& step : making()) {
    auto done = connection_.script(step);
    if (done) continue;
    if (done.error().message.find("42501") != std::string::npos) {
      done.error().message =
          "this role may not make tables here. Make the store with one that may: holdfast store "
          "init --store postgres://ADMIN@HOST/DATABASE --service-role THIS_ROLE";
    }
    return tl::unexpected(done.error());
  }
  Expected<void> kept = keep("digest_function", std::nullopt, std::string(digest_function));
  for (std::size_t i = 0; i < secret_names.size(); ++i) {
    if (kept)
      kept = keep(secret_names[i], std::bit_cast<std::int64_t>(rules.confirmation_secret[i]));
  }
  for (const KeptNumber& each : kept_numbers(rules)) {
    if (kept) kept = keep(each.name, each.number);
  }
  if (kept) kept = keep(shared::views_name, std::nullopt, views_mark(Dialect::postgres));
  if (kept) kept = keep("schema_version", shared::schema_version);
  if (!kept) return tl::unexpected(kept.error());
  return 0;
}

/// Batches of an old node that nobody saw may meet it, and one of the two gives way.
Expected<Upgraded> PostgresSession::upgrade(const StepObserver& before_step) {
  for (int deadlocks = 0;; ++deadlocks) {
    if (auto begun = connection_.script("BEGIN"); !begun) return tl::unexpected(begun.error());
    auto upgraded = upgrade_locked(before_step);
    if (!upgraded) {
      abandon();
      const std::string& why = upgraded.error().message;
      if (why.find("40P01") != std::string::npos && deadlocks < deadlocks_max) continue;
      if (why.find("55P03") != std::string::npos)
        upgraded.error().message = shared::at_work({"whoever has had a transaction for a while"});
      return upgraded;
    }
    if (before_step) before_step("commit");
    if (auto done = connection_.script("COMMIT"); !done) return tl::unexpected(done.error());
    return upgraded;
  }
}

Expected<Upgraded> PostgresSession::upgrade_locked(const StepObserver& before_step) {
  if (auto set = connection_.script(patience); !set) return tl::unexpected(set.error());
  if (auto locked = connection_.script(lock_schema); !locked) return tl::unexpected(locked.error());
  const auto found = describe();
  if (!found) return tl::unexpected(found.error());
  if (std::string objection = shared::objection_to_upgrade(*found); !objection.empty())
    return tl::unexpected(Fault{Trouble::refused, std::move(objection)});
  Upgraded upgraded{.schema_before = found->schema_version, .schema = shared::schema_version};
  const bool older = found->schema_version < shared::schema_version;
  const std::string mark = views_mark(Dialect::postgres);
  const std::vector<KeptNumber> windows = new_windows(found->kept);
  if (!older && found->views == mark && windows.empty()) return upgraded;
  if (older) {
    if (auto gone = wait_until_gone(old_nodes, shared::outdated_schema); !gone)
      return tl::unexpected(gone.error());
  }
  if (auto owning = work_as_owner(); !owning) return tl::unexpected(owning.error());
  const auto rights = rights_to_give_again();
  if (!rights) return tl::unexpected(rights.error());
  std::vector<std::string> steps = older ? upgrading() : std::vector{replacing_views()};
  steps.insert(steps.end(), rights->begin(), rights->end());
  for (const std::string& step : steps) {
    if (before_step) before_step(step);
    auto done = connection_.script(step);
    if (done) continue;
    if (done.error().message.find("2BP01") != std::string::npos)
      done.error().message =
          "views that are not the store's are made of those that are, and stand in the way. Drop "
          "them, upgrade, and make them again.";
    return tl::unexpected(done.error());
  }
  Expected<void> kept = keep(shared::views_name, std::nullopt, mark);
  for (const KeptNumber& each : windows) {
    if (kept) kept = keep(each.name, each.number);
  }
  if (kept) kept = keep("schema_version", shared::schema_version);
  if (!kept) return tl::unexpected(kept.error());
  upgraded.views_refreshed = !older;
  return upgraded;
}

Expected<void> PostgresSession::alone(std::string_view why) {
  return wait_until_gone(all_nodes, why);
}

Expected<void> PostgresSession::wait_until_gone(const Statement& sessions, std::string_view why) {
  std::vector<std::string> others;
  for (int look = 0; look < looks; ++look) {
    const auto found = ask(sessions);
    if (!found) return tl::unexpected(found.error());
    if (found->rows() == 0) return {};
    others.clear();
    for (int row = 0; row < found->rows(); ++row) others.emplace_back(found->bytes(row, 0));
    std::this_thread::sleep_for(look_again);
  }
  return tl::unexpected(Fault{Trouble::refused, shared::at_work(others, why)});
}

/// The path first: what a name means may depend on the role.
Expected<void> PostgresSession::work_as_owner() {
  const auto found = ask(owner);
  if (!found) return tl::unexpected(found.error());
  if (found->rows() != 1) return tl::unexpected(Fault{Trouble::refused, "the head is missing"});
  auto done = connection_.script(fmt::format("SET LOCAL search_path = {}; SET LOCAL ROLE {}",
                                             found->bytes(0, 1), found->bytes(0, 0)));
  if (!done && done.error().message.find("42501") != std::string::npos) {
    done.error().message = fmt::format(
        "the tables belong to the role {}, and this one may not act for it. Do it with that "
        "role.",
        found->bytes(0, 0));
  }
  return done;
}

Expected<std::vector<std::string>> PostgresSession::rights_to_give_again() {
  Parameters names;
  const std::string all = fmt::format("{}", fmt::join(view_names(), " "));
  names.bytes(std::string_view(all));
  const auto found = ask(rights, std::move(names));
  if (!found) return tl::unexpected(found.error());
  std::vector<std::string> grants;
  for (int row = 0; row < found->rows(); ++row) grants.emplace_back(found->bytes(row, 0));
  return grants;
}

}  // namespace holdfast::postgres
