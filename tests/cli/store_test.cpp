#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cli/runner.hpp"
#include "support/json.hpp"
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
  EXPECT_THAT(run({"store", "mend"}).err, HasSubstr("init, upgrade, status or copy"));
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
