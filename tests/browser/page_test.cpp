// The page itself: it loads whole, shows whatever it is told as text, and fits a phone.

#include <fmt/format.h>

#include "browser/console_page.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* all_views[] = {"holds", "resources",     "commands", "effects",
                                     "inbox", "subscriptions", "tokens",   "events",
                                     "audit", "evidence"};

TEST_F(ConsolePage, LoadsWithoutAnErrorOrAViolationOfItsPolicy) {
  const std::string id = placed("room_307");
  open();
  browser().wait_for_text("#holds", "room_307");
  browser().wait_for_text("#counts", "Held");
  for (const std::string view : all_views) {
    browser().click(fmt::format("nav a[href='#/{}']", view));
    browser().wait_for(fmt::format("document.getElementById('view-{}').hidden === false", view));
  }
  browser().wait_for_text("#evidence", "first seen");
  browser().click("#evidence tr button");
  browser().wait_for_text("#evidence-proof", "audit_path");
  browser().open(url() + "#/hold/" + id);
  browser().wait_for_text("#hold-life", "held");
  EXPECT_THAT(browser().console(), IsEmpty());
  EXPECT_EQ(browser().text("#version"), Json(call("GET", "/version").body).text("/version"));
}

/// The policy is in force: what is not part of the page does not run in it.
TEST_F(ConsolePage, RunsNothingButItsOwnScript) {
  open();
  (void)browser().value(
      "document.body.appendChild(Object.assign(document.createElement('script'), "
      "{textContent: 'window.ran = true'})) && 1");
  EXPECT_TRUE(browser().value("window.ran === undefined").truth("/value"));
  const std::vector<std::string> said = browser().console();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("Content Security Policy"));
}

TEST_F(ConsolePage, ShowsHostileNamesAsText) {
  const std::string resource =
      "<img src=x onerror=\"window.ran=1\">'\"&amp;</script><script>window.ran=2</script>";
  const std::string requester = "\u202egnp.exe\u202c שלום \U0001F3E8 `${window.ran=3}` \\u003cb>";
  const std::string id = placed(resource, requester);
  open();
  browser().wait_for(
      fmt::format("document.querySelector('#holds tr')?.dataset.hold === {}", as_literal(id)));
  const std::string cell = "document.querySelector('#holds td:nth-child({}) bdi').textContent";
  EXPECT_EQ(browser().value(fmt::format(fmt::runtime(cell), 1)).text("/value"), resource);
  EXPECT_EQ(browser().value(fmt::format(fmt::runtime(cell), 2)).text("/value"), requester);

  browser().click("#holds a");
  browser().wait_for_text("#hold", resource);
  browser().click("#do-confirm");
  browser().wait_for_text("#ask-text", resource);
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#actions h3", resource);
  for (const std::string view : {"resources", "events"}) {
    browser().click(fmt::format("nav a[href='#/{}']", view));
    browser().wait_for_text("#" + view, resource);
  }
  EXPECT_TRUE(browser().value("window.ran === undefined").truth("/value"));
  EXPECT_EQ(browser().number("document.querySelectorAll('img, script').length"), 1);
  EXPECT_THAT(browser().console(), IsEmpty());
}

TEST_F(ConsolePage, FitsANarrowWindow) {
  (void)placed(std::string(200, 'W'), std::string(300, 'm'));
  const std::string id = placed("room_307");
  browser().resize(360, 740);
  for (const std::string& view :
       std::vector<std::string>{"holds", "resources", "tokens", "events", "audit", "hold/" + id,
                                "resource/" + std::string(200, 'W')}) {
    open("#/" + view);
    browser().wait_for("document.querySelectorAll('#counts div').length > 0");
    browser().wait_for("document.querySelectorAll('#events tr').length === 2");
    EXPECT_EQ(browser().number("window.innerWidth"), 360);
    EXPECT_LE(browser().number("document.documentElement.scrollWidth"), 360) << view;
  }
}

}  // namespace
}  // namespace holdfast::test
