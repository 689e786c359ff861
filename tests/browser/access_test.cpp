// Keys: asked for when they are needed, kept no longer than the operator wants.

#include <fmt/format.h>

#include "browser/console_page.hpp"
#include "browser/losing_proxy.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(ConsolePage, AsksForAKeyWhereOneIsNeeded) {
  (void)placed("room_307");
  const std::string key = new_key(http::Role::operator_role);
  open();
  browser().type("#credential", "hf_000000000000_wrong");
  browser().click("#sign-in button");
  browser().wait_for_text("#sign-in-said", "refused");
  EXPECT_EQ(browser().text("#holds"), "");

  browser().type("#credential", key);
  browser().click("#sign-in button");
  browser().wait_for_text("#holds", "room_307");
  browser().wait_for_text("#counts", "Held");
  EXPECT_TRUE(browser().value("document.getElementById('sign-in').hidden").truth("/value"));
  EXPECT_THAT(key, HasSubstr(browser().text("#who-id")));

  fill_placing("room_308", "guest_g91");
  browser().click("#place button");
  wait_for_action("done");
  browser().wait_for_text("#holds", "room_308");

  // It was in the page's memory, and nowhere else.
  const std::string kept =
      "JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])";
  EXPECT_THAT(browser().value(kept).text("/value"), Not(HasSubstr("hf_")));
  browser().reload();
  browser().wait_for("!document.getElementById('sign-in').hidden");
}

TEST_F(ConsolePage, KeepsAKeyForTheTabIfItIsToldTo) {
  (void)placed("room_307");
  const std::string key = new_key(http::Role::operator_role);
  open();
  browser().type("#credential", key);
  browser().click("#remember");
  browser().click("#sign-in button");
  browser().wait_for_text("#holds", "room_307");
  browser().reload();
  browser().wait_for_text("#holds", "room_307");
  browser().click("#forget");
  browser().wait_for("!document.getElementById('sign-in').hidden");
  EXPECT_EQ(browser().number("sessionStorage.length"), 0);
}

/// Under another key it could be another tenant's, and would be done a second time.
TEST_F(ConsolePage, WhatMayHaveHappenedIsNotSentAgainWithAnotherKey) {
  const std::string first = new_key(http::Role::client);
  const std::string second = new_key(http::Role::operator_role);
  LosingProxy proxy(service_->port());
  browser().open(proxy.url());
  browser().type("#credential", first);
  browser().click("#sign-in button");
  fill_placing("room_307", "guest_g91");
  proxy.lose_answers(true);
  browser().click("#place button");
  wait_for_action("not known");
  proxy.lose_answers(false);

  browser().click("#forget");
  browser().type("#credential", second);
  browser().click("#sign-in button");
  browser().click("#actions .again");
  browser().wait_for_text("#actions li .outcome", "another key");
  browser().click("#forget");
  browser().type("#credential", first);
  browser().click("#sign-in button");
  browser().click("#actions .again");
  wait_for_action("replayed");
}

TEST_F(ConsolePage, AnAuditorLooksAndIsToldThatItMayNotPlace) {
  (void)placed("room_307");
  (void)new_key(http::Role::operator_role);
  const std::string key = new_key(http::Role::auditor);
  open("#/audit");
  browser().type("#credential", key);
  browser().click("#sign-in button");
  browser().wait_for("document.getElementById('sign-in').hidden");
  browser().click("#run-audit");
  browser().wait_for_text("#audit-said", "Everything holds.");
  browser().click("nav a[href='#/holds']");
  browser().wait_for_text("#holds", "room_307");
  fill_placing("room_308", "guest_g91");
  browser().click("#place button");
  wait_for_action("refused");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("forbidden"));
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("auditor"));
  EXPECT_THAT(browser().text("#actions li .advice"), HasSubstr("Nothing happened"));
}

TEST_F(ConsolePage, AClientIsToldWhyItSeesNoCounts) {
  (void)placed("room_307");
  (void)new_key(http::Role::operator_role);
  const std::string key = new_key(http::Role::client);
  open();
  browser().type("#credential", key);
  browser().click("#sign-in button");
  browser().wait_for_text("#holds", "room_307");
  browser().wait_for_text("#counts-said", "client");
  browser().click("nav a[href='#/events']");
  browser().wait_for_text("#events", "room_307");
}

/// Nobody tells a client how long the journal is; it is not read from its beginning all the same.
TEST_F(ConsolePage, AClientSeesTheNewestEvents) {
  std::string items;
  for (int i = 0; i < 1000; ++i) {
    items += fmt::format(
        R"({}{{"token":"x{}","operation":"hold.place","params":{{"resource":"x{}","requester":"q","duration":60}}}})",
        i == 0 ? "" : ",", i, i);
  }
  ASSERT_EQ(call("POST", "/v1/batch", {}, R"({"operations":[)" + items + "]}").status, 200);
  (void)new_key(http::Role::operator_role);
  const std::string key = new_key(http::Role::client);
  open("#/events");
  browser().type("#credential", key);
  browser().click("#sign-in button");
  browser().wait_for_text("#events tr", "x999");
  EXPECT_LE(browser().number("document.querySelectorAll('#events tr').length"), 200);
}

}  // namespace
}  // namespace holdfast::test
