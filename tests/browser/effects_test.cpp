// Effects, and what operators do about them: each thing once.

#include <fmt/format.h>

#include "browser/commands_page.hpp"
#include "browser/losing_proxy.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class ConsoleEffects : public ConsoleCommands {
 protected:
  /// A command whose effect is given up: its command failed.
  [[nodiscard]] std::string dead(const std::string& key) const {
    const std::string id = submitted(key, "parcel.ship");
    lease();
    fail(id, R"({"fence":1,"verdict":"refused","error":"no such address"})");
    EXPECT_EQ(status_of(id), "failed");
    return id;
  }
  /// One of which nobody knows whether it took place.
  [[nodiscard]] std::string unknown(const std::string& key) const {
    const std::string id = submitted(key, "parcel.ship");
    lease();
    fail(id, R"({"fence":1,"verdict":"unknown","error":"the line broke"})");
    return id;
  }
  void expect_rows(const std::string& status, const std::string& id) const {
    choose("#effects-status", status);
    browser().wait_for(
        fmt::format("document.querySelectorAll('#effects tr').length === 1 && "
                    "document.querySelector('#effects tr').dataset.effect === {}",
                    as_literal(id)));
    EXPECT_THAT(browser().text("#effects td:nth-child(4)"), HasSubstr(status));
  }
};

TEST_F(ConsoleEffects, AreListedByStatusAndSayWhyTheyWait) {
  const std::string gone = dead("dead-1");
  const std::string lost = unknown("unknown-1");
  const std::string taken = submitted("leased-1", "parcel.ship");
  lease();
  const std::string waiting = submitted("waiting-1", "parcel.ship");
  open("#/effects");
  wait_for_count("#effects tr", 4);
  expect_rows("dead", gone);
  EXPECT_THAT(browser().text("#effects"), HasSubstr("Its command failed (refused)"));
  EXPECT_EQ(count("#effects .do-retry, #effects .do-resolve"), 2);
  EXPECT_EQ(count("#effects .do-cancel"), 0);
  expect_rows("unknown", lost);
  EXPECT_THAT(browser().text("#effects"), HasSubstr("outcome_unknown"));
  expect_rows("leased", taken);
  EXPECT_THAT(browser().text("#effects"), HasSubstr("local is at work on it until"));
  EXPECT_EQ(count("#effects button"), 0);
  expect_rows("waiting", waiting);
  EXPECT_THAT(browser().text("#effects"), HasSubstr("a worker leases it"));
  EXPECT_EQ(count("#effects .do-cancel"), 1);
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

TEST_F(ConsoleEffects, AreCancelledOnceSomebodySaysYes) {
  const std::string id = submitted("ship-1", "parcel.ship");
  open("#/effects");
  browser().click("#effects .do-cancel");
  browser().click("#ask-no");
  EXPECT_EQ(status_of(id), "in_progress");
  browser().click("#effects .do-cancel");
  browser().wait_for_text("#ask-text", "its command fails");
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#effects", "dead");
  EXPECT_EQ(status_of(id), "failed");
}

TEST_F(ConsoleEffects, ThatAreDeadAreTriedAgain) {
  const std::string id = dead("ship-1");
  open("#/command/" + id);
  browser().wait_for_text("#command-status", "failed");
  browser().click("#command-effect .do-retry");
  browser().wait_for_text("#ask-text", "It is tried again at once.");
  browser().click("#ask-yes");
  browser().wait_for_text("#command-status", "in progress");
  browser().wait_for_text("#effect-status", "waiting");
  browser().wait_for_text("#timeline", "An operator has it tried again.");
  lease();
  complete(id, R"({"fence":2,"result":{"label":"L2"}})");
  browser().wait_for_text("#command-status", "executed");
  EXPECT_EQ(count("#timeline li"), 6);
}

TEST_F(ConsoleEffects, ThatMayHaveTakenPlaceAreToBeAskedAboutFirst) {
  const std::string id = unknown("ship-1");
  open("#/command/" + id);
  browser().click("#command-effect .do-retry");
  browser().wait_for_text("#ask-text", "Ask the provider first");
  browser().click("#ask-no");
  browser().click("#command-effect .do-resolve");
  EXPECT_EQ(count("#ask-status option"), 2);  // that it failed is known
  browser().type("#ask-result", "{\"label\"");
  browser().click("#ask-yes");  // no JSON: the question stays
  EXPECT_TRUE(browser().value("document.getElementById('ask').open").truth("/value"));
  browser().type("#ask-result", "{\"label\":\"L3\"}");
  browser().click("#ask-yes");
  browser().wait_for_text("#command-status", "executed");
  browser().wait_for_text("#timeline", R"(An operator said: {"label":"L3"})");
  EXPECT_EQ(Json(call("GET", "/v1/commands/" + id).body).text("/outcome/label"), "L3");
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

/// The key is kept: whatever became of the first sending, it happens once.
TEST_F(ConsoleEffects, AreTriedAgainOnceThoughTheAnswerWasLost) {
  const std::string id = dead("ship-1");
  LosingProxy proxy(service_->port());
  browser().open(proxy.url() + "#/effects");
  browser().wait_for_text("#effects", "dead");
  proxy.lose_answers(true);
  browser().click("#effects .do-retry");
  browser().click("#ask-yes");
  wait_for_action("not known");
  EXPECT_GE(proxy.lost(), 1U);
  browser().reload();
  wait_for_action("not known");
  proxy.lose_answers(false);
  browser().click("#actions .again");
  wait_for_action("replayed");
  EXPECT_EQ(status_of(id), "in_progress");
  EXPECT_THAT(events(), testing::Contains("effect.reopened").Times(1));
}

TEST_F(ConsoleEffects, ThatMovedMeanwhileAreRefused) {
  const std::string id = submitted("ship-1", "parcel.ship");
  open("#/effects");
  browser().click("#effects .do-cancel");
  lease();
  browser().click("#ask-yes");
  wait_for_action("refused");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("effect-not-open"));
  EXPECT_EQ(status_of(id), "in_progress");
}

}  // namespace
}  // namespace holdfast::test
