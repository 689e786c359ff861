#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cli/runner.hpp"
#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/owner_lock.hpp"
#include "support/gzip.hpp"
#include "support/journals/journal_file.hpp"
#include "support/json.hpp"
#include "support/old_stores.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StoreCommand : public CliTest {};

TEST_F(StoreCommand, MakesAStoreOnceAndLooksAtIt) {
  const auto made = run({"store", "init", "rooms.db", "--window", "2h"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("made, with schema 3"));
  EXPECT_THAT(run({"store", "init", "rooms.db"}).out, HasSubstr("there already"));
  const auto status = run({"store", "status", "rooms.db"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, AllOf(HasSubstr("SQLite file"), HasSubstr("2h")));
}

TEST_F(StoreCommand, SaysWhatIsMissing) {
  EXPECT_EQ(run({"store", "status", "nowhere.db"}).exit_code, 1);
  EXPECT_EQ(run({"store", "upgrade", "nowhere.db"}).exit_code, 1);
  EXPECT_THAT(run({"store", "copy", "one.db"}).err, HasSubstr("two stores"));
  EXPECT_EQ(run({"store", "copy", "one.db"}).exit_code, 2);
  EXPECT_THAT(run({"store", "mend"}).err, HasSubstr("init, upgrade, status, copy or window"));
  EXPECT_EQ(run({"store", "init", "x.db", "--window", "soon"}).exit_code, 2);
}

TEST_F(StoreCommand, CopiesAFileAndTheTokensStayGood) {
  ASSERT_EQ(run({"hold", "room", "guest", "1h", "--token", "t", "--store", "a.db"}).exit_code, 0);
  const auto copied = run({"store", "copy", "a.db", "b.db"});
  EXPECT_EQ(copied.exit_code, 0) << copied.err;
  EXPECT_THAT(copied.out, AllOf(HasSubstr("1 record copied"), HasSubstr("every invariant holds")));
  EXPECT_THAT(run({"hold", "room", "guest", "1h", "--token", "t", "--store", "b.db", "--json"}).out,
              HasSubstr("\"replayed\":true"));
  EXPECT_THAT(run({"store", "copy", "a.db", "a.db"}).err, HasSubstr("into itself"));
}

/// SQLite would take an older store's log for the copy's, and show what that store had.
TEST_F(StoreCommand, CopiesIntoNothingThatIsThere) {
  ASSERT_EQ(run({"hold", "room", "guest", "1h", "--token", "t", "--store", "a.db"}).exit_code, 0);
  for (const std::string left : {"b.db", "b.db-wal", "b.db-shm", "b.db-journal"}) {
    { std::ofstream(folder.file(left)) << "left"; }
    const auto refused = run({"store", "copy", "a.db", "b.db"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr(left + ": there is a file of this name already"));
    std::filesystem::remove(folder.file(left));
  }
  EXPECT_EQ(run({"store", "copy", "a.db", "b.db"}).exit_code, 0);
}

class WindowCommand : public StoreCommand {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"store", "init", "rooms.db", "--window", "1h"}).exit_code, 0);
  }
  [[nodiscard]] std::string content() const {
    std::ifstream file(folder.file("rooms.db"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] Ran place(const std::string& token) const {
    return run({"hold", token, "guest", "1h", "--token", token, "--store", "rooms.db", "--json"});
  }
  [[nodiscard]] Ran window(std::vector<std::string> words) const {
    words.insert(words.begin(), {"store", "window"});
    words.insert(words.end(), {"--store", "rooms.db"});
    return run(words);
  }
};

TEST_F(WindowCommand, SaysWhichIsInForceAndSinceWhen) {
  const auto made = window({});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("1h"), HasSubstr("since"), HasSubstr("it was made"),
                              HasSubstr("resource.declare"), HasSubstr("for ever")));
  EXPECT_THAT(window({"--json"}).out,
              HasSubstr("{\"store\":\"rooms.db\",\"window\":\"1h\",\"own_windows\":"
                        "{\"resource.declare\":\"for ever\"}}"));
  ASSERT_EQ(window({"2h"}).exit_code, 0);
  EXPECT_THAT(window({}).out, AllOf(HasSubstr("2h"), HasSubstr("UTC"), HasSubstr("record 1"),
                                    HasSubstr("before"), HasSubstr("1h")));
  EXPECT_THAT(window({"--json"}).out,
              AllOf(HasSubstr("\"window\":\"2h\",\"window_before\":\"1h\",\"since\":\"20"),
                    HasSubstr("\"seq\":1,")));
  EXPECT_THAT(run({"store", "status", "rooms.db"}).out, HasSubstr("2h"));
  EXPECT_THAT(run({"store", "window", "rooms.db"}).out, HasSubstr("2h"));
}

TEST_F(WindowCommand, MakesItLongerAndSaysWhatThatMeans) {
  ASSERT_EQ(place("t").exit_code, 0);
  const auto longer = window({"48h"});
  EXPECT_EQ(longer.exit_code, 0) << longer.err;
  EXPECT_THAT(longer.out,
              AllOf(HasSubstr("has a window of 2d"), HasSubstr("record 2"),
                    HasSubstr("1 live token is recognised"), HasSubstr("stays forgotten")));
  EXPECT_THAT(place("t").out, HasSubstr("\"replayed\":true"));
  EXPECT_THAT(window({"48h"}).out, HasSubstr("already: nothing was changed"));
  EXPECT_THAT(run({"store", "window", "48h", "rooms.db"}).out, HasSubstr("already"));
  EXPECT_THAT(run({"store", "window", "rooms.db", "3d", "--json"}).out,
              AllOf(HasSubstr("\"window_before\":\"2d\",\"window\":\"3d\",\"changed\":true"),
                    HasSubstr("\"forgotten_tokens\":0")));
}

TEST_F(WindowCommand, MakesItShorterOnlyWhenThatIsAgreedTo) {
  ASSERT_EQ(place("t").exit_code, 0);
  ASSERT_EQ(place("u").exit_code, 0);
  const std::string before = content();
  const auto refused = window({"1ms"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.out, AllOf(HasSubstr("hold.place"), HasSubstr("1h to 1ms")));
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("Of 2 live tokens, 2 are older"), HasSubstr("done a second time"),
                    HasSubstr("Nothing was changed"), HasSubstr("--yes")));
  EXPECT_EQ(content(), before);
  EXPECT_THAT(place("t").out, HasSubstr("\"replayed\":true"));
  const auto shorter = window({"1ms", "--yes"});
  EXPECT_EQ(shorter.exit_code, 0) << shorter.err;
  EXPECT_THAT(shorter.out, HasSubstr("Forgotten for good: 2 of 2 live tokens"));
  EXPECT_EQ(window({"1h", "--yes"}).exit_code, 0);
  EXPECT_EQ(run({"token", "t", "--store", "rooms.db"}).exit_code, 12) << "it is not known any more";
  EXPECT_THAT(run({"audit", "rooms.db"}).out, HasSubstr("Everything holds"));
}

TEST_F(WindowCommand, RefusesWhatMakesNoSense) {
  for (const std::string wrong : {"soon", "0s", "99999d", ""}) {
    EXPECT_EQ(window({wrong}).exit_code, 2) << wrong;
  }
  EXPECT_EQ(window({"--yes"}).exit_code, 2);
  EXPECT_EQ(window({"2h", "--window", "3h"}).exit_code, 2);
  EXPECT_EQ(window({"2h", "--service-role", "x"}).exit_code, 2);
  EXPECT_EQ(run({"store", "status", "rooms.db", "--yes"}).exit_code, 2);
  EXPECT_EQ(run({"store", "window", "2h", "--store", "nowhere.db"}).exit_code, 1);
  EXPECT_THAT(run({"store", "init", "rooms.db", "--window", "3h"}).err,
              HasSubstr("`holdfast store window` changes it"));
  EXPECT_THAT(window({"--json"}).out, HasSubstr("\"window\":\"1h\""));
}

TEST_F(WindowCommand, LeavesAStoreThatAnybodyHasOpen) {
  {
    auto owner = sqlite::OwnerLock::take(folder.file("rooms.db"));
    ASSERT_TRUE(owner) << owner.error().message;
    const auto refused = window({"2h"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("the store is in use by process"));
  }
  {
    JournalFile reader(folder.file("rooms.db"));
    EXPECT_EQ(reader.rows("SELECT count(*) FROM holds").at(0).at(0), "0");
    const auto refused = window({"2h"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("somebody is reading the store"), HasSubstr("the old window")));
  }
  EXPECT_EQ(window({"2h"}).exit_code, 0);
}

TEST_F(WindowCommand, IsCoveredByEvidence) {
  ASSERT_EQ(place("t").exit_code, 0);
  const auto head = run({"evidence", "head", "rooms.db"});
  ASSERT_EQ(head.exit_code, 0) << head.err;
  EXPECT_THAT(head.out, Not(HasSubstr("windows_made")));
  std::ofstream(folder.file("head.json")) << head.out;
  ASSERT_EQ(window({"1ms", "--yes"}).exit_code, 0);
  ASSERT_EQ(run({"hold", "room", "guest", "1h", "--token", "t", "--store", "rooms.db"}).exit_code,
            0)
      << "afresh";
  EXPECT_THAT(run({"evidence", "head", "rooms.db"}).out,
              AllOf(HasSubstr("\"windows_made\":{"), HasSubstr("\"group.confirm\":\"1h\"")));
  ASSERT_EQ(run({"evidence", "export", "rooms.db", "--out", "export"}).exit_code, 0);
  std::ofstream(folder.file("pub")) << run({"evidence", "key", "rooms.db"}).out;
  const auto verified =
      run({"evidence", "verify", "export", "--public-key", "pub", "--head", "head.json"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

class UpgradeCommand : public StoreCommand {
 protected:
  UpgradeCommand() {
    std::ofstream(folder.file("old.db"), std::ios::binary)
        << gunzipped(folder_of({2, "sqlite"}) / "store.db.gz");
  }
  [[nodiscard]] JournalFile file() const { return JournalFile(folder.file("old.db")); }
  void change(const std::string& sql) const {
    auto connection = sqlite::Connection::open(folder.file("old.db"), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection);
    const auto done = connection->run(sql.c_str());
    ASSERT_TRUE(done) << done.error().message;
  }
  [[nodiscard]] Ran upgrade() const { return run({"store", "upgrade", "old.db"}); }
};

TEST_F(UpgradeCommand, BringsAFileUpToDateOnce) {
  for (const std::string action : {"init", "status"}) {
    const auto refused = run({"store", action, "old.db"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.out + refused.err, AllOf(HasSubstr("schema 2"), HasSubstr("Make a backup"),
                                                 HasSubstr("`holdfast store upgrade old.db`")));
  }
  const auto status = run({"store", "status", "old.db", "--json"});
  EXPECT_THAT(status.out,
              AllOf(HasSubstr("\"schema\":2,\"schema_newest\":3"), HasSubstr("\"ready\":false")));
  const auto upgraded = upgrade();
  EXPECT_EQ(upgraded.exit_code, 0) << upgraded.err;
  EXPECT_EQ(upgraded.out, "The store old.db is upgraded from schema 2 to schema 3.\n");
  const auto again = upgrade();
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, "The store old.db is up to date, with nothing to do: it has schema 3.\n");
  EXPECT_THAT(run({"store", "upgrade", "old.db", "--json"}).out,
              AllOf(HasSubstr("\"schema_before\":3"), HasSubstr("\"views_refreshed\":false")));
  EXPECT_THAT(run({"audit", "old.db"}).out, HasSubstr("Everything holds"));
  EXPECT_EQ(run({"store", "upgrade", "old.db", "--window", "1h"}).exit_code, 2);
  EXPECT_EQ(run({"store", "upgrade", "old.db", "--service-role", "x"}).exit_code, 2);
}

TEST_F(UpgradeCommand, LeavesAFileThatAnybodyHasOpen) {
  {
    auto owner = sqlite::OwnerLock::take(folder.file("old.db"));
    ASSERT_TRUE(owner) << owner.error().message;
    const auto refused = upgrade();
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("the store is in use by process"));
  }
  {
    JournalFile reader = file();
    EXPECT_EQ(reader.rows("SELECT count(*) FROM holds").at(0).at(0), "550");
    const auto refused = upgrade();
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("somebody is reading the store"));
  }
  EXPECT_EQ(file().rows("PRAGMA user_version").at(0).at(0), "2");
  EXPECT_EQ(upgrade().exit_code, 0);
}

TEST_F(UpgradeCommand, LeavesADamagedFileAsItIs) {
  change(
      "UPDATE journal SET quantity = 99 WHERE seq = (SELECT max(seq) FROM journal WHERE "
      "quantity IS NOT NULL)");
  const auto refused = upgrade();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("checksum does not match"));
  EXPECT_EQ(file().rows("PRAGMA user_version").at(0).at(0), "2");
  EXPECT_EQ(file().rows("SELECT count(*) FROM pragma_table_info('journal')").at(0).at(0), "22");
}

TEST_F(UpgradeCommand, LeavesADescriptionThatIsNotTheSealedOne) {
  change("DROP VIEW audit_cap_1");
  EXPECT_THAT(upgrade().err, HasSubstr("what the store says about itself"));
}

TEST_F(UpgradeCommand, KeepsWhatSomebodyHasAdded) {
  change(
      "CREATE VIEW mine AS SELECT count(*) AS n FROM holds; "
      "CREATE INDEX by_resource ON journal (resource)");
  EXPECT_EQ(upgrade().exit_code, 0);
  EXPECT_EQ(file().rows("SELECT n FROM mine").at(0).at(0), "550");
  EXPECT_THAT(run({"audit", "old.db"}).out, HasSubstr("Everything holds"));
  EXPECT_THAT(run({"list", "--store", "old.db"}).out, HasSubstr("held"));
}

/// As after a version with a module more, or one less.
TEST_F(UpgradeCommand, MakesTheViewsOfAnotherVersionAgain) {
  ASSERT_EQ(upgrade().exit_code, 0);
  {
    auto other = sqlite::Connection::open(folder.file("old.db"), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(other);
    ASSERT_TRUE(
        other->run("DROP VIEW audit_cap_1; CREATE VIEW audit_cap_1 AS SELECT 1 AS one;"
                   "UPDATE meta SET value = 'another' WHERE key = 'views';"
                   "DELETE FROM meta WHERE key = 'window_us.hold.release'"));
    ASSERT_TRUE(sqlite::seal_description(*other));
  }
  EXPECT_THAT(run({"list", "--store", "old.db"}).err,
              AllOf(HasSubstr("hold.release"), HasSubstr("holdfast store upgrade")));
  const auto refreshed = upgrade();
  EXPECT_EQ(refreshed.exit_code, 0) << refreshed.err;
  EXPECT_THAT(refreshed.out, HasSubstr("its views refreshed"));
  EXPECT_EQ(file().rows("SELECT count(*) FROM audit_cap_1").at(0).at(0), "0");
  EXPECT_THAT(upgrade().out, HasSubstr("nothing to do"));
  EXPECT_THAT(run({"audit", "old.db"}).out, HasSubstr("Everything holds"));
}

TEST_F(UpgradeCommand, LeavesANewerFileAndWhatIsNoStore) {
  ASSERT_EQ(upgrade().exit_code, 0);
  change("PRAGMA user_version = 99");
  EXPECT_THAT(upgrade().err, AllOf(HasSubstr("schema 99"), HasSubstr("Use the version")));
  std::ofstream(folder.file("text.db")) << "no store at all, but long enough to be looked at";
  EXPECT_EQ(run({"store", "upgrade", "text.db"}).exit_code, 1);
}

class DatabaseCommand : public StoreCommand, public testing::WithParamInterface<std::string> {
 protected:
  DatabaseCommand()
      : database_((GetParam() == "postgres" ? PostgresServer::shared() : MariadbServer::shared())
                      .create_database()) {}
  TestDatabase database_;
};

TEST_P(DatabaseCommand, EveryCommandWorksOnADatabase) {
  const std::string url = database_.url();
  const auto empty = run({"store", "status", "--store", url});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.out, HasSubstr("store init makes one"));
  EXPECT_THAT(run({"list", "--store", url}).err, HasSubstr("holdfast store init"));
  ASSERT_EQ(run({"store", "init", "--store", url}).exit_code, 0);
  ASSERT_EQ(run({"hold", "room", "guest", "1h", "--token", "t", "--store", url}).exit_code, 0);
  EXPECT_THAT(run({"list", "--store", url}).out, HasSubstr("room"));
  EXPECT_THAT(run({"audit", "--store", url}).out, HasSubstr("Everything holds"));
  const auto status = run({"store", "status", "--store", url, "--json"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, AllOf(HasSubstr("\"live_holds\":1"), HasSubstr("\"ready\":true"),
                                Not(HasSubstr("secret"))));
  const auto back = run({"store", "copy", url, "file.db"});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_THAT(run({"audit", "file.db"}).out, HasSubstr("Everything holds"));
}

INSTANTIATE_TEST_SUITE_P(on, DatabaseCommand, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace holdfast::test
