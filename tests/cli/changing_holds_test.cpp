// Holds that change while they stand, and groups of them, on the command line.

#include "base/time_text.hpp"
#include "cli/runner.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ChangingHoldsCommand : public CliTest {
 protected:
  /// Its id.
  std::string some(int quantity) {
    json({"resource", "seats", "--capacity", "9"});
    return json({"hold", "seats", "guest", "1h", "--quantity", std::to_string(quantity)})
        .text("/answer/id");
  }
  static constexpr int resource_unavailable = 11;
  static constexpr int not_known = 12;
  static constexpr int not_held = 13;
  static constexpr int not_confirmed = 33;
  static constexpr int quantity_exceeded = 34;
};

TEST_F(ChangingHoldsCommand, ExtendAnswersTheNewExpiry) {
  const std::string id = placed("room");
  const Json first = json({"extend", id, "3h", "--token", "more"});
  const auto placed_at = parse_rfc3339(first.text("/answer/placed_at"));
  const auto expires_at = parse_rfc3339(first.text("/answer/expires_at"));
  ASSERT_TRUE(placed_at && expires_at);
  EXPECT_GE(*expires_at - *placed_at, std::chrono::hours(3));
  const Json again = json({"extend", id, "3h", "--token", "more"});
  EXPECT_EQ(again.raw("/answer"), first.raw("/answer"));
  EXPECT_TRUE(again.truth("/replayed"));
  const Ran shown = run({"extend", id, "4h"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("room is held for guest"), HasSubstr("in 3h 59m")));
  json({"release", id});
  json({"extend", id, "5h"}, not_held);
  EXPECT_EQ(run({"extend", id}).exit_code, 2) << "for how long?";
  EXPECT_EQ(run({"extend", id, "long"}).exit_code, 2);
}

TEST_F(ChangingHoldsCommand, ConfirmTakesAPartAndFinally) {
  const std::string id = some(5);
  const Json part = json({"confirm", id, "--quantity", "2", "--token", "part"});
  EXPECT_EQ(part.text("/answer/state"), "held");
  EXPECT_EQ(part.number("/answer/quantity_confirmed"), 2);
  json({"confirm", id, "--quantity", "4"}, quantity_exceeded);
  json({"confirm", id, "--quantity", "0"}, 10);
  const Json last = json({"confirm", id, "--quantity", "1", "--final"});
  EXPECT_EQ(last.text("/answer/state"), "confirmed");
  EXPECT_EQ(last.number("/answer/quantity_released"), 2);
  EXPECT_EQ(json({"confirm", id, "--quantity", "2", "--token", "part"}).raw("/answer"),
            part.raw("/answer"));
  EXPECT_EQ(json({"resource", "seats"}).number("/answer/in_use"), 3);
}

TEST_F(ChangingHoldsCommand, CancelGivesBackOnce) {
  const std::string id = some(5);
  json({"cancel", id}, not_confirmed);
  json({"confirm", id});
  const Json part = json({"cancel", id, "--quantity", "2", "--token", "refund"});
  EXPECT_EQ(part.number("/answer/quantity_cancelled"), 2);
  json({"cancel", id, "--quantity", "2", "--token", "refund"});
  EXPECT_EQ(json({"resource", "seats"}).number("/answer/in_use"), 3);
  json({"cancel", id, "--quantity", "4"}, quantity_exceeded);
  const Ran rest = run({"cancel", id});
  EXPECT_EQ(rest.exit_code, 0);
  EXPECT_THAT(rest.out, AllOf(HasSubstr("seats is given back by guest"), HasSubstr("cancelled")));
  EXPECT_EQ(json({"resource", "seats"}).number("/answer/in_use"), 0);
  json({"cancel", id}, not_confirmed);
  json({"cancel", "h9-000000000000001"}, not_known);
}

TEST_F(ChangingHoldsCommand, GroupPlacesAllOrNone) {
  json({"resource", "breakfast", "--capacity", "4"});
  const std::vector<std::string> call{"group", "guest", "1h", "room breakfast=2", "--token", "g"};
  const Json first = json(call);
  EXPECT_EQ(first.number("/status"), 201);
  EXPECT_EQ(first.texts("/answer/holds", "resource"),
            (std::vector<std::string>{"room", "breakfast"}));
  EXPECT_EQ(first.number("/answer/holds/1/quantity"), 2);
  const Json again = json(call);
  EXPECT_EQ(again.raw("/answer"), first.raw("/answer"));
  EXPECT_TRUE(again.truth("/replayed"));
  const Json refused = json({"group", "other", "1h", "car room"}, resource_unavailable);
  EXPECT_EQ(refused.texts("/answer/short", "resource"), (std::vector<std::string>{"room"}));
  EXPECT_EQ(json({"list"}).size("/answer/items"), 2U);
}

TEST_F(ChangingHoldsCommand, GroupsAreConfirmedReleasedAndExtended) {
  const std::string one = json({"group", "guest", "1h", "a b"}).text("/answer/id");
  const Json extended = json({"group-extend", one, "3h", "--token", "e"});
  EXPECT_EQ(extended.text("/answer/holds/0/expires_at"),
            extended.text("/answer/holds/1/expires_at"));
  const Json confirmed = json({"group-confirm", one, "--token", "c"});
  EXPECT_EQ(confirmed.texts("/answer/holds", "state"), (std::vector<std::string>(2, "confirmed")));
  EXPECT_EQ(json({"group-extend", one, "3h", "--token", "e"}).raw("/answer"),
            extended.raw("/answer"));
  json({"group-release", one}, not_held);

  const Ran placed = run({"group", "guest", "1h", "c d"});
  EXPECT_THAT(placed.out,
              AllOf(HasSubstr("The holds are placed."), HasSubstr("group"), HasSubstr("resource")));
  const std::string two = json({"group", "guest", "1h", "x y"}).text("/answer/id");
  const Json released = json({"group-release", two});
  EXPECT_EQ(released.texts("/answer/holds", "state"), (std::vector<std::string>(2, "released")));
  json({"group-confirm", "g9-000000000000001"}, not_known);
  EXPECT_EQ(run({"group-confirm", "nonsense"}).exit_code, not_known);
  EXPECT_EQ(run({"group", "guest", "1h"}).exit_code, 2);
  EXPECT_EQ(run({"group", "guest", "1h", "room="}).exit_code, 2);
}

TEST_F(ChangingHoldsCommand, TheAuditIsCleanAfterwards) {
  const std::string id = some(5);
  json({"extend", id, "2h"});
  json({"confirm", id, "--quantity", "2"});
  json({"cancel", id, "--quantity", "1"});
  json({"confirm", id, "--quantity", "1", "--final"});
  const std::string group = json({"group", "guest", "1h", "a b"}).text("/answer/id");
  json({"group-extend", group, "2h"});
  json({"group-confirm", group});
  EXPECT_TRUE(json({"audit"}).truth("/answer/clean"));
}

}  // namespace
}  // namespace holdfast::test
