// What becomes of holds and groups while they stand, done by an operator: each thing once.

#include <fmt/format.h>

#include "browser/console_page.hpp"
#include "browser/losing_proxy.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ConsoleLife : public ConsolePage {
 protected:
  /// The id of a hold on four of ten.
  [[nodiscard]] std::string four_of_ten() const {
    (void)call("PUT", "/v1/resources/row_12", {{"Idempotency-Key", "d"}}, R"({"capacity":10})");
    const Answered placed =
        call("POST", "/v1/holds", {{"Idempotency-Key", "p"}},
             R"({"resource":"row_12","requester":"guest_g91","duration":"PT15M","quantity":4})");
    EXPECT_EQ(placed.status, 201) << placed.body;
    return Json(placed.body).text("/id");
  }
  /// The id of a group of holds on these.
  [[nodiscard]] std::string grouped(const std::string& one, const std::string& other) const {
    const Answered placed = call(
        "POST", "/v1/groups", {{"Idempotency-Key", "g"}},
        fmt::format(
            R"({{"requester":"guest_g91","duration":"PT15M","holds":[{{"resource":{}}},{{"resource":{}}}]}})",
            as_literal(one), as_literal(other)));
    EXPECT_EQ(placed.status, 201) << placed.body;
    return Json(placed.body).text("/id");
  }
  /// A member of the hold as it is now.
  [[nodiscard]] std::int64_t now(const std::string& id, const std::string& member) const {
    return Json(call("GET", "/v1/holds/" + id).body).number("/" + member);
  }
  void confirm_a_part(const std::string& quantity) const {
    browser().click("#do-part");
    browser().type("#ask-quantity", quantity);
    browser().click("#ask-yes");
  }
  void fill_in_another(const std::string& resource) const {
    browser().click("#place-another");
    browser().type("#place-more .item:last-child .resource", resource);
  }
};

TEST_F(ConsoleLife, ExtendsAHold) {
  const std::string id = placed("room_307");
  open("#/hold/" + id);
  browser().wait_for_text("#hold", "Fence");
  browser().click("#do-extend");
  browser().type("#ask-duration", "45");
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().wait_for_text("#hold .countdown", "in 00:4");
  EXPECT_THAT(browser().text("#hold-state"), HasSubstr("held"));
  browser().click("nav a[href='#/events']");
  browser().wait_for_text("#events", "until");
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.extended"));
  EXPECT_THAT(browser().console(), IsEmpty());
}

TEST_F(ConsoleLife, ConfirmsPartsAndCancels) {
  const std::string id = four_of_ten();
  open("#/hold/" + id);
  confirm_a_part("9");  // more than there is: the question stays
  EXPECT_TRUE(browser().value("document.getElementById('ask').open").truth("/value"));
  browser().type("#ask-quantity", "2");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold", "Confirmed");
  EXPECT_THAT(browser().text("#hold-state"), HasSubstr("held"));
  EXPECT_EQ(now(id, "quantity_confirmed"), 2);

  browser().click("#do-part");
  browser().click("#ask-final");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold-state", "confirmed");
  browser().wait_for_text("#hold", "Released");
  EXPECT_EQ(now(id, "quantity_released"), 1);

  browser().click("#do-cancel");
  browser().type("#ask-quantity", "1");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold", "Cancelled");
  browser().click("#do-cancel");  // what is left of it
  browser().click("#ask-yes");
  browser().wait_for("document.querySelectorAll('#hold .buttons button').length === 0");
  EXPECT_EQ(now(id, "quantity_cancelled"), 3);
  EXPECT_EQ(Json(call("GET", "/v1/resources/row_12/availability").body).number("/free"), 10);
  EXPECT_THAT(events(), ElementsAre("resource.declared", "hold.placed", "hold.partly_confirmed",
                                    "hold.confirmed", "hold.cancelled", "hold.cancelled"));
  EXPECT_THAT(browser().console(), IsEmpty());
}

/// One part, asked for twice before there was an answer, is one part; asked for again, it is
/// another.
TEST_F(ConsoleLife, APartWhoseAnswerWasLostIsConfirmedOnce) {
  const std::string id = four_of_ten();
  LosingProxy proxy(service_->port());
  browser().open(proxy.url() + "#/hold/" + id);
  browser().wait_for_text("#hold-state", "held");
  proxy.lose_answers(true);
  confirm_a_part("1");
  wait_for_action("not known");
  confirm_a_part("1");
  browser().wait_for_text("#actions li .key", "sent 2 times");
  wait_for_action("not known");
  EXPECT_EQ(browser().number("document.querySelectorAll('#actions li').length"), 1);

  proxy.lose_answers(false);
  browser().click("#actions .again");
  wait_for_action("replayed");
  EXPECT_EQ(now(id, "quantity_confirmed"), 1);
  confirm_a_part("1");
  browser().wait_for("document.querySelectorAll('#actions li').length === 2");
  wait_for_action("done");
  EXPECT_EQ(now(id, "quantity_confirmed"), 2);
}

TEST_F(ConsoleLife, PlacesAGroupAndConfirmsIt) {
  open();
  fill_placing("room_307", "guest_g91");
  fill_in_another("room_308");
  fill_in_another("room_309");
  browser().click("#place-more .item:last-child button");
  browser().click("#place button");
  wait_for_action("done");
  browser().wait_for("document.querySelectorAll('#place-more .item').length === 0");
  browser().wait_for_text("#holds", "room_308");
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.placed"));

  browser().click("#holds a");
  browser().click("#hold a[href^='#/group/']");
  browser().wait_for("document.querySelectorAll('#group-holds tr').length === 2");
  browser().click("#group-confirm");
  browser().wait_for_text("#ask-text", "2 of 2 holds, for guest_g91");
  browser().click("#ask-yes");
  browser().wait_for("document.querySelectorAll('#group-holds .pill.confirmed').length === 2");
  EXPECT_EQ(browser().number("document.querySelectorAll('#group .buttons button').length"), 0);
  EXPECT_THAT(events(),
              ElementsAre("hold.placed", "hold.placed", "hold.confirmed", "hold.confirmed"));
  EXPECT_THAT(browser().console(), IsEmpty());
}

TEST_F(ConsoleLife, ExtendsAndReleasesWhatIsHeldOfAGroup) {
  const std::string group = grouped("room_307", "room_308");
  open("#/group/" + group);
  browser().click("#group-extend");
  browser().click("#ask-yes");
  wait_for_action("done");
  browser().click("#group-holds a");  // one by itself
  browser().click("#do-confirm");
  browser().click("#ask-yes");
  browser().wait_for_text("#hold-state", "confirmed");
  browser().click("#hold a[href^='#/group/']");
  browser().click("#group-release");
  browser().wait_for_text("#ask-text", "1 of 2 holds");
  browser().click("#ask-yes");
  browser().wait_for_text("#group-holds", "released");
  EXPECT_THAT(events(), ElementsAre("hold.placed", "hold.placed", "hold.extended", "hold.extended",
                                    "hold.confirmed", "hold.released"));
  // The token of the group leads back to it.
  browser().open("about:blank");
  open("#/tokens/g");
  browser().wait_for_text("#token-result", group);
  browser().click("#token-result a");
  browser().wait_for("document.querySelectorAll('#group-holds tr').length === 2");
}

TEST_F(ConsoleLife, ARefusedGroupSaysWhatWasShort) {
  (void)placed("room_308");
  open();
  fill_placing("room_307", "guest_g91");
  fill_in_another("room_308");
  browser().click("#place button");
  wait_for_action("refused");
  EXPECT_THAT(browser().text("#actions li .outcome"), HasSubstr("room_308: 1 asked, 0 free."));
  EXPECT_THAT(browser().text("#actions li .outcome"), Not(HasSubstr("room_307")));
  EXPECT_THAT(events(), ElementsAre("hold.placed"));
}

TEST_F(ConsoleLife, ShowsHostileNamesOfAGroupAsText) {
  const std::string name =
      "<img src=x onerror=\"window.ran=1\">'\"&amp;<script>window.ran=2</script>";
  const std::string group = grouped(name, "room_308");
  open("#/group/" + group);
  browser().wait_for_text("#group-holds", name);
  browser().click("#group-holds a");
  browser().click("#hold a[href^='#/resource/']");
  browser().wait_for_text("#resource", name);
  browser().click("nav a[href='#/holds']");
  fill_placing("room_309", "guest_k22");
  fill_in_another(name);
  EXPECT_THAT(browser().console(), IsEmpty());
  browser().click("#place button");
  wait_for_action("refused");
  browser().wait_for_text("#actions li .outcome", name + ": 1 asked");
  EXPECT_TRUE(browser().value("window.ran === undefined").truth("/value"));
  EXPECT_EQ(browser().number("document.querySelectorAll('img, script').length"), 1);
}

TEST_F(ConsoleLife, ShowsWhatIsFreeOfAResource) {
  (void)four_of_ten();
  open("#/resources");
  browser().click("#resources a");
  browser().wait_for_text("#resource-free", "6");
  browser().wait_for_text("#resource .countdown", "in 00:1");
  (void)call("POST", "/v1/holds", {{"Idempotency-Key", "more"}},
             R"({"resource":"row_12","requester":"guest_k22","duration":"PT5M","quantity":5})");
  browser().wait_for_text("#resource-free", "1");  // it follows what others do
  browser().click("#resource button");
  browser().wait_for("document.querySelectorAll('#holds tr').length === 2");
}

TEST_F(ConsoleLife, ListsWhatBeginsAlike) {
  for (const char* name : {"room_1/24", "room_1/25", "room_2/24"}) (void)placed(name);
  open();
  browser().wait_for("document.querySelectorAll('#holds tr').length === 3");
  browser().type("#filter-prefix", "room_1/");
  browser().click("#filter button");
  browser().wait_for("document.querySelectorAll('#holds tr').length === 2");
  browser().click("nav a[href='#/resources']");
  browser().type("#resources-prefix", "room_2/");
  browser().click("#resources-filter button");
  browser().wait_for("document.querySelectorAll('#resources tr').length === 1");
  browser().type("#resources-prefix", "room_3/");
  browser().click("#resources-filter button");
  browser().wait_for_text("#resources-said", "There are none.");
}

}  // namespace
}  // namespace holdfast::test
