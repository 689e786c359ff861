// Upgrading a store that several nodes share: nobody of the old version may be at work on it, and
// whoever is all the same can do no harm. What roles may do, they may do afterwards.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "store/open.hpp"
#include "store/views.hpp"
#include "support/old_stores.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"
#include "support/servers/sql_connection.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Upgrades : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static bool postgres() { return GetParam() == "postgres"; }
  [[nodiscard]] static DatabaseServer& server() {
    return postgres() ? PostgresServer::shared() : MariadbServer::shared();
  }
  [[nodiscard]] SqlRows inside(const std::string& sql) const {
    return SqlConnection(old_.store()).execute(sql);
  }
  [[nodiscard]] int schema() const {
    const auto status = store_status(old_.store());
    return status ? status->schema : 0;
  }
  [[nodiscard]] std::string database() const {
    return old_.store().substr(old_.store().rfind('/') + 1);
  }
  /// For whoever gives rights.
  [[nodiscard]] std::string as_admin() const {
    std::string url = old_.store();
    return url.replace(url.find("holdfast:"), 9, "admin:");
  }
  /// As nodes of schema 2 call themselves; or, in PostgreSQL, one that was told another name.
  [[nodiscard]] std::string old_node(const std::string& name = "holdfast") const {
    return old_.store() + (postgres() ? "?application_name=" + name : "");
  }
  void expect_upgraded() const {
    const auto upgraded = upgrade_store({.store = old_.store()});
    ASSERT_TRUE(upgraded) << upgraded.error().message;
    EXPECT_EQ(upgraded->schema_before, 2);
    EXPECT_EQ(schema(), 3);
  }

  const OldStore old_{{2, GetParam()}};
};

TEST_P(Upgrades, are_refused_while_a_node_of_the_old_version_is_connected) {
  {
    SqlConnection node(old_node());
    (void)node.execute("SELECT seq FROM head");
    const auto refused = upgrade_store({.store = old_.store()});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr("at work"), HasSubstr("holdfast"), HasSubstr("Stop every node")));
    EXPECT_EQ(schema(), 2);
    EXPECT_EQ(node.execute("SELECT count(at_us) FROM head").at(0).at(0), "1") << "it was changed";
  }
  expect_upgraded();
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
}

/// Whatever a node of schema 2 does under the lock of the head names `at_us`: two such statements.
TEST_P(Upgrades, leave_a_node_that_comes_later_nothing_to_work_with) {
  expect_upgraded();
  SqlConnection node(old_node());
  const std::string before = inside("SELECT max(seq) FROM journal").at(0).at(0);
  const std::string changes =
      postgres() ? "WITH done AS (UPDATE head SET seq = 9, chain = 2, at_us = 3, ordinal = 4, "
                   "live = 5, confirmed = 6, released = 7, expired = 8, tokens = 9, resources = 10 "
                   "WHERE seq = 8 RETURNING 1) SELECT count(*) FROM done"
                 : "UPDATE head SET tokens=tokens-1,at_us=GREATEST(at_us,7) WHERE one=1";
  const std::string reads =
      postgres()
          ? "SELECT seq, chain, ordinal, live, confirmed, released, expired, tokens, "
            "resources, (SELECT greatest(0, at_us, 1) FROM head) FROM head"
          : "SELECT seq,chain,at_us,ordinal,live,confirmed,released,expired,tokens,resources "
            "FROM head WHERE one=1 FOR UPDATE";
  for (const std::string& each : {changes, reads}) {
    try {
      (void)node.execute(each);
      ADD_FAILURE() << "it worked: " << each;
    } catch (const SqlError& error) {
      EXPECT_THAT(error.what(), HasSubstr("at_us"));
    }
  }
  EXPECT_EQ(inside("SELECT max(seq) FROM journal").at(0).at(0), before);
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
}

/// A node that nobody saw was in the middle of a batch. It comes to its end, or to nothing.
TEST_P(Upgrades, wait_for_a_batch_that_is_under_way) {
  if (!postgres()) GTEST_SKIP() << "any connection is seen there";
  SqlConnection node(old_node("somebody"));
  (void)node.execute("BEGIN; SELECT 1 FROM head FOR UPDATE");
  auto upgrade =
      std::async(std::launch::async, [&] { return upgrade_store({.store = old_.store()}); });
  EXPECT_EQ(upgrade.wait_for(300ms), std::future_status::timeout);
  (void)node.execute("UPDATE head SET at_us = at_us + 1; COMMIT");
  const auto upgraded = upgrade.get();
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  EXPECT_THROW((void)node.execute("UPDATE head SET at_us = at_us + 1"), SqlError);
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
}

TEST_P(Upgrades, make_the_tables_of_a_new_store) {
  expect_upgraded();
  const TestDatabase fresh = server().create_database();
  ASSERT_TRUE(make_store(fresh.url(), Rules{}));
  const std::string schema = postgres() ? "current_schema()" : "DATABASE()";
  for (const std::string& what :
       {"SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default "
        "FROM information_schema.columns WHERE table_schema = " +
            schema + " ORDER BY 1, 3",
        postgres() ? std::string("SELECT tablename, indexname, indexdef FROM pg_indexes WHERE "
                                 "schemaname = 'public' ORDER BY 1, 2")
                   : "SELECT table_name, index_name, seq_in_index, column_name FROM "
                     "information_schema.statistics WHERE table_schema = DATABASE() ORDER BY 1, 2, "
                     "3",
        postgres()
            ? std::string(
                  "SELECT conrelid::regclass::text, conname, replace(pg_get_constraintdef(oid), "
                  "' NOT VALID', '') FROM pg_constraint WHERE connamespace = "
                  "'public'::regnamespace ORDER BY 1, 2")
            : std::string("SELECT table_name, constraint_name, check_clause FROM "
                          "information_schema.check_constraints WHERE constraint_schema = "
                          "DATABASE() ORDER BY 1, 2, 3"),
        std::string("SELECT name FROM meta WHERE name <> 'plain_until' ORDER BY 1"),
        std::string(postgres() ? "SELECT text" : "SELECT HEX(text)") +
            " FROM meta WHERE name = 'views'"}) {
    const SqlRows there = inside(what);
    EXPECT_FALSE(there.empty()) << what;
    EXPECT_EQ(there, fresh.connect().execute(what)) << what;
  }
}

TEST_P(Upgrades, may_be_asked_for_by_several_at_once) {
  std::vector<std::future<StoreResult<Upgraded>>> all;
  for (int i = 0; i < 3; ++i)
    all.push_back(
        std::async(std::launch::async, [&] { return upgrade_store({.store = old_.store()}); }));
  int upgraded = 0;
  for (auto& each : all) {
    const auto done = each.get();
    ASSERT_TRUE(done) << done.error().message;
    if (done->schema_before == 2) ++upgraded;
  }
  EXPECT_EQ(upgraded, 1);
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
}

TEST_P(Upgrades, leave_roles_their_rights) {
  const std::string service = "svc_" + database();
  const std::string auditor = "aud_" + database();
  const auto account = [](const std::string& name) {
    return postgres() ? name : "'" + name + "'@'%'";
  };
  for (const std::string& each : {service, auditor}) {
    server().execute(postgres() ? "CREATE ROLE " + each + " LOGIN PASSWORD 'secret'"
                                : "CREATE USER " + account(each) + " IDENTIFIED BY 'secret'");
  }
  {
    SqlConnection admin(as_admin());
    (void)admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON state_holds TO " +
                        account(service));
    (void)admin.execute(postgres()
                            ? "GRANT USAGE ON SCHEMA public TO " + auditor +
                                  "; GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + auditor
                            : "GRANT SELECT ON " + database() + ".* TO " + account(auditor));
  }
  const auto upgraded = upgrade_store({.store = as_admin()});
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  EXPECT_EQ(upgraded->caution, "");
  const auto as = [&](const std::string& role, const std::string& sql) {
    std::string url = old_.store();
    return SqlConnection(url.replace(url.find("holdfast:"), 9, role + ":")).execute(sql);
  };
  EXPECT_EQ(as(auditor, "SELECT count(*) FROM audit_cap_1").at(0).at(0), "0");
  EXPECT_EQ(as(auditor, "SELECT count(*) FROM module_rows").at(0).at(0), "0");
  EXPECT_NO_THROW(
      as(service, postgres() ? "INSERT INTO module_rows (space, tenant, key, version, value) "
                               "VALUES (1, '', 'k', 1, '{}')"
                             : "INSERT INTO module_rows (space, tenant, `key`, version, value) "
                               "VALUES (1, '', 'k', 1, '{}')"));
  EXPECT_THROW(as(auditor, "DELETE FROM module_rows"), SqlError);
  // The owner works with them, too, whoever has made them.
  EXPECT_EQ(inside("SELECT count(*) FROM module_rows").at(0).at(0), "1");
  EXPECT_NO_THROW((void)inside("DELETE FROM module_rows"));
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
  {
    SqlConnection admin(as_admin());
    for (const std::string& each : {service, auditor}) {
      (void)admin.execute(postgres() ? "DROP OWNED BY " + each + "; DROP ROLE " + each
                                     : "DROP USER " + account(each));
    }
  }
}

/// As after a version with a module more, or one less.
TEST_P(Upgrades, refresh_the_views_of_another_version) {
  expect_upgraded();
  (void)inside("UPDATE meta SET text = 'another' WHERE name = 'views'");
  (void)inside(postgres() ? "DROP VIEW audit_cap_1; CREATE VIEW audit_cap_1 AS SELECT 1 AS one"
                          : "CREATE OR REPLACE VIEW audit_cap_1 AS SELECT 1 AS one");
  const auto refreshed = upgrade_store({.store = old_.store()});
  ASSERT_TRUE(refreshed) << refreshed.error().message;
  EXPECT_EQ(refreshed->schema_before, 3);
  EXPECT_TRUE(refreshed->views_refreshed);
  EXPECT_EQ(inside("SELECT count(*) FROM audit_cap_1").at(0).at(0), "0");
  const auto again = upgrade_store({.store = old_.store()});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->views_refreshed);
}

/// Of an operation that a later version brings, a store knows no window until it is upgraded.
TEST_P(Upgrades, write_down_what_new_operations_are_kept_for) {
  expect_upgraded();
  (void)inside("DELETE FROM meta WHERE name = 'window_us.hold.release'");
  const auto opened = open_store({.store = old_.store()});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message,
              AllOf(HasSubstr("hold.release"), HasSubstr("holdfast store upgrade")));
  ASSERT_TRUE(upgrade_store({.store = old_.store()}));
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
}

TEST_P(Upgrades, are_refused_by_a_store_that_is_newer_or_too_old) {
  for (const std::string version : {"99", "1"}) {
    (void)inside("UPDATE meta SET number = " + version + " WHERE name = 'schema_version'");
    const auto refused = upgrade_store({.store = old_.store()});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("schema " + version));
  }
  const TestDatabase empty = server().create_database();
  const auto nothing = upgrade_store({.store = empty.url()});
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, HasSubstr("holdfast store init"));
}

INSTANTIATE_TEST_SUITE_P(of, Upgrades, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace holdfast::test
