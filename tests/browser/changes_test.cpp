// What an operator does happens once, and the page says what came of it.

#include <fmt/format.h>

#include "browser/console_page.hpp"
#include "browser/losing_proxy.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConsoleChanges : public ConsolePage {
 protected:
  /// A second hold of the same would be possible.
  void open_with_room_for_many(const std::string& url) const {
    (void)call("PUT", "/v1/resources/row_12", {{"Idempotency-Key", "d"}}, R"({"capacity":40})");
    browser().open(url);
    browser().wait_for_text("#ready", "Ready");
  }
};

std::string key_shown(const Browser& browser) { return browser.text("#actions li .key code"); }

TEST_F(ConsoleChanges, PlacesAndConfirmsEachOnce) {
  open();
  fill_placing("room_307", "guest_g91");
  browser().click("#place button");
  wait_for_action("done");
  browser().wait_for_text("#holds", "room_307");
  EXPECT_THAT(browser().text("#holds tr"), HasSubstr("held"));
  EXPECT_THAT(browser().text("#holds .countdown"), HasSubstr("in 00:1"));

  browser().click("#holds a");
  browser().click("#do-confirm");
  browser().wait_for_text("#ask-text", "guest_g91");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold-state", "confirmed");
  browser().wait_for("document.querySelectorAll('#hold-life li').length === 2");
  EXPECT_EQ(browser().text("#hold .buttons"), "Cancel…");
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.confirmed"));
  EXPECT_THAT(browser().console(), IsEmpty());
}

TEST_F(ConsoleChanges, AsksBeforeItResolves) {
  const std::string id = placed("room_307");
  open("#/hold/" + id);
  browser().click("#do-release");
  browser().click("#ask-no");
  browser().wait_for("!document.getElementById('ask').open");
  EXPECT_THAT(events(), ElementsAre("hold.placed"));
  browser().click("#do-release");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold-state", "released");
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.released"));
}

TEST_F(ConsoleChanges, ADoubleClickPlacesOneHold) {
  open_with_room_for_many(url());
  fill_placing("row_12", "guest_g91");
  browser().double_click("#place button");
  wait_for_action("done");
  browser().wait_for_text("#holds", "row_12");
  browser().wait_for("document.getElementById('place-resource').value === ''");
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions li').length"), 1);
  EXPECT_THAT(events(), ElementsAre("resource.declared", "hold.placed"));
}

/// Sent twice before the first answer is there.
TEST_F(ConsoleChanges, ImpatiencePlacesOneHold) {
  open_with_room_for_many(url());
  fill_placing("row_12", "guest_g91");
  (void)browser().value(
      "(form => { for (let i = 0; i < 5; ++i) form.requestSubmit(); return 1; })"
      "(document.getElementById('place'))");
  wait_for_action("done");
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions li').length"), 1);
  EXPECT_THAT(events(), ElementsAre("resource.declared", "hold.placed"));
}

TEST_F(ConsoleChanges, ALostAnswerIsAskedForWithTheSameKey) {
  LosingProxy proxy(service_->port());
  open_with_room_for_many(proxy.url());
  fill_placing("row_12", "guest_g91");
  proxy.lose_answers(true);
  browser().click("#place button");
  wait_for_action("not known");
  EXPECT_GE(proxy.lost(), 1U);
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("not known"));
  const std::string key = key_shown(browser());

  proxy.lose_answers(false);
  browser().click("#actions .again");
  wait_for_action("replayed");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("nothing happened a second time"));
  EXPECT_EQ(key_shown(browser()), key);
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions li').length"), 1);
  EXPECT_THAT(events(), ElementsAre("resource.declared", "hold.placed"));
}

/// Filled in and sent again is the same action, too; and so it is after a reload.
TEST_F(ConsoleChanges, ALostAnswerOutlivesAReload) {
  LosingProxy proxy(service_->port());
  open_with_room_for_many(proxy.url());
  fill_placing("row_12", "guest_g91");
  proxy.lose_answers(true);
  browser().click("#place button");
  wait_for_action("not known");
  browser().click("#place button");
  browser().wait_for_text("#actions li .key", "sent 2 times");
  wait_for_action("not known");
  const std::string key = key_shown(browser());

  browser().reload();
  wait_for_action("not known");
  EXPECT_EQ(key_shown(browser()), key);
  proxy.lose_answers(false);
  fill_placing("row_12", "guest_g91");
  browser().click("#place button");
  wait_for_action("replayed");
  EXPECT_EQ(key_shown(browser()), key);
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions li').length"), 1);
  EXPECT_THAT(events(), ElementsAre("resource.declared", "hold.placed"));
  browser().reload();
  browser().wait_for_text("#holds", "row_12");
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions li').length"), 0);
}

/// Also when something else was asked for in between.
TEST_F(ConsoleChanges, WhatIsAskedForAgainBeforeItsAnswerIsTheSameAction) {
  LosingProxy proxy(service_->port());
  open_with_room_for_many(proxy.url());
  proxy.lose_answers(true);
  for (const char* requester : {"guest_g91", "guest_k22", "guest_g91"}) {
    fill_placing("row_12", requester);
    browser().click("#place button");
    browser().wait_for("!document.querySelector('#actions li.sending')");
  }
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions li').length"), 2);
  EXPECT_THAT(events(), ElementsAre("resource.declared", "hold.placed", "hold.placed"));
}

/// A key that may be forgotten is not sent again without a question: it would happen anew.
TEST_F(ConsoleChanges, AsksBeforeItSendsAKeyThatMayBeForgotten) {
  LosingProxy proxy(service_->port());
  open_with_room_for_many(proxy.url());
  fill_placing("row_12", "guest_g91");
  browser().click("#place button");
  wait_for_action("done");
  const std::int64_t window_s =
      browser().number("Math.round(sessionStorage.getItem('holdfast.window_ms') / 1000)");
  EXPECT_GE(window_s, 24 * 3600 - 5);
  EXPECT_LE(window_s, 24 * 3600 + 5);

  (void)browser().value("(sessionStorage.setItem('holdfast.window_ms', '1'), 1)");
  fill_placing("row_12", "guest_k22");
  proxy.lose_answers(true);
  browser().click("#place button");
  wait_for_action("not known");
  proxy.lose_answers(false);
  browser().click("#actions .again");
  browser().wait_for_text("#ask-title", "Send it again after so long?");
  browser().click("#ask-no");
  wait_for_action("not known");
  browser().click("#actions .again");
  browser().click("#ask-yes");
  wait_for_action("replayed");
  EXPECT_THAT(events(), ElementsAre("resource.declared", "hold.placed", "hold.placed"));
}

/// As of a network that wants to be logged in to, and of a proxy that knows no such page.
TEST_F(ConsoleChanges, AnAnswerThatIsNotTheServicesIsNone) {
  open();
  for (const char* status : {"200", "404"}) {
    SCOPED_TRACE(status);
    (void)browser().value(fmt::format(
        "(window.real = window.real || window.fetch, window.fetch = (path, options) => "
        "options?.method === "
        "'POST'"
        " ? Promise.resolve(new Response('<p>Please log in</p>', {{status: {}, headers: "
        "{{'Content-Type': 'text/html'}}}})) : window.real(path, options), 1)",
        status));
    fill_placing(std::string("room_") + status, "guest_g91");
    browser().click("#place button");
    wait_for_action("not known");
    EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("no answer of the service"));
    (void)browser().value("(window.fetch = window.real, 1)");
    browser().click("#actions .again");
    wait_for_action("done");
  }
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.placed"));
}

/// Whoever uses the keyboard is not sent back to the beginning of the page.
TEST_F(ConsoleChanges, FocusStaysWithTheHoldThatWasResolved) {
  const std::string id = placed("room_307");
  open("#/hold/" + id);
  browser().click("#do-confirm");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold-state", "confirmed");
  browser().wait_for("document.activeElement === document.getElementById('hold-title')");
}

TEST_F(ConsoleChanges, ARefusalIsShownWithItsCodeAndWhatBecomesOfTheKey) {
  (void)placed("room_307");
  open();
  fill_placing("room_307", "guest_g91");
  browser().click("#place button");
  wait_for_action("refused");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("resource-unavailable"));
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("The resource is taken"));
  EXPECT_THAT(browser().text("#actions li .advice"), HasSubstr("a new key"));
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions .again').length"), 0);
  const std::string key = key_shown(browser());

  browser().click("#place button");
  browser().wait_for("document.querySelectorAll('#actions li').length === 2");
  wait_for_action("refused");
  EXPECT_NE(key_shown(browser()), key);
  EXPECT_THAT(events(), ElementsAre("hold.placed"));
}

TEST_F(ConsoleChanges, AsksOnceMoreWhereThePolicySaysSo) {
  restart({"--policies.hold_release.confirmation", "required"});
  const std::string id = placed("room_307");
  open("#/hold/" + id);
  browser().click("#do-release");
  browser().click("#ask-yes");
  wait_for_action("refused");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("confirmation-required"));
  const std::string key = key_shown(browser());
  EXPECT_THAT(events(), ElementsAre("hold.placed"));
  browser().click("#actions .confirm-code");
  wait_for_action("done");
  EXPECT_EQ(key_shown(browser()), key);
  browser().wait_for_text("#hold-state", "released");
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.released"));
}

TEST_F(ConsoleChanges, SendsNoKeyWhereTheServiceMakesThem) {
  restart({"--policies.hold_place.key_mode", "derived"});
  open();
  fill_placing("room_307", "guest_g91");
  browser().click("#place button");
  wait_for_action("done");
  EXPECT_EQ(key_shown(browser()).size(), 64U);
  EXPECT_THAT(events(), ElementsAre("hold.placed"));
}

TEST_F(ConsoleChanges, ALapsedHoldCanOnlyBeExpired) {
  restart({"--sweep_every", "0s"});
  const std::string id = placed("room_307", "guest_k22", "PT0.5S");
  open("#/hold/" + id);
  browser().wait_for_text("#hold-state", "lapsed");
  browser().click("#do-expire");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold-state", "expired");
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.expired"));
}

TEST_F(ConsoleChanges, DeclaresCapacities) {
  open("#/resources");
  browser().type("#declare-resource", "row 12/a?");
  browser().type("#declare-capacity", "40");
  browser().click("#declare button");
  wait_for_action("done");
  browser().wait_for_text("#resources", "row 12/a?");
  EXPECT_THAT(browser().text("#resources tr"), HasSubstr("40"));
  EXPECT_EQ(Json(call("GET", "/v1/resources/row%2012%2Fa%3F").body).number("/capacity"), 40);
  browser().click("#resources button");
  browser().type("#declare-capacity", "50");
  browser().click("#declare button");
  browser().wait_for_text("#resources", "50");
  EXPECT_THAT(events(), ElementsAre("resource.declared", "resource.declared"));
}

}  // namespace
}  // namespace holdfast::test
