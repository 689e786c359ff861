#include "base/time_text.hpp"
#include "cli/runner.hpp"
#include "holdfast/holdfast.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Reads : public CliTest {};

TEST_F(Reads, ShowTellsTheLifecycleAndTheToken) {
  const std::string id = json({"hold", "room", "guest", "1h", "--token", "t1"}).text("/answer/id");
  const Json held = json({"show", id});
  EXPECT_EQ(held.number("/status"), 200);
  EXPECT_TRUE(held.is_null("/token"));
  EXPECT_EQ(held.text("/answer/token"), "t1");
  EXPECT_EQ(held.size("/answer/lifecycle"), 1U);
  EXPECT_FALSE(held.has("/answer/lapsed"));
  json({"confirm", id});
  const Json confirmed = json({"show", id});
  EXPECT_EQ(confirmed.text("/answer/state"), "confirmed");
  EXPECT_EQ(confirmed.text("/answer/lifecycle/0/state"), "held");
  EXPECT_EQ(confirmed.text("/answer/lifecycle/1/state"), "confirmed");
  EXPECT_EQ(confirmed.text("/answer/lifecycle/1/at"), confirmed.text("/answer/confirmed_at"));
  const Ran ran = run({"show", id});
  EXPECT_THAT(ran.out, AllOf(HasSubstr(id), HasSubstr("Lifecycle"), HasSubstr("confirmed"),
                             HasSubstr("placed with token t1")));
}

TEST_F(Reads, ALapsedHoldIsHeldAndLapsed) {
  const std::string id = placed("room", "1ms");
  const Json shown = json({"show", id});
  EXPECT_EQ(shown.text("/answer/state"), "held");
  EXPECT_TRUE(shown.truth("/answer/lapsed"));
  EXPECT_TRUE(json({"list"}).truth("/answer/items/0/lapsed"));
  EXPECT_THAT(run({"list"}).out, HasSubstr("lapsed"));
  EXPECT_EQ(json({"resource", "room"}).number("/answer/in_use"), 0);
}

TEST_F(Reads, ListFilters) {
  const std::string a = placed("a");
  json({"hold", "b", "other", "1h"});
  json({"confirm", a});
  EXPECT_EQ(json({"list"}).size("/answer/items"), 2U);
  EXPECT_EQ(json({"list"}).text("/answer/items/0/resource"), "b") << "newest first";
  EXPECT_EQ(json({"list", "--resource", "a"}).text("/answer/items/0/id"), a);
  EXPECT_EQ(json({"list", "--requester", "other"}).text("/answer/items/0/resource"), "b");
  EXPECT_EQ(json({"list", "--state", "confirmed"}).text("/answer/items/0/id"), a);
  EXPECT_EQ(json({"list", "--state", "released"}).size("/answer/items"), 0U);
  EXPECT_EQ(json({"list", "--resource", "A"}).size("/answer/items"), 0U);
  EXPECT_THAT(run({"list", "--resource", "A"}).out, HasSubstr("No such holds."));
}

TEST_F(Reads, ListsGoOnFromACursor) {
  {
    auto holdfast = open({.store = store()});
    ASSERT_TRUE(holdfast);
    for (int i = 0; i < 25; ++i) {
      ASSERT_TRUE(holdfast->place({.resource = "r" + std::to_string(i),
                                   .requester = "q",
                                   .duration = std::chrono::hours(1)},
                                  Token::fresh()));
    }
  }
  const Json first = json({"list", "--limit", "10"});
  EXPECT_EQ(first.size("/answer/items"), 10U);
  EXPECT_EQ(first.text("/answer/items/0/resource"), "r24");
  const Json second = json({"list", "--limit", "20", "--cursor", first.text("/answer/next")});
  EXPECT_EQ(second.size("/answer/items"), 15U);
  EXPECT_EQ(second.text("/answer/items/0/resource"), "r14");
  EXPECT_TRUE(second.is_null("/answer/next"));
  EXPECT_EQ(json({"list", "--all"}).size("/answer/items"), 25U);
  EXPECT_EQ(json({"resource", "--limit", "7"}).size("/answer/items"), 7U);
  EXPECT_EQ(json({"resource", "--all"}).size("/answer/items"), 25U);
  EXPECT_THAT(run({"list", "--limit", "10"}).out, HasSubstr("--cursor"));
  const Ran made_up = run({"list", "--cursor", "nonsense!"});
  EXPECT_EQ(made_up.exit_code, 2);
  EXPECT_THAT(made_up.err, HasSubstr("cursor"));
  EXPECT_THAT(run({"list", "--all"}).out, HasSubstr("25 holds."));
}

TEST_F(Reads, TokenTellsWhatBecameOfIt) {
  const Json done = json({"hold", "room", "guest", "1h", "--token", "t1"});
  const Json token = json({"token", "t1"});
  EXPECT_EQ(token.text("/token"), "t1");
  EXPECT_EQ(token.text("/answer/operation"), "hold.place");
  EXPECT_EQ(token.text("/answer/outcome"), "done");
  EXPECT_EQ(token.number("/answer/status"), 201);
  EXPECT_EQ(token.raw("/answer/answer"), done.raw("/answer"));
  EXPECT_EQ(token.text("/answer/recorded_at"), done.text("/answer/placed_at"));
  EXPECT_EQ(*parse_rfc3339(token.text("/answer/forgotten_at")) -
                *parse_rfc3339(token.text("/answer/recorded_at")),
            std::chrono::hours(24));
  EXPECT_THAT(run({"token", "t1"}).out,
              AllOf(HasSubstr("hold.place"), HasSubstr("done"), HasSubstr("remembered"),
                    HasSubstr(done.text("/answer/id"))));

  const Json refused = json({"hold", "room", "other", "1h", "--token", "t2"}, 11);
  EXPECT_EQ(json({"token", "t2"}).text("/answer/outcome"), "resource-unavailable");
  EXPECT_EQ(json({"token", "t2"}).raw("/answer/answer"), refused.raw("/answer"));

  json({"resource", "flight", "--capacity", "3", "--token", "t3"});
  EXPECT_TRUE(json({"token", "t3"}).is_null("/answer/forgotten_at"));
  EXPECT_THAT(run({"token", "t3"}).out, HasSubstr("as long as the store exists"));
}

TEST_F(Reads, AnUnknownTokenIsNotKnown) {
  placed("room");
  EXPECT_EQ(json({"token", "never"}, 12).text("/answer/code"), "not-known");
  const Ran ran = run({"token", "never"});
  EXPECT_EQ(ran.exit_code, 12);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("never used"), HasSubstr("forgotten")));
}

TEST_F(Reads, AResourceNobodyNamedHasCapacityOne) {
  placed("room");
  const Json json = this->json({"resource", "unheard-of"});
  EXPECT_EQ(json.raw("/answer"),
            R"({"name":"unheard-of","capacity":1,"declared":false,"in_use":0,"available":1})");
  EXPECT_THAT(run({"resource", "room"}).out, HasSubstr("never declared"));
}

TEST_F(Reads, NeverMakeAStore) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"show", "h1-0f3c9d1e5b7a842"},
                                             {"token", "t"},
                                             {"resource"},
                                             {"resource", "room"},
                                             {"audit"}}) {
    const Ran ran = run(command);
    EXPECT_EQ(ran.exit_code, 1) << command.front();
    EXPECT_THAT(ran.err, HasSubstr("no store at holdfast.db"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << command.front();
  }
}

TEST_F(Reads, WorkWhileTheStoreIsOwned) {
  auto owner = open({.store = store()});
  ASSERT_TRUE(owner) << owner.error().message;
  const Answer answer = owner->place(
      {.resource = "room", .requester = "guest", .duration = std::chrono::hours(1)}, Token("t1"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(json({"list"}).size("/answer/items"), 1U);
  EXPECT_EQ(json({"show", answer.hold->id.text()}).text("/answer/token"), "t1");
  EXPECT_EQ(json({"token", "t1"}).text("/answer/outcome"), "done");
  EXPECT_EQ(json({"resource", "room"}).number("/answer/in_use"), 1);
  EXPECT_EQ(json({"resource"}).size("/answer/items"), 1U);
  EXPECT_TRUE(json({"audit"}).truth("/answer/clean"));
}

}  // namespace
}  // namespace holdfast::test
