// Dry runs, availability, groups and lists by the beginning of a name, on the command line; and
// that a command which is refused makes no store.

#include <filesystem>

#include "cli/runner.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class QuestionsCommand : public CliTest {};

TEST_F(QuestionsCommand, DryRunOnlySaysWhatWouldBe) {
  EXPECT_THAT(run({"hold", "room", "guest", "1h", "--dry-run"}).out,
              HasSubstr("room could be held for guest"));
  EXPECT_FALSE(std::filesystem::exists(store())) << "nothing was held, so nothing was made";
  placed("room");
  const Ran taken = run({"hold", "room", "guest", "1h", "--dry-run"});
  EXPECT_EQ(taken.exit_code, 11);
  EXPECT_EQ(run({"hold", "room", "guest", "0s", "--dry-run"}).exit_code, 10);
  EXPECT_EQ(run({"hold", "room", "guest", "1h", "--dry-run", "--token", "t"}).exit_code, 2);
  EXPECT_TRUE(json({"hold", "hall", "guest", "1h", "--dry-run"}).truth("/answer/dry_run"));
  EXPECT_THAT(run({"list"}).out, Not(HasSubstr("hall")));
}

TEST_F(QuestionsCommand, ARefusedCommandMakesNoStore) {
  EXPECT_EQ(run({"confirm", "h1-4c1f0a9be2d7731"}).exit_code, 12);
  EXPECT_EQ(run({"hold", "room", "guest", "0s"}).exit_code, 10);
  EXPECT_EQ(run({"group-release", "g1-4c1f0a9be2d7731"}).exit_code, 12);
  const Ran refused = run({"hold", "room", "guest", "1h", "--quantity", "2", "--token", "t"});
  EXPECT_EQ(refused.exit_code, 10);
  EXPECT_FALSE(std::filesystem::exists(store()));
  EXPECT_EQ(run({"hold", "room", "guest", "1h", "--token", "t"}).exit_code, 0)
      << "the token is unused";
  EXPECT_TRUE(std::filesystem::exists(store()));
}

TEST_F(QuestionsCommand, ANewStoreRemembersTokensForADay) {
  placed("room");
  EXPECT_THAT(run({"store", "status"}).out, HasSubstr("window       1d"));
}

TEST_F(QuestionsCommand, ResourceTellsHeldFromConfirmed) {
  json({"resource", "seats", "--capacity", "9"});
  const std::string id =
      json({"hold", "seats", "guest", "1h", "--quantity", "4"}).text("/answer/id");
  json({"confirm", id, "--quantity", "1"});
  EXPECT_THAT(
      run({"resource", "seats"}).out,
      AllOf(HasSubstr("held       3"), HasSubstr("confirmed  1"), HasSubstr("next expiry")));
}

TEST_F(QuestionsCommand, ShowKnowsGroups) {
  const std::string id = json({"group", "guest", "1h", "room hall"}).text("/answer/id");
  EXPECT_THAT(run({"show", id}).out, AllOf(HasSubstr("room"), HasSubstr("hall"), HasSubstr(id)));
  EXPECT_EQ(json({"show", id}).text("/answer/holds/1/resource"), "hall");
  EXPECT_EQ(run({"show", "g1-4c1f0a9be2d7731"}).exit_code, 12);
  const Ran short_of = run({"group", "guest", "1h", "room hall=2 hut"});
  EXPECT_EQ(short_of.exit_code, 10) << "2 of 1";
  const Ran taken = run({"group", "guest", "1h", "room hut"});
  EXPECT_EQ(taken.exit_code, 11);
  EXPECT_THAT(taken.err, HasSubstr("room: 1 asked, 0 free"));
}

TEST_F(QuestionsCommand, ListsTakeThePrefixOfAName) {
  placed("room_1");
  placed("roof");
  EXPECT_THAT(run({"list", "--resource-prefix", "room_"}).out,
              AllOf(HasSubstr("room_1"), Not(HasSubstr("roof"))));
  EXPECT_THAT(run({"resource", "--prefix", "room_"}).out,
              AllOf(HasSubstr("room_1"), Not(HasSubstr("roof"))));
  EXPECT_EQ(run({"resource", "roof", "--prefix", "r"}).exit_code, 2);
}

}  // namespace
}  // namespace holdfast::test
