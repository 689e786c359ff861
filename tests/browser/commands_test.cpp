// Commands: the list, and the timeline of one of them.

#include <fmt/format.h>

#include "browser/commands_page.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(ConsoleCommands, AreListedByStatusNameAndKey) {
  (void)submitted("note-1", "order.note");
  (void)submitted("ship-1", "parcel.ship", R"("target":{"order":"4711"})");
  (void)submitted("ship-2", "parcel.ship");
  EXPECT_EQ(call("POST", "/v1/commands", {{"Idempotency-Key", "bad-1"}},
                 R"({"intent":{"entity":"order","action":"note"},"args":{"note":7}})")
                .status,
            422);
  open("#/commands");
  wait_for_count("#commands tr", 4);
  EXPECT_THAT(browser().text("#commands tr:nth-child(3)"), HasSubstr(R"({"order":"4711"})"));
  choose("#commands-status", "rejected");
  wait_for_count("#commands tr", 1);
  EXPECT_THAT(browser().text("#commands"), HasSubstr("bad-1"));
  choose("#commands-status", "");
  browser().type("#commands-entity", "parcel");
  browser().click("#commands-filter button");
  wait_for_count("#commands tr", 2);
  browser().type("#commands-action", "note");
  browser().press("#commands-action", "\uE007");
  browser().wait_for_text("#commands-said", "There are none.");
  browser().type("#commands-entity", "order");
  browser().type("#commands-key", "note-1");
  browser().click("#commands-filter button");
  wait_for_count("#commands tr", 1);
  EXPECT_THAT(browser().text("#commands"), HasSubstr("executed"));
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

TEST_F(ConsoleCommands, AreListedPageByPage) {
  note(60, "n");
  open("#/commands");
  wait_for_count("#commands tr", 50);
  browser().click("#commands-more");
  wait_for_count("#commands tr", 60);
  EXPECT_TRUE(browser().value("document.getElementById('commands-more').hidden").truth("/value"));
}

TEST_F(ConsoleCommands, HaveATimelineFromTheirClaimToTheAnswer) {
  const std::string id = submitted("ship-1", "parcel.ship");
  open("#/command/" + id);
  browser().wait_for_text("#timeline", "command.accepted");
  browser().wait_for_text("#command-effect", "a worker leases it");
  lease();  // the page follows what others do
  browser().wait_for_text("#timeline", "Attempt 1 by local, fence 1");
  browser().wait_for_text("#effect-status", "leased");
  EXPECT_EQ(count("#command-effect button"), 0);
  fail(id, R"({"fence":1,"verdict":"retry","error":"no van"})");
  browser().wait_for_text("#timeline", "It did not settle: no van");
  lease();
  complete(id, R"({"fence":2,"result":{"label":"L1"}})");
  browser().wait_for_text("#command-status", "executed");
  browser().wait_for_text("#timeline", R"(Answer: {"label":"L1"})");
  browser().wait_for("document.getElementById('command-effect-card').hidden");
  EXPECT_THAT(browser().text("#command-outcome"), HasSubstr("L1"));
  const std::string steps =
      browser()
          .value(
              "Array.from(document.querySelectorAll('#timeline li .pill:first-child'), "
              "each => each.textContent).join(' ')")
          .text("/value");
  EXPECT_THAT(steps, testing::StartsWith("command.accepted effect.leased effect.postponed "
                                         "effect.leased command.settled"));
  EXPECT_EQ(count("#timeline li"), 5);
  EXPECT_THAT(browser().console(), testing::IsEmpty());
  // The whole of it, too, for whoever comes afterwards; and the key leads there.
  browser().open("about:blank");
  open("#/tokens/ship-1");
  browser().click("#token-result a");
  wait_for_count("#timeline li", 5);
}

TEST_F(ConsoleCommands, SayWhoApprovedThem) {
  const std::string theirs = new_key(http::Role::client);
  const std::string ours = new_key(http::Role::operator_role);
  const std::string body = R"({"intent":{"entity":"account","action":"waive"}})";
  Headers caller{{"Authorization", "Bearer " + theirs}, {"Idempotency-Key", "waive-1"}};
  const Json asked(call("POST", "/v1/commands", caller, body).body);
  const std::string token = asked.text("/execution/confirmation_token");
  const std::string id = asked.text("/execution/command_id");
  const Answered approved = call("POST", "/v1/commands/" + id + "/approve",
                                 {{"Authorization", "Bearer " + ours}, {"Idempotency-Key", "a"}},
                                 fmt::format(R"({{"confirmation_token":"{}"}})", token));
  ASSERT_EQ(approved.status, 200) << approved.body;
  caller.push_back({"X-Confirmation", token});
  ASSERT_EQ(call("POST", "/v1/commands", caller, body).status, 200);
  open("#/command/" + id);
  browser().type("#credential", ours);
  browser().click("#sign-in button");
  wait_for_count("#timeline li", 2);
  EXPECT_THAT(browser().text("#timeline li:nth-child(1)"), HasSubstr("Approved by operator"));
  EXPECT_THAT(browser().text("#timeline li:nth-child(2)"),
              HasSubstr("executed at once, by client"));
  EXPECT_THAT(browser().text("#timeline"), Not(HasSubstr(token)));
}

/// However much happened in between. It asks before it reads on for long.
TEST_F(ConsoleCommands, AreFoundAmongManyEvents) {
  note(3000, "before");
  const std::string id = submitted("ship-1", "parcel.ship");
  note(7000, "while");
  note(7000, "more");
  lease();
  complete(id, R"({"fence":1,"result":{"label":"L1"}})");
  open("#/command/" + id);
  browser().wait_for_text("#timeline-said", "There are more events");
  EXPECT_THAT(browser().text("#timeline"), HasSubstr("command.accepted"));
  EXPECT_THAT(browser().text("#timeline"), Not(HasSubstr("L1")));
  browser().click("#timeline-more");
  browser().wait_for_text("#timeline", "L1");
  wait_for_count("#timeline li", 3);
  EXPECT_TRUE(browser().value("document.getElementById('timeline-more').hidden").truth("/value"));
}

TEST_F(ConsoleCommands, WereUndoneWhereAnOperatorSaysSo) {
  const std::string id = submitted("note-1", "order.note");
  open("#/command/" + id);
  browser().click("#do-undone");
  browser().wait_for_text("#ask-text", "order.note");
  browser().click("#ask-yes");
  browser().wait_for_text("#command-status", "compensated");
  browser().wait_for_text("#timeline", "resolved");
  EXPECT_EQ(status_of(id), "compensated");
  EXPECT_EQ(count("#do-undone"), 0);
}

TEST_F(ConsoleCommands, SayWhatIsNotThere) {
  open("#/command/nonsense");
  browser().wait_for_text("#command-said", "That is not the id of a command.");
  open("#/command/c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1");
  browser().wait_for_text("#command-said", "command-not-known");
  EXPECT_EQ(count("#timeline li"), 0);
}

/// In every field that somebody fills in, and in what workers say.
TEST_F(ConsoleCommands, ShowHostileTextAsText) {
  const std::string text = as_literal(hostile_text);
  const Answered made = call(
      "POST", "/v1/commands", {{"Idempotency-Key", hostile_text}},
      fmt::format(
          R"({{"intent":{{"entity":"parcel","action":"ship","target":{0}}},"args":{{{0}:{0}}},)"
          R"("actor_id":"local","effective_actor_id":{0},"correlation_id":{0},"command_kind":{0}}})",
          text));
  ASSERT_EQ(made.status, 202) << made.body;
  const std::string id = Json(made.body).text("/command_id");
  lease();
  fail(id,
       fmt::format(R"({{"fence":1,"verdict":"retry","error":{0},"result":{{{0}:{0}}}}})", text));
  open("#/commands");
  browser().wait_for_text("#commands td:nth-child(2)", hostile_text);
  browser().wait_for_text("#commands td:nth-child(4)", hostile_text);
  browser().click("#commands a");
  browser().wait_for_text("#timeline", "It did not settle: " + std::string(hostile_text));
  browser().wait_for_text("#command-effect", hostile_text);
  for (const char* each : {"Target", "Key", "On behalf of", "Kind", "Correlation id"}) {
    EXPECT_EQ(browser()
                  .value(fmt::format("Array.from(document.querySelectorAll('#command dt')).find("
                                     "each => each.textContent === '{}').nextSibling.textContent",
                                     each))
                  .text("/value"),
              hostile_text)
        << each;
  }
  browser().click("nav a[href='#/effects']");
  browser().wait_for_text("#effects td:nth-child(5)", hostile_text);
  browser().click("#effects .do-resolve");
  browser().wait_for_text("#ask-text", hostile_text);
  browser().type("#ask-result", text);
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#actions h3", hostile_text);
  (void)browser().value(fmt::format("(location.hash = '#/command/{}', 1)", id));
  browser().wait_for_text("#command-outcome", "onerror");
  wait_for_count("#timeline li", 4);
  browser().click("nav a[href='#/events']");
  browser().wait_for_text("#events", "command.settled");
  expect_only_text();
}

TEST_F(ConsoleCommands, FitANarrowWindow) {
  const std::string wide(200, 'W');
  const std::string id = submitted(wide, "parcel.ship", R"("target":")" + wide + '"');
  lease();
  fail(id, fmt::format(R"({{"fence":1,"verdict":"retry","error":"{}"}})", wide));
  browser().resize(360, 740);
  for (const std::string& view : {std::string("commands"), std::string("effects"), "command/" + id,
                                  std::string("subscriptions")}) {
    open("#/" + view);
    browser().wait_for("document.querySelectorAll('#counts div').length > 0");
    browser().wait_for("document.querySelectorAll('#events tr').length === 4");
    if (view.starts_with("command/")) wait_for_count("#timeline li", 3);
    EXPECT_LE(browser().number("document.documentElement.scrollWidth"), 360) << view;
  }
}

}  // namespace
}  // namespace holdfast::test
