#include "cli/runner.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Demo : public CliTest {
 protected:
  /// Temporary files go where the test can see them.
  [[nodiscard]] RunOptions watched() const { return {.environment = {{"TMPDIR", scratch.path()}}}; }

  TempDir scratch;
};

TEST_F(Demo, TellsTheStoryAndProvesIt) {
  const Ran ran = run({"demo"}, watched());
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("1. 12:00:00"), HasSubstr("6. 14:11:18"),
                             HasSubstr("resource-unavailable"), HasSubstr("[replayed"),
                             HasSubstr("happened exactly once"), Not(HasSubstr("NOT"))));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Demo, CountsAddUp) {
  const Json json = this->json({"demo", "--seed", "7", "--clients", "100"});
  EXPECT_TRUE(json.truth("/answer/exactly_once"));
  EXPECT_TRUE(json.truth("/answer/hotel_as_expected"));
  EXPECT_TRUE(json.truth("/answer/audit_clean"));
  EXPECT_EQ(json.number("/answer/changes_done"), json.number("/answer/effects"));
  EXPECT_EQ(json.number("/answer/answers_different"), 0);
  EXPECT_EQ(json.number("/answer/restarts"), 1);
  EXPECT_GT(json.number("/answer/replays"), 0);
  EXPECT_GT(json.number("/answer/answers_lost"), 0);
  EXPECT_GT(json.number("/answer/changes_intended"), 100);
  EXPECT_EQ(json.number("/answer/calls_arrived"), json.number("/answer/calls_sent") -
                                                      json.number("/answer/requests_lost") +
                                                      json.number("/answer/copies"));
}

TEST_F(Demo, IsTheSameForTheSameSeed) {
  // All but how many records there are: replays that come close together share one.
  const auto played = [&](const char* seed) {
    const Json json = this->json({"demo", "--clients", "50", "--seed", seed});
    std::vector<std::string> members;
    for (const std::string& key : json.keys("/answer")) {
      if (key != "records") members.push_back(json.raw("/answer/" + key));
    }
    return members;
  };
  EXPECT_EQ(played("3"), played("3"));
  EXPECT_NE(played("3"), played("4"));
}

TEST_F(Demo, KeepsAStoreThatWasAskedFor) {
  EXPECT_EQ(run({"demo", "--clients", "10", "--store", "kept.db"}).exit_code, 0);
  EXPECT_EQ(run({"audit", "kept.db"}).exit_code, 0);
  EXPECT_THAT(run({"list", "--store", "kept.db", "--resource", "room_307"}).out,
              HasSubstr("guest_g91"));
  const Ran again = run({"demo", "--store", "kept.db"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("kept.db exists"));
}

TEST_F(Demo, LeavesTheStoreOfTheEnvironmentAlone) {
  placed("room");
  RunOptions options = watched();
  options.environment["HOLDFAST_STORE"] = store();
  EXPECT_EQ(run({"demo", "--clients", "5"}, options).exit_code, 0);
  EXPECT_EQ(json({"list"}).size("/answer/items"), 1U);
}

}  // namespace
}  // namespace holdfast::test
