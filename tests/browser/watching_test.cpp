// Looking: lists and their pages, the stream of events, tokens, the audit, the counts.

#include <fmt/format.h>

#include "browser/console_page.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

TEST_F(ConsolePage, ListsByFilterAndPage) {
  for (int i = 0; i < 60; ++i) (void)placed(fmt::format("room_{}", i), i % 2 == 0 ? "even" : "odd");
  open();
  browser().wait_for("document.querySelectorAll('#holds tr').length === 50");
  browser().click("#holds-more");
  browser().wait_for("document.querySelectorAll('#holds tr').length === 60");
  EXPECT_TRUE(browser().value("document.getElementById('holds-more').hidden").truth("/value"));
  browser().type("#filter-requester", "odd");
  browser().click("#filter button");
  browser().wait_for("document.querySelectorAll('#holds tr').length === 30");
  browser().type("#filter-resource", "room_7");
  browser().press("#filter-resource", "\uE007");
  browser().wait_for("document.querySelectorAll('#holds tr').length === 1");
  browser().type("#filter-resource", "room_8");
  browser().press("#filter-resource", "\uE007");
  browser().wait_for_text("#holds-said", "There are none.");
}

TEST_F(ConsolePage, FollowsWhatAnotherClientDoes) {
  const std::string before = placed("room_before");
  open("#/events");
  browser().wait_for_text("#events-said", "Connected");
  browser().wait_for_text("#events", "room_before");
  const std::string id = placed("room_307");
  browser().wait_for_text("#events", "room_307");
  (void)call("POST", "/v1/holds/" + id + "/release", {{"Idempotency-Key", "r"}});
  browser().wait_for_text("#events", "hold.released");
  EXPECT_EQ(browser().number("document.querySelectorAll('#events tr').length"), 3);
  // The list of holds follows, too.
  browser().click("nav a[href='#/holds']");
  browser().wait_for_text("#holds", "released");
  (void)placed("room_308");
  browser().wait_for_text("#holds", "room_308");
}

TEST_F(ConsolePage, TakesTheEventsUpWhereTheyBroke) {
  open("#/events");
  (void)placed("room_1");
  browser().wait_for_text("#events", "room_1");
  service_->kill();
  browser().wait_for_text("#events-said", "The connection ended");
  service_->start();
  (void)placed("room_2");
  browser().wait_for_text("#events", "room_2");
  EXPECT_EQ(browser().number("document.querySelectorAll('#events tr').length"), 2);
}

TEST_F(ConsolePage, TellsWhatBecameOfAToken) {
  (void)call("POST", "/v1/holds", {{"Idempotency-Key", "first try/1"}},
             R"({"resource":"room_307","requester":"guest_g91","duration":"PT15M"})");
  (void)call("POST", "/v1/holds", {{"Idempotency-Key", "second-try"}},
             R"({"resource":"room_307","requester":"guest_k22","duration":"PT15M"})");
  open("#/tokens");
  browser().type("#token", "first try/1");
  browser().click("#look-up button");
  browser().wait_for_text("#token-outcome", "done");
  EXPECT_THAT(browser().text("#token-answer"), HasSubstr("room_307"));
  browser().type("#token", "second-try");
  browser().click("#look-up button");
  browser().wait_for_text("#token-outcome", "resource-unavailable");
  browser().type("#token", "never-used");
  browser().click("#look-up button");
  browser().wait_for_text("#token-said", "never used");
  EXPECT_EQ(browser().text("#token-result"), "");
}

TEST_F(ConsolePage, AuditsTheStore) {
  (void)placed("room_307");
  open("#/audit");
  browser().click("#run-audit");
  browser().wait_for_text("#audit-said", "Everything holds.");
  EXPECT_EQ(browser().number("document.querySelectorAll('#invariants tbody tr').length"),
            static_cast<std::int64_t>(Json(call("GET", "/v1/audit").body).size("/invariants")));
  EXPECT_THAT(browser().text("#invariants"), HasSubstr("PC-1"));
}

TEST_F(ConsolePage, ShowsWhatWasDecidedAndProvesIt) {
  (void)placed("<b>room</b>");
  const Headers same{{"Idempotency-Key", "once"}};
  const std::string body = R"({"resource":"room_307","requester":"guest_g91","duration":"PT15M"})";
  const std::string other = R"({"resource":"room_308","requester":"guest_g91","duration":"PT15M"})";
  EXPECT_EQ(call("POST", "/v1/holds", same, body).status, 201);
  EXPECT_EQ(call("POST", "/v1/holds", same, other).status, 409);
  open();
  browser().click("nav a[href='#/evidence']");
  browser().wait_for("document.querySelectorAll('#evidence tr').length === 3");
  const Json head(call("GET", "/v1/evidence/head").body);
  EXPECT_THAT(browser().text("#evidence-head"), HasSubstr(head.text("/root")));
  EXPECT_THAT(browser().text("#evidence"), HasSubstr("first seen"));
  EXPECT_THAT(browser().text("#evidence"), HasSubstr("conflict rejected"));
  EXPECT_THAT(browser().text("#evidence"), HasSubstr("<b>room</b>"));
  browser().click("#evidence tr:nth-child(1) summary");
  browser().wait_for_text("#evidence", "token-collision");
  browser().click("#evidence tr:nth-child(2) button");
  browser().wait_for_text("#evidence-proof", "audit_path");
  EXPECT_THAT(browser().text("#evidence-proof"),
              HasSubstr(Json(call("GET", "/v1/evidence/2/proof").body).text("/leaf_hash")));
}

/// What others do is no reason to show nothing.
TEST_F(ConsolePage, ShowsTheNewestOfATenantHoweverMuchOthersDo) {
  const std::string ours = new_key(http::Role::client, "north");
  const std::string theirs = new_key(http::Role::client, "south");
  const std::string auditor = new_key(http::Role::operator_role);
  const auto place_as = [&](const std::string& key, const std::string& name) {
    return call("POST", "/v1/holds",
                {{"Authorization", "Bearer " + key}, {"Idempotency-Key", name}},
                fmt::format(R"({{"resource":"{}","requester":"q","duration":900}})", name))
        .status;
  };
  for (const char* name : {"first", "second", "third"}) ASSERT_EQ(place_as(ours, name), 201);
  for (int i = 0; i < 150; ++i) ASSERT_EQ(place_as(theirs, fmt::format("other-{}", i)), 201);
  open();
  browser().type("#credential", ours);
  browser().click("#sign-in button");
  browser().click("nav a[href='#/evidence']");
  browser().wait_for("document.querySelectorAll('#evidence tr').length === 3");
  EXPECT_THAT(browser().text("#evidence tr:nth-child(1)"), HasSubstr("third"));
  EXPECT_THAT(browser().text("#evidence tr:nth-child(3)"), HasSubstr("first"));
  browser().click("nav a[href='#/events']");
  browser().wait_for("document.querySelectorAll('#events tr').length === 3");
  ASSERT_EQ(place_as(ours, "fourth"), 201);
  browser().wait_for_text("#events", "fourth");
}

TEST_F(ConsolePage, GoesBackThroughEarlierDecisions) {
  for (int i = 0; i < 250; ++i) (void)placed(fmt::format("room_{}", i));
  open("#/evidence");
  for (const int shown : {100, 200, 250}) {
    browser().wait_for(
        fmt::format("document.querySelectorAll('#evidence tr').length === {}", shown));
    if (shown < 250) browser().click("#evidence-earlier");
  }
  EXPECT_EQ(browser().number("new Set(Array.from(document.querySelectorAll('#evidence tr'), "
                             "row => row.firstChild.textContent)).size"),
            250);
  EXPECT_TRUE(
      browser().value("document.getElementById('evidence-earlier').hidden").truth("/value"));
}

/// Answers that come late are of what was shown before.
TEST_F(ConsolePage, ALateAnswerGivesWay) {
  const std::string slow = placed("slow");
  const std::string quick = placed("quick");
  open();
  // What is slow is answered when the test says so.
  (void)browser().value(
      "(window.real = window.fetch, window.held = [], window.fetch = (path, options) => "
      "/slow|" +
      slow +
      "/.test(path) ? new Promise(done => window.held.push(done)).then(() => "
      "window.real(path, options)) : window.real(path, options), 1)");
  const auto let_go = [&] {
    browser().wait_for("window.held.length > 0");
    (void)browser().value(
        "(window.came = 0, window.held.splice(0).forEach(go => { go(); setTimeout(() => "
        "++window.came, 500); }), 1)");
    browser().wait_for("window.came > 0");
  };
  (void)browser().value(fmt::format("(location.hash = '#/hold/{}', 1)", slow));
  browser().wait_for("window.held.length > 0");
  (void)browser().value(fmt::format("(location.hash = '#/hold/{}', 1)", quick));
  browser().wait_for_text("#hold", "quick");
  let_go();
  EXPECT_THAT(browser().text("#hold"), HasSubstr("quick"));

  (void)browser().value("(location.hash = '#/tokens/slow', 1)");
  browser().wait_for("window.held.length > 0");
  (void)browser().value("(location.hash = '#/tokens/quick', 1)");
  browser().wait_for_text("#token-said", "never used");
  let_go();
  EXPECT_EQ(browser().value("document.getElementById('token').value").text("/value"), "quick");
  EXPECT_THAT(browser().text("#token-said"), HasSubstr("never used"));
}

TEST_F(ConsolePage, WaitsForEvidenceThatIsStillBeingPutTogether) {
  std::string operations;
  for (int i = 0; i < 5000; ++i) {
    operations += fmt::format(
        R"({}{{"token":"t{}","operation":"hold.place","params":{{"resource":"r{}","requester":"q","duration":900}}}})",
        i == 0 ? "" : ",", i, i);
  }
  ASSERT_EQ(call("POST", "/v1/batch", {}, R"({"operations":[)" + operations + "]}").status, 200);
  restart({"--limits.evidence_deadline", "1ms"});
  ASSERT_EQ(call("GET", "/v1/evidence/head").status, 503);
  open("#/evidence");
  browser().wait_for("document.querySelectorAll('#evidence tr').length === 100");
  EXPECT_THAT(browser().text("#evidence-head"), HasSubstr("5000"));
}

TEST_F(ConsolePage, CountsWhatThereIs) {
  (void)placed("room_307");
  open();
  const std::string held = "[data-metric='holdfast_holds{state=\"held\"}']";
  browser().wait_for_text(held, "1");
  (void)placed("room_308");
  browser().wait_for_text(held, "2");
}

}  // namespace
}  // namespace holdfast::test
