// The inbox: webhooks that came in, what became of them, and what operators do about it.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "browser/commands_page.hpp"
#include "browser/losing_proxy.hpp"
#include "support/http/signed_webhook.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view sources = R"(
[[command]]
entity = "order"
action = "note"
args = '{"type": "object", "properties": {"note": {"type": "string"}}}'

[[webhook]]
name = "payments"
scheme = "standard"
secrets = ["SECRET"]
pull = "invoices"
attempts = 3

[[webhook]]
name = "notes"
scheme = "standard"
secrets = ["SECRET"]
command = "order.note"

[[webhook]]
name = "forwards"
scheme = "standard"
secrets = ["SECRET"]
forward = "http://127.0.0.1:1/hook"
attempts = 1
)";

class ConsoleInbox : public ConsoleCommands {
 protected:
  void SetUp() override {
    ConsolePage::SetUp();
    if (IsSkipped()) return;
    std::ofstream(file("toml")) << sources;
    std::ofstream(file("secrets")) << "SECRET=" << webhook_secret << "\n";
    using std::filesystem::perms;
    std::filesystem::permissions(file("secrets"), perms::owner_read | perms::owner_write);
    restart({"--registry", file("toml"), "--secrets", file("secrets"), "--outbound.allow",
             "127.0.0.1"});
  }
  [[nodiscard]] std::string file(const std::string& ending) const {
    return store() + ".sources." + ending;
  }

  /// The id of the entry of a webhook that its sender sends.
  [[nodiscard]] std::string sent(const std::string& event, const std::string& body = R"({"n":1})",
                                 const std::string& source = "payments", Headers more = {}) const {
    Headers headers = signed_webhook(event, body);
    headers.insert(headers.end(), more.begin(), more.end());
    const Answered taken = call("POST", "/v1/webhooks/" + source, headers, body);
    EXPECT_EQ(taken.status, 200) << taken.body;
    return Json(taken.body).text("/id");
  }
  void tell(const std::string& what, const std::string& body) const {
    static int number = 0;
    const Answered answered =
        call("POST", "/v1/inbox/" + what,
             {{"Idempotency-Key", fmt::format("inbox-worker-{}", ++number)}}, body);
    ASSERT_EQ(answered.status, 200) << answered.body;
  }
  /// A worker takes what there is for it.
  void take() const { tell("lease", R"({"kinds":["invoices"],"max":10,"lease":60})"); }
  [[nodiscard]] std::string dead(const std::string& event) const {
    std::string id = sent(event);
    take();
    tell(id + "/fail", R"({"fence":1,"verdict":"dead","error":"no such invoice"})");
    return id;
  }
  [[nodiscard]] std::string standing(const std::string& id) const {
    return Json(call("GET", "/v1/inbox/" + id).body).text("/status");
  }
  void expect_rows(const std::string& status, const std::string& id) const {
    choose("#inbox-status", status);
    browser().wait_for(
        fmt::format("document.querySelectorAll('#inbox tr').length === 1 && "
                    "document.querySelector('#inbox tr').dataset.entry === {}",
                    as_literal(id)));
    EXPECT_EQ(browser().text("#inbox td:nth-child(3)"), status);
  }
};

TEST_F(ConsoleInbox, IsListedBySourceAndStatus) {
  const std::string gone = dead("evt_dead");
  const std::string taken = sent("evt_taken");
  take();
  const std::string waits = sent("evt_waits");
  const std::string done = sent("evt_note", R"({"note":"a"})", "notes");
  open("#/inbox");
  wait_for_count("#inbox tr", 4);
  expect_rows("dead", gone);
  EXPECT_THAT(browser().text("#inbox"), HasSubstr("no such invoice"));
  EXPECT_THAT(browser().text("#inbox"), HasSubstr("for workers of invoices"));
  EXPECT_EQ(count("#inbox .do-retry"), 1);
  expect_rows("processing", taken);
  EXPECT_THAT(browser().text("#inbox"), HasSubstr("Somebody is at work on it."));
  EXPECT_EQ(count("#inbox button"), 0);
  expect_rows("received", waits);
  EXPECT_EQ(count("#inbox .do-retry"), 1);
  expect_rows("done", done);
  EXPECT_THAT(browser().text("#inbox"), HasSubstr("command order.note"));
  EXPECT_EQ(count("#inbox button"), 0);
  choose("#inbox-status", "");
  browser().type("#inbox-source", "notes");
  browser().press("#inbox-source", "\uE007");
  wait_for_count("#inbox tr", 1);
  browser().type("#inbox-source", "nobody");
  browser().click("#inbox-filter button");
  browser().wait_for_text("#inbox-said", "There are none.");
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

TEST_F(ConsoleInbox, IsListedPageByPage) {
  for (int i = 0; i < 52; ++i) (void)sent(fmt::format("evt_{}", i));
  open("#/inbox");
  wait_for_count("#inbox tr", 50);
  browser().click("#inbox-more");
  wait_for_count("#inbox tr", 52);
  EXPECT_TRUE(browser().value("document.getElementById('inbox-more').hidden").truth("/value"));
}

TEST_F(ConsoleInbox, ShowsWhatWasSentAndWhatBecameOfIt) {
  const std::string body = "{\n  \"invoice\": 4711\n}";
  const std::string id = sent("evt_1", body, "payments", {{"User-Agent", "till/2.0"}});
  open("#/entry/" + id);
  browser().wait_for_text("#entry", "evt_1");
  EXPECT_EQ(browser().value("document.getElementById('entry-body').textContent").text("/value"),
            body);
  EXPECT_THAT(browser().text("#entry"), HasSubstr("User-Agent: till/2.0"));
  EXPECT_THAT(browser().text("#entry"), HasSubstr(fmt::format("{} bytes", body.size())));
  EXPECT_THAT(browser().text("#entry"), HasSubstr("0 of 3"));
  browser().wait_for_text("#entry-timeline", "Taken in: evt_1 of payments.");
  take();  // the page follows what others do
  browser().wait_for_text("#entry-status", "processing");
  browser().wait_for_text("#entry-timeline", "Attempt 1 by local, fence 1");
  EXPECT_EQ(count("#entry .do-retry"), 0);
  tell(id + "/fail", R"({"fence":1,"verdict":"dead","error":"no such invoice"})");
  browser().wait_for_text("#entry-status", "dead");
  EXPECT_THAT(browser().text("#entry"), HasSubstr("no such invoice"));
  browser().click("#entry .do-retry");
  browser().wait_for_text("#ask-text", "It gets all its attempts again");
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#entry-timeline", "An operator has it tried again.");
  take();
  tell(id + "/complete", R"({"fence":2,"result":{"booked":true}})");
  browser().wait_for_text("#entry-status", "done");
  browser().wait_for_text("#entry-timeline", R"(What came of it: {"booked":true})");
  EXPECT_EQ(browser().value("document.getElementById('entry-body').textContent").text("/value"),
            body);
  EXPECT_EQ(count("#entry-timeline li"), 6);
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

TEST_F(ConsoleInbox, LeadsToTheCommandAndBack) {
  const std::string id = sent("evt_1", R"({"note":"from the till"})", "notes");
  open("#/entry/" + id);
  browser().wait_for_text("#entry-status", "done");
  browser().click("#entry a[href^='#/command/']");
  browser().wait_for_text("#command-args", "from the till");
  browser().click("#command a[href^='#/entry/']");
  browser().wait_for_text("#entry", id);
  browser().click("nav a[href='#/events']");
  browser().wait_for_text("#events", "webhook.received");
  browser().click("#events a[href^='#/entry/']");
  browser().wait_for_text("#entry", id);
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

/// What was sent on and may have arrived.
TEST_F(ConsoleInbox, SaysWhatTryingAgainComesTo) {
  const std::string id = sent("evt_1", "{}", "forwards");
  open("#/entry/" + id);
  browser().wait_for_text("#entry-status", "dead");
  EXPECT_THAT(browser().text("#entry"), HasSubstr("sent on to http://127.0.0.1:1/hook"));
  browser().wait_for_text("#entry-timeline", "It is not tried again by itself: it was not sent on");
  browser().click("#entry .do-retry");
  browser().wait_for_text("#ask-text", "The receiver may have had it");
  browser().click("#ask-no");
  EXPECT_EQ(count("#actions li"), 0);
}

/// Without a mouse: to the button, through the question, and back to where one was.
TEST_F(ConsoleInbox, IsWorkedOnByKeyboard) {
  const std::string id = dead("evt_1");
  open("#/inbox");
  browser().press("#inbox a", "\uE007");
  browser().wait_for_text("#entry-status", "dead");
  EXPECT_EQ(browser().value("document.activeElement.id").text("/value"), "entry-title");
  browser().press("#entry-body", "\uE010");  // a long body is scrolled
  browser().press("#entry .do-retry", "\uE007");
  browser().wait_for("document.getElementById('ask').open");
  EXPECT_EQ(browser().value("document.activeElement.id").text("/value"), "ask-no");
  browser().press("#ask-no", "\uE00C");
  browser().wait_for("!document.getElementById('ask').open");
  EXPECT_EQ(standing(id), "dead");
  browser().press("#entry .do-retry", "\uE007");
  browser().press("#ask-yes", "\uE007");
  wait_for_action("done");
  browser().wait_for_text("#entry-status", "received");
}

/// The key is kept: whatever became of the first sending, it happens once.
TEST_F(ConsoleInbox, HasEntriesTriedAgainOnceThoughTheAnswerWasLost) {
  const std::string id = dead("evt_1");
  LosingProxy proxy(service_->port());
  browser().open(proxy.url() + "#/inbox");
  browser().wait_for_text("#inbox", "dead");
  proxy.lose_answers(true);
  browser().click("#inbox .do-retry");
  browser().click("#ask-yes");
  wait_for_action("not known");
  browser().reload();
  wait_for_action("not known");
  proxy.lose_answers(false);
  browser().click("#actions .again");
  wait_for_action("replayed");
  EXPECT_EQ(standing(id), "received");
  EXPECT_THAT(events(), testing::Contains("inbox.reopened").Times(1));
}

TEST_F(ConsoleInbox, RefusesWhatMovedMeanwhile) {
  const std::string id = sent("evt_1");
  open("#/inbox");
  browser().click("#inbox .do-retry");
  take();
  browser().click("#ask-yes");
  wait_for_action("refused");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("inbox-entry-not-open"));
  EXPECT_EQ(standing(id), "processing");
}

TEST_F(ConsoleInbox, IsLookedAtByAuditorsWhoChangeNothing) {
  const std::string id = dead("evt_1");
  const std::string auditor = new_key(http::Role::auditor);
  (void)new_key(http::Role::operator_role);
  open("#/entry/" + id);
  browser().type("#credential", auditor);
  browser().click("#sign-in button");
  browser().click("#entry .do-retry");
  browser().click("#ask-yes");
  wait_for_action("refused");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("forbidden"));
}

TEST_F(ConsoleInbox, SaysWhatIsNotThere) {
  open("#/entry/nonsense");
  browser().wait_for_text("#entry-said", "That is not the id of a webhook.");
  open("#/entry/w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1");
  browser().wait_for_text("#entry-said", "inbox-entry-not-known");
  EXPECT_EQ(count("#entry-timeline li"), 0);
}

TEST_F(ConsoleInbox, ShowsBytesThatAreNoText) {
  const std::string id = sent("evt_1", std::string("\xff\x00\x01", 3));
  open("#/entry/" + id);
  browser().wait_for_text("#entry", "no text: shown in base64");
  EXPECT_EQ(browser().text("#entry-body"), "/wAB");
}

TEST_F(ConsoleInbox, ShowsHostileTextAsText) {
  const std::string event = R"("><img/src=x/onerror="window['ran']=1"></td><script>)";
  const std::string id = sent(event, hostile_text, "payments",
                              {{"User-Agent", hostile_text}, {"Content-Type", hostile_text}});
  take();
  tell(id + "/fail",
       fmt::format(R"({{"fence":1,"verdict":"dead","error":{}}})", as_literal(hostile_text)));
  open("#/inbox");
  browser().wait_for_text("#inbox td:nth-child(2)", event);
  browser().wait_for_text("#inbox td:nth-child(5)", hostile_text);
  browser().type("#inbox-source", hostile_text);
  browser().click("#inbox-filter button");
  browser().wait_for_text("#inbox-said", "There are none.");
  open("#/entry/" + id);
  browser().wait_for_text("#entry-body", hostile_text);
  browser().wait_for_text("#entry .plain", hostile_text);
  browser().wait_for_text("#entry-timeline", hostile_text);
  browser().click("#entry .do-retry");
  browser().wait_for_text("#ask-text", event);
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#actions h3", event);
  take();
  tell(id + "/complete", fmt::format(R"({{"fence":2,"result":{{"command_id":{0},"x":{0}}}}})",
                                     as_literal(hostile_text)));
  browser().wait_for_text("#entry-status", "done");
  browser().wait_for_text("#entry", "What came of it");
  browser().click("nav a[href='#/events']");
  browser().wait_for_text("#events", event);
  expect_only_text();
}

TEST_F(ConsoleInbox, FitsANarrowWindow) {
  const std::string wide(200, 'W');
  const std::string id = sent(wide, std::string(3000, 'W'), "payments", {{"User-Agent", wide}});
  take();
  tell(id + "/fail", fmt::format(R"({{"fence":1,"verdict":"dead","error":"{}"}})", wide));
  browser().resize(360, 740);
  for (const std::string& view : {std::string("inbox"), "entry/" + id}) {
    open("#/" + view);
    browser().wait_for("document.querySelectorAll('#counts div').length > 0");
    browser().wait_for("document.querySelectorAll('#events tr').length === 4");
    if (view != "inbox") wait_for_count("#entry-timeline li", 3);
    EXPECT_LE(browser().number("document.documentElement.scrollWidth"), 360) << view;
  }
}

}  // namespace
}  // namespace holdfast::test
