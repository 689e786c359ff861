// Databases that will not or cannot: a clear error at the start, `store-unavailable` in service,
// and nothing lost.

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <future>

#include "engine/auditing.hpp"
#include "engine/service.hpp"
#include "store/open.hpp"
#include "support/calls.hpp"
#include "support/disks/small_disk.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

class Refusals : public testing::TestWithParam<std::string> {
 protected:
  Refusals() {
    if (postgres()) {
      server_ = std::make_unique<PostgresServer>();
    } else {
      server_ = std::make_unique<MariadbServer>();
    }
    database_.emplace(server_->create_database());
  }

  [[nodiscard]] static bool postgres() { return GetParam() == "postgres"; }
  [[nodiscard]] std::string url() const { return database_->url(); }
  SqlRows admin(const std::string& sql) { return server_->execute(sql); }
  SqlRows inside(const std::string& sql) { return database_->connect().execute(sql); }

  static std::string why_not(const std::string& store) {
    const auto opened = open_store({.store = store});
    return opened ? "it opened" : opened.error().message;
  }
  [[nodiscard]] std::unique_ptr<Service> serve(const std::string& store) const {
    auto opened = open_store({.store = store});
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::make_unique<Service>(std::move(*opened), system_random(), ServiceOptions{});
  }
  static Answer ask(Service& service, const std::string& token) {
    std::promise<Answer> promise;
    service.submit(
        place({.resource = "room " + token, .requester = "guest", .duration = 1h}, token),
        [&](Answer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }
  /// Every connection of the service ends, as when a server or its network restarts.
  void cut_off() {
    if (postgres()) {
      admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'holdfast'");
      return;
    }
    for (const SqlRow& row :
         admin("SELECT id FROM information_schema.processlist WHERE user = 'holdfast'")) {
      try {
        admin("KILL " + row.at(0));
      } catch (const SqlError&) {  // it had gone by itself
      }
    }
  }
  /// While `sql` is in force, calls are refused and the service is not ready; afterwards the same
  /// token is taken by the same service, and had no effect before.
  void expect_unavailable_while(const std::string& sql, const std::string& undo) {
    const auto service = serve(url());
    EXPECT_THAT(ask(*service, "before"), done());
    admin(sql);
    cut_off();
    const Answer refused_one = ask(*service, "t");
    EXPECT_THAT(refused_one, refused(Rejection::store_unavailable)) << refused_one.note;
    EXPECT_FALSE(service->store().ready());
    admin(undo);
    cut_off();
    const Answer taken = ask(*service, "t");
    EXPECT_THAT(taken, done()) << taken.note;
    EXPECT_FALSE(taken.replayed);
    EXPECT_TRUE(service->store().ready());
  }

  std::unique_ptr<OwnedServer> server_;
  std::optional<TestDatabase> database_;
};

TEST_P(Refusals, a_wrong_password_is_said_and_not_shown) {
  const std::string error = why_not(replaced(url(), ":secret@", ":wr0ng@"));
  EXPECT_THAT(error, AnyOf(HasSubstr("password"), HasSubstr("denied")));
  EXPECT_THAT(error, Not(HasSubstr("wr0ng")));
}

TEST_P(Refusals, a_password_that_was_not_encoded_is_not_shown) {
  const std::string engine = postgres() ? "postgres" : "mariadb";
  for (const std::string middle :
       {"://u:p/s3cret@127.0.0.1:1/x", "://u:p@s3cret@127.0.0.1:1/x", "://u:p?s3cret@127.0.0.1/x",
        "x://u:s3cret@127.0.0.1/x", ":u:s3cret@127.0.0.1/x"}) {
    const std::string said = why_not(engine + middle);
    EXPECT_THAT(said, Not(HasSubstr("s3cret"))) << middle;
    EXPECT_NE(said, "it opened") << middle;
  }
}

TEST_P(Refusals, a_database_that_is_not_there_is_named) {
  EXPECT_THAT(why_not(server_->url("nowhere")), HasSubstr("nowhere"));
}

TEST_P(Refusals, a_server_that_is_not_there_is_named) {
  const std::string store = url();
  server_->stop();
  EXPECT_THAT(why_not(store), HasSubstr("127.0.0.1"));
}

TEST_P(Refusals, another_version_is_refused_with_what_to_do) {
  { const auto service = serve(url()); }
  inside("UPDATE meta SET number = 99 WHERE name = 'schema_version'");
  EXPECT_THAT(why_not(url()), HasSubstr("schema 99"));
  EXPECT_FALSE(make_store(url(), Rules{}));
  EXPECT_FALSE(upgrade_store({.store = url()}));
  inside("UPDATE meta SET number = 2 WHERE name = 'schema_version'");
  EXPECT_THAT(why_not(url()), HasSubstr("holdfast store upgrade"));
  const auto status = store_status(url());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->schema, 2);
  EXPECT_THAT(status->trouble, HasSubstr("upgrade"));
}

TEST_P(Refusals, several_nodes_may_make_the_store_at_once) {
  std::vector<std::future<std::string>> nodes;
  for (int i = 0; i < 6; ++i) {
    nodes.push_back(std::async(std::launch::async, [this] {
      const auto opened = open_store({.store = url()});
      return opened ? std::string() : opened.error().message;
    }));
  }
  for (auto& each : nodes) EXPECT_EQ(each.get(), "");
}

TEST_P(Refusals, a_database_with_tables_of_somebody_else_is_left_alone) {
  inside("CREATE TABLE journal (id int)");
  EXPECT_THAT(why_not(url()), HasSubstr("not"));
  EXPECT_NO_THROW(inside("SELECT id FROM journal"));
}

TEST_P(Refusals, read_only_databases_are_waited_for) {
  if (postgres()) {
    expect_unavailable_while(
        "ALTER DATABASE " + database_->name() + " SET default_transaction_read_only = on",
        "ALTER DATABASE " + database_->name() + " SET default_transaction_read_only = off");
  } else {
    expect_unavailable_while("SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0");
  }
}

TEST_P(Refusals, too_many_connections_are_waited_for) {
  if (postgres()) {
    expect_unavailable_while("ALTER ROLE holdfast CONNECTION LIMIT 0",
                             "ALTER ROLE holdfast CONNECTION LIMIT -1");
  } else {
    expect_unavailable_while("ALTER USER 'holdfast'@'%' WITH MAX_USER_CONNECTIONS -1",
                             "ALTER USER 'holdfast'@'%' WITH MAX_USER_CONNECTIONS 0");
  }
}

/// The server's own error for a disk without room, raised where a record would be written.
TEST_P(Refusals, a_full_disk_loses_nothing) {
  const auto service = serve(url());
  EXPECT_THAT(ask(*service, "before"), done());
  if (postgres()) {
    inside(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
        "'could not extend file' USING ERRCODE = '53100'; END $$;"
        "CREATE TRIGGER full_disk BEFORE INSERT ON journal EXECUTE FUNCTION full_disk()");
  } else {
    admin("CREATE TRIGGER " + database_->name() + ".full_disk BEFORE INSERT ON " +
          database_->name() +
          ".journal FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = "
          "'The table is full'");
  }
  const Answer refused_one = ask(*service, "t");
  EXPECT_THAT(refused_one, refused(Rejection::store_unavailable));
  EXPECT_EQ(refused_one.effect, Effect::none);
  EXPECT_FALSE(service->store().ready()) << "whatever the database says of itself";
  if (postgres()) {
    inside("DROP TRIGGER full_disk ON journal");
  } else {
    admin("DROP TRIGGER " + database_->name() + ".full_disk");
  }
  const Answer taken = ask(*service, "t");
  EXPECT_THAT(taken, done()) << taken.note;
  EXPECT_FALSE(taken.replayed);
  EXPECT_TRUE(service->store().ready());
}

/// What a database says of an error is logged and told.
TEST_P(Refusals, an_error_does_not_quote_what_was_to_be_written) {
  const auto service = serve(url());
  EXPECT_THAT(ask(*service, "before"), done());
  inside("ALTER TABLE journal ADD CONSTRAINT planted CHECK (seq < 2)");
  const Answer refused_one = ask(*service, "t");
  EXPECT_THAT(refused_one, refused(Rejection::store_unavailable));
  EXPECT_THAT(refused_one.note, AllOf(HasSubstr("planted"), Not(HasSubstr("row contains"))));
}

/// A real one: the tables are on a disk of a few megabytes, most of which something else has taken.
TEST_P(Refusals, a_disk_that_is_really_full_loses_nothing) {
  const SmallDisk disk("32m");
  if (disk.error() != 0) {
    GTEST_SKIP() << "cannot mount a small disk: " << std::strerror(disk.error());
  }
  server_->give(disk.path());
  if (postgres()) {
    admin("CREATE TABLESPACE small LOCATION '" + disk.path().string() + "'");
    admin("CREATE DATABASE small OWNER holdfast TABLESPACE small");
  } else {
    std::filesystem::create_directory_symlink(disk.path(), server_->data() / "small");
    admin("GRANT ALL ON small.* TO holdfast@'%'");
  }
  const auto service = serve(server_->url("small"));
  EXPECT_THAT(ask(*service, "before"), done());
  disk.leave_room(300'000);
  const auto token = [](int i) { return std::string(200, 't') + std::to_string(i); };
  int calls = 0;
  Answer answer = ask(*service, token(0));
  while (answer.ok() && calls < 20'000) answer = ask(*service, token(++calls));
  ASSERT_THAT(answer, refused(Rejection::store_unavailable)) << calls;
  EXPECT_EQ(answer.effect, Effect::none) << answer.note;
  EXPECT_FALSE(service->store().ready());
  EXPECT_TRUE(ask(*service, "before").replayed) << "what is known is still answered";
  disk.make_room();
  for (int i = 0; i < 5; ++i) {  // some take it hard, and not at once
    if (!server_->running()) server_->restart();
    answer = ask(*service, token(calls));
    if (answer.ok() || answer.effect == Effect::unknown) break;
  }
  EXPECT_THAT(answer, done()) << answer.note;
  EXPECT_FALSE(answer.replayed);
  EXPECT_TRUE(service->store().ready());
  EXPECT_EQ(service->store().counts().holds, static_cast<std::uint64_t>(calls) + 2);
  EXPECT_THAT(violations(service->store()), testing::IsEmpty());
}

/// What somebody with the owner's rights changed by hand, however little, the audit finds.
TEST_P(Refusals, a_record_changed_by_hand_is_found) {
  {
    const auto service = serve(url());
    EXPECT_THAT(ask(*service, "t"), done());
  }
  const auto clean = [&] {
    auto reader = read_records(url());
    EXPECT_TRUE(reader) << reader.error().message;
    const auto verdict = audit_records(**reader);
    return verdict && verdict->clean();
  };
  EXPECT_TRUE(clean());
  for (const auto& [change, back] :
       {postgres() ? std::pair("kind = kind + 256", "kind = kind - 256")
                   : std::pair("kind = kind + 64", "kind = kind - 64"),
        std::pair("reason = 0", "reason = NULL"), std::pair("nonce = ''", "nonce = NULL"),
        std::pair("reason = 99", "reason = NULL"), std::pair("rejection = 99", "rejection = NULL"),
        std::pair("quantity = 2", "quantity = 1")}) {
    inside(std::string("UPDATE journal SET ") + change);
    EXPECT_FALSE(clean()) << change;
    inside(std::string("UPDATE journal SET ") + back);
    EXPECT_TRUE(clean()) << back;
  }
}

/// The end of the journal is what the head says, neither earlier nor later nor another.
TEST_P(Refusals, a_journal_that_was_cut_off_or_added_to_is_found) {
  {
    const auto service = serve(url());
    for (const std::string token : {"t", "u", "v"}) EXPECT_THAT(ask(*service, token), done());
  }
  const auto broken = [&] {
    auto reader = read_records(url());
    EXPECT_TRUE(reader) << reader.error().message;
    EXPECT_TRUE(audit_records(**reader));
    return (*reader)->broken();
  };
  EXPECT_THAT(broken(), testing::IsEmpty());
  inside("UPDATE head SET chain = chain + 1");
  EXPECT_THAT(broken(), testing::ElementsAre(3));
  inside("UPDATE head SET chain = chain - 1, seq = 2");
  EXPECT_THAT(broken(), testing::Contains(3)) << "a record that nobody committed";
  inside("UPDATE head SET seq = 3; DELETE FROM state_tokens; DELETE FROM journal WHERE seq = 3");
  EXPECT_THAT(broken(), testing::ElementsAre(3)) << "a record that was removed";
}

/// These servers do not wait for their disks: whoever runs one like that is told.
TEST_P(Refusals, a_server_that_does_not_wait_for_its_disk_is_named) {
  const auto service = serve(url());
  const std::string setting = postgres() ? "fsync" : "innodb_flush";
  EXPECT_THAT(service->store().caution(), HasSubstr(setting));
  EXPECT_THAT(store_status(url())->caution, HasSubstr(setting));
}

/// A role or a server may be set up to answer before a commit is on disk.
TEST_P(Refusals, a_default_of_lazy_commits_is_not_followed) {
  if (!postgres()) GTEST_SKIP() << "of a MariaDB it is a setting of the whole server";
  { const auto service = serve(url()); }
  admin("ALTER ROLE holdfast SET synchronous_commit = off");
  inside(
      "CREATE TABLE seen(how text); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ "
      "BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;"
      "CREATE TRIGGER note BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION note()");
  const auto service = serve(url());
  EXPECT_THAT(ask(*service, "t"), done());
  const SqlRows seen = inside("SELECT how FROM seen");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].at(0), "on");
}

/// A pooler or an administrator may take a session's prepared statements away.
TEST_P(Refusals, a_session_that_lost_its_statements_is_replaced) {
  if (!postgres()) GTEST_SKIP() << "statements of a MariaDB are not prepared under names";
  const auto service = serve(url());
  EXPECT_THAT(ask(*service, "before"), done());
  inside(
      "CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE "
      "ALL'; RETURN NULL; END $$;"
      "CREATE TRIGGER forget AFTER INSERT ON journal EXECUTE FUNCTION forget()");
  (void)ask(*service, "t");
  inside("DROP TRIGGER forget ON journal");
  for (const std::string token : {"t", "u", "v"}) {
    const Answer answer = ask(*service, token);
    EXPECT_THAT(answer, done()) << answer.note;
  }
}

class Privileges : public Refusals {
 protected:
  Privileges() {
    { const auto service = serve(url()); }
    for (const std::string each : {"service", "auditor"}) {
      if (postgres()) {
        admin("CREATE ROLE " + each + " LOGIN PASSWORD 'secret'");
      } else {
        admin("CREATE USER '" + each + "'@'%' IDENTIFIED BY 'secret'");
      }
    }
    if (!postgres()) {  // whoever grants must be allowed to
      admin("GRANT ALL ON " + database_->name() + ".* TO 'holdfast'@'%' WITH GRANT OPTION");
    }
    const auto granted = grant_store(url(), role("service"), role("auditor"));
    EXPECT_TRUE(granted) << granted.error().message;
  }
  static std::string role(const std::string& name) {
    return postgres() ? name : "'" + name + "'@'%'";
  }
  [[nodiscard]] std::string as(const std::string& role) const {
    return replaced(url(), "//holdfast:", "//" + role + ":");
  }
};

TEST_P(Privileges, the_service_works_and_can_neither_change_nor_remove_a_record) {
  {
    const auto service = serve(as("service"));
    const Answer placed = ask(*service, "t");
    EXPECT_THAT(placed, done()) << placed.note;
    EXPECT_TRUE(ask(*service, "t").replayed);
    service->sweep();
  }
  SqlConnection sql(as("service"));
  for (const char* const crime :
       {"UPDATE journal SET quantity = 2", "DELETE FROM journal", "DELETE FROM head",
        "UPDATE meta SET number = 0", "DROP TABLE journal", "TRUNCATE TABLE journal",
        "ALTER TABLE journal ADD COLUMN x int"}) {
    EXPECT_THROW(sql.execute(crime), SqlError) << crime;
  }
}

TEST_P(Privileges, an_auditor_reads_everything_and_changes_nothing) {
  {
    const auto service = serve(as("service"));
    EXPECT_THAT(ask(*service, "t"), done());
  }
  SqlConnection sql(as("auditor"));
  EXPECT_EQ(sql.execute("SELECT count(*) FROM holds").at(0).at(0), "1");
  EXPECT_EQ(sql.execute("SELECT count(*) FROM audit_cap_1").at(0).at(0), "0");
  for (const char* const crime : {"INSERT INTO meta (name) VALUES ('x')", "UPDATE head SET seq = 0",
                                  "DELETE FROM state_tokens", "DELETE FROM journal"}) {
    EXPECT_THROW(sql.execute(crime), SqlError) << crime;
  }
  auto reader = read_records(as("auditor"));
  ASSERT_TRUE(reader) << reader.error().message;
  const auto verdict = audit_records(**reader);
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->clean());
  EXPECT_EQ(verdict->report.records, 1U);
  const auto service = serve(as("auditor"));
  EXPECT_FALSE(service->store().ready());
  EXPECT_THAT(ask(*service, "u"), refused(Rejection::store_unavailable));
}

const auto by_name = [](const testing::TestParamInfo<std::string>& engine) { return engine.param; };
INSTANTIATE_TEST_SUITE_P(on, Refusals, testing::Values("postgres", "mariadb"), by_name);
INSTANTIATE_TEST_SUITE_P(on, Privileges, testing::Values("postgres", "mariadb"), by_name);

}  // namespace
}  // namespace holdfast::test
