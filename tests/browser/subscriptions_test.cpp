// Subscriptions: where events are sent, and their secrets.

#include <fmt/format.h>

#include "browser/commands_page.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ConsoleSubscriptions : public ConsoleCommands {
 protected:
  /// The id of a subscription that another client makes: to nothing that happens.
  [[nodiscard]] std::string subscribed(const std::string& body) const {
    static int number = 0;
    const Answered made = call("POST", "/v1/subscriptions",
                               {{"Idempotency-Key", fmt::format("sub-{}", ++number)}}, body);
    EXPECT_EQ(made.status, 201) << made.body;
    return Json(made.body).text("/id");
  }
  [[nodiscard]] std::string quiet() const {
    return subscribed(R"({"url":"https://example.com/hook","events":["nothing."]})");
  }
  [[nodiscard]] std::string secret_of(const std::string& id, const std::string& which) const {
    return Json(call("GET", "/v1/subscriptions/" + id + "/secret").body).text("/secrets/" + which);
  }
};

TEST_F(ConsoleSubscriptions, AreMadeAndListed) {
  open("#/subscriptions");
  browser().wait_for_text("#subscriptions-said", "There are none.");
  browser().type("#subscribe-url", "https://example.com/hook");
  browser().type("#subscribe-events", "nothing., never.");
  browser().type("#subscribe-description", "the till");
  browser().click("#subscribe button");
  wait_for_action("done");
  browser().wait_for_text("#subscriptions", "https://example.com/hook");
  EXPECT_THAT(browser().text("#subscriptions"), HasSubstr("nothing. never."));
  EXPECT_THAT(browser().text("#subscriptions"), HasSubstr("the till"));
  EXPECT_THAT(browser().text("#subscriptions"), HasSubstr("active"));
  browser().wait_for("document.getElementById('subscribe-url').value === ''");
  EXPECT_EQ(Json(call("GET", "/v1/subscriptions").body).size("/items"), 1U);
  browser().click("#subscriptions a");
  browser().wait_for_text("#subscription", "the till");
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

TEST_F(ConsoleSubscriptions, SendTheirEventsAgain) {
  const std::string id = quiet();
  (void)submitted("note-1", "order.note");
  open("#/subscription/" + id);
  browser().click("#do-replay");
  browser().type("#ask-after", "0");
  browser().click("#ask-yes");
  wait_for_action("done");
  EXPECT_THAT(events(), testing::Contains("subscription.rewound").Times(1));
}

TEST_F(ConsoleSubscriptions, ShowTheirSecretWhenAskedAndRotateIt) {
  const std::string id = quiet();
  open("#/subscription/" + id);
  browser().wait_for_text("#subscription", id);
  const std::string first = secret_of(id, "0");
  EXPECT_THAT(browser().text("#view-subscription"), Not(HasSubstr("whsec_")));
  browser().click("#show-secret");
  browser().wait_for_text("#secrets", first);
  browser().click("#hide-secret");
  EXPECT_EQ(count("#secrets"), 0);
  browser().click("#do-rotate");
  browser().wait_for_text("#ask-text", "For a day");
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().click("#show-secret");
  wait_for_count("#secrets li", 2);
  EXPECT_THAT(browser().text("#secrets"), HasSubstr(first));
  EXPECT_THAT(browser().text("#secrets li:nth-child(1)"), HasSubstr(secret_of(id, "0")));
  browser().click("nav a[href='#/holds']");  // and gone with the view
  browser().wait_for("document.getElementById('secret').children.length === 0");
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

TEST_F(ConsoleSubscriptions, AreDeletedOnceSomebodySaysYes) {
  const std::string id = quiet();
  open("#/subscription/" + id);
  browser().click("#do-delete");
  browser().wait_for_text("#ask-text", "https://example.com/hook");
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#subscriptions-said", "There are none.");
  EXPECT_EQ(Json(call("GET", "/v1/subscriptions").body).size("/items"), 0U);
}

/// Nobody listens there, or nobody may: that is for operators to see.
TEST_F(ConsoleSubscriptions, SayWhatIsWrongWithTheirReceiver) {
  const std::string id = subscribed(R"({"url":"http://127.0.0.1:1/hook","events":["hold."]})");
  (void)placed("room_307");
  open("#/subscription/" + id);
  browser().wait_for_text("#subscription-status", "failing");
  EXPECT_THAT(browser().text("#subscription"), HasSubstr("Last error"));
}

/// The secret is for operators; others are told so.
TEST_F(ConsoleSubscriptions, KeepTheirSecretFromOthers) {
  const std::string id = quiet();
  const std::string auditor = new_key(http::Role::auditor);
  (void)new_key(http::Role::operator_role);
  open("#/subscription/" + id);
  browser().type("#credential", auditor);
  browser().click("#sign-in button");
  browser().click("#show-secret");
  browser().wait_for_text("#secret-said", "forbidden");
  EXPECT_EQ(count("#secrets"), 0);
}

TEST_F(ConsoleSubscriptions, ShowHostileTextAsText) {
  const std::string url = R"(https://example.com/"><img/src=x/onerror="window.ran=1"><script>)";
  const std::string id =
      subscribed(fmt::format(R"({{"url":{},"events":[{}],"description":{}}})", as_literal(url),
                             as_literal(hostile_text), as_literal(hostile_text)));
  open("#/subscriptions");
  browser().wait_for_text("#subscriptions td:nth-child(1)", url);
  browser().wait_for_text("#subscriptions td:nth-child(2)", hostile_text);
  browser().wait_for_text("#subscriptions td:nth-child(3)", hostile_text);
  browser().click("#subscriptions a");
  browser().wait_for_text("#subscription", hostile_text);
  browser().click("#do-rotate");
  browser().wait_for_text("#ask-text", url);
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#actions h3", url);
  browser().click("nav a[href='#/events']");
  browser().wait_for_text("#events", url);
  expect_only_text();
}

}  // namespace
}  // namespace holdfast::test
