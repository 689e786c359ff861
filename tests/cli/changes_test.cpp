#include "base/time_text.hpp"
#include "cli/runner.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Changes : public CliTest {};

TEST_F(Changes, HoldAnswersTheHold) {
  const Json json = this->json({"hold", "room_307", "guest_g91", "24h"});
  EXPECT_THAT(json.keys(""), ElementsAre("answer", "status", "replayed", "token"));
  EXPECT_THAT(
      json.keys("/answer"),
      ElementsAre("id", "resource", "requester", "quantity", "state", "placed_at", "expires_at",
                  "quantity_confirmed", "quantity_released", "quantity_cancelled", "fence"));
  EXPECT_EQ(json.number("/status"), 201);
  EXPECT_FALSE(json.truth("/replayed"));
  EXPECT_THAT(json.text("/token"), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(json.text("/answer/resource"), "room_307");
  EXPECT_EQ(json.text("/answer/requester"), "guest_g91");
  EXPECT_EQ(json.number("/answer/quantity"), 1);
  EXPECT_EQ(json.text("/answer/state"), "held");
  const auto placed_at = parse_rfc3339(json.text("/answer/placed_at"));
  const auto expires_at = parse_rfc3339(json.text("/answer/expires_at"));
  ASSERT_TRUE(placed_at && expires_at);
  EXPECT_EQ(*expires_at - *placed_at, std::chrono::hours(24));
}

TEST_F(Changes, DurationsAreReadInAllTheirForms) {
  const std::vector<std::pair<std::string, std::chrono::seconds>> forms{
      {"90s", std::chrono::seconds(90)},   {"15m", std::chrono::minutes(15)},
      {"24h", std::chrono::hours(24)},     {"7d", std::chrono::hours(168)},
      {"PT15M", std::chrono::minutes(15)}, {"P1DT12H", std::chrono::hours(36)},
      {"366d", std::chrono::hours(8784)}};
  for (const auto& [text, length] : forms) {
    const Json json = this->json({"hold", "r_" + text, "guest", text});
    EXPECT_EQ(*parse_rfc3339(json.text("/answer/expires_at")) -
                  *parse_rfc3339(json.text("/answer/placed_at")),
              length)
        << text;
  }
}

TEST_F(Changes, RepeatingGivesTheSameAnswerButForReplayed) {
  const std::vector<std::string> call{"hold", "room", "guest", "1h", "--token", "order-1"};
  const Json first = json(call);
  const Json again = json(call);
  EXPECT_EQ(first.raw("/answer"), again.raw("/answer"));
  EXPECT_EQ(first.number("/status"), again.number("/status"));
  EXPECT_EQ(first.text("/token"), again.text("/token"));
  EXPECT_FALSE(first.truth("/replayed"));
  EXPECT_TRUE(again.truth("/replayed"));
  EXPECT_EQ(json({"list"}).size("/answer/items"), 1U);
}

TEST_F(Changes, AReplayIsWordForWordEvenAfterTheHoldMovedOn) {
  const std::vector<std::string> call{"hold", "room", "guest", "1h", "--token", "order-1"};
  const Json first = json(call);
  const std::string id = first.text("/answer/id");
  const Json done = json({"confirm", id, "--token", "pay-1"});
  EXPECT_EQ(json(call).raw("/answer"), first.raw("/answer"));
  EXPECT_EQ(json({"confirm", id, "--token", "pay-1"}).raw("/answer"), done.raw("/answer"));
}

TEST_F(Changes, ARefusalIsRepeatedToo) {
  placed("room");
  const std::vector<std::string> call{"hold", "room", "other", "1h", "--token", "order-2"};
  const Json first = json(call, 11);
  const Json again = json(call, 11);
  EXPECT_EQ(first.raw("/answer"), again.raw("/answer"));
  EXPECT_TRUE(again.truth("/replayed"));
}

TEST_F(Changes, ConfirmReleaseAndExpireAnswerTheHoldWithItsInstant) {
  const std::string kept = placed("a");
  const Json confirmed = json({"confirm", kept});
  EXPECT_EQ(confirmed.number("/status"), 200);
  EXPECT_EQ(confirmed.text("/answer/state"), "confirmed");
  EXPECT_TRUE(parse_rfc3339(confirmed.text("/answer/confirmed_at")));

  const Json released = json({"release", placed("b")});
  EXPECT_EQ(released.text("/answer/state"), "released");
  EXPECT_TRUE(parse_rfc3339(released.text("/answer/released_at")));
  EXPECT_FALSE(released.has("/answer/confirmed_at"));

  const Json expired = json({"expire", placed("c", "1ms")});
  EXPECT_EQ(expired.text("/answer/state"), "expired");
  EXPECT_TRUE(parse_rfc3339(expired.text("/answer/expired_at")));
}

TEST_F(Changes, AReleasedResourceIsFreeAgain) {
  json({"release", placed("room")});
  EXPECT_EQ(json({"hold", "room", "other", "1h"}).text("/answer/state"), "held");
}

TEST_F(Changes, ALapsedResourceIsFreeAgain) {
  placed("room", "1ms");
  EXPECT_EQ(json({"hold", "room", "other", "1h"}).text("/answer/state"), "held");
}

TEST_F(Changes, HumansAreToldWhatHappenedAndHowToRepeatIt) {
  const Ran first = run({"hold", "room", "guest", "24h", "--token", "order 1"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.err, "");
  EXPECT_THAT(first.out, AllOf(HasSubstr("room is held for guest."), HasSubstr("in 23h 59m"),
                               HasSubstr("--token 'order 1'"), Not(HasSubstr("replay"))));
  const Ran again = run({"hold", "room", "guest", "24h", "--token", "order 1"});
  EXPECT_THAT(again.out, HasSubstr("This is a replay"));

  const Ran fresh = run({"hold", "other", "guest", "24h"});
  EXPECT_THAT(fresh.out, testing::ContainsRegex(
                             "token [0-9a-f]+ \\(repeat with --token [0-9a-f]+ to get this same "
                             "answer\\)"));
}

TEST_F(Changes, HumansAreToldWhyNotOnTheErrorStream) {
  placed("room");
  const Ran ran = run({"hold", "room", "other", "1h", "--token", "t"});
  EXPECT_EQ(ran.exit_code, 11);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("resource-unavailable"), HasSubstr("--token t")));
}

TEST_F(Changes, QuantitiesShareADeclaredCapacity) {
  const Json declared = json({"resource", "flight", "--capacity", "5"});
  EXPECT_EQ(declared.raw("/answer"), R"({"name":"flight","capacity":5,"declared":true})");
  EXPECT_EQ(declared.number("/status"), 200);
  EXPECT_EQ(json({"hold", "flight", "a", "1h", "--quantity", "3"}).number("/answer/quantity"), 3);
  json({"hold", "flight", "b", "1h", "--quantity", "3"}, 11);
  json({"hold", "flight", "b", "1h", "--quantity", "2"});
  const Json shown = json({"resource", "flight"});
  EXPECT_EQ(shown.number("/answer/in_use"), 5);
  EXPECT_EQ(shown.number("/answer/available"), 0);
}

TEST_F(Changes, TheWindowIsChosenWhenTheStoreIsMade) {
  json({"hold", "room", "guest", "1h", "--token", "t", "--window", "1h"});
  const Json token = json({"token", "t"});
  EXPECT_EQ(*parse_rfc3339(token.text("/answer/forgotten_at")) -
                *parse_rfc3339(token.text("/answer/recorded_at")),
            std::chrono::hours(1));
  EXPECT_EQ(run({"hold", "a", "b", "1h", "--window", "36601d"}).exit_code, 2);
  const Json refused = json({"hold", "a", "b", "1h", "--window", "2h"}, 1);
  EXPECT_THAT(refused.text("/answer/detail"), HasSubstr("window of 1h"));
}

TEST_F(Changes, TheStoreIsFoundByOptionThenEnvironmentThenHere) {
  const RunOptions chosen{.environment = {{"HOLDFAST_STORE", folder.file("env.db")}}};
  EXPECT_EQ(run({"hold", "a", "b", "1h"}, chosen).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("env.db")));
  EXPECT_FALSE(std::filesystem::exists(store()));
  EXPECT_EQ(run({"--store", "opt.db", "hold", "a", "b", "1h"}, chosen).exit_code, 0);
  EXPECT_EQ(run({"hold", "a2", "b", "1h", "--store", "opt.db"}, chosen).exit_code, 0);
  EXPECT_THAT(run({"list", "--store", "opt.db"}).out, EndsWith("2 holds.\n"));
}

TEST_F(Changes, TenantsDoNotSeeEachOther) {
  const std::string id = placed("room");
  json({"hold", "room", "guest", "1h", "--tenant", "hotel_b"});
  json({"--tenant", "hotel_b", "confirm", id}, 12);
  EXPECT_EQ(json({"list", "--tenant", "hotel_b"}).size("/answer/items"), 1U);
  json({"hold", "room", "guest", "1h", "--tenant", ""}, 10);
}

}  // namespace
}  // namespace holdfast::test
