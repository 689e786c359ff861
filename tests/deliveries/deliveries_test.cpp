// Events sent to subscribers: in order, signed, at least once, and to nobody who does not want
// them.

#include "deliveries/fixture.hpp"
#include "deliveries/signing.hpp"
#include "domain/kind.hpp"
#include "signatures/verify.hpp"

namespace holdfast::test {
namespace {

using deliveries::ask;
using testing::HasSubstr;

class Deliveries : public DeliveriesFixture {};

TEST_F(Deliveries, are_in_order_and_signed) {
  FakeServer receiver;
  receiver.always(answer(200, "{}"));
  const std::string id = subscribe(receiver.url() + "/hook");
  place(120);
  place(3, "acme");
  const auto deliverer = start();
  ASSERT_TRUE(comes([&] { return receiver.seen().size() == 120; }));
  ASSERT_TRUE(comes([&] { return !row(id).lease_until; }));
  const std::vector<Seen> seen = receiver.seen();
  const auto secret = deliveries::signing_secret({7, 8}, row(id), 1);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_THAT(seen[i].body, HasSubstr("\"r" + std::to_string(i + 1) + "\""));
    const auto lookup = [&](std::string_view name) {
      static thread_local std::string value;
      value = seen[i].header(std::string(name));
      return signatures::Header{value.empty() ? 0U : 1U, value};
    };
    const auto verified =
        signatures::verify(signatures::Standard{}, {&secret, 1}, lookup, seen[i].body,
                           service().store().now(), std::chrono::minutes(5));
    EXPECT_TRUE(verified.has_value()) << (verified ? "" : verified.error().text);
  }
  EXPECT_EQ(receiver.seen().size(), 120U);  // each once, where nothing goes wrong
}

TEST_F(Deliveries, that_fail_are_made_again_and_nothing_overtakes_them) {
  FakeServer receiver({answer(200, ""), answer(500, ""), hang_up(), answer(204, "")});
  receiver.always(answer(200, ""));
  const std::string id = subscribe(receiver.url());
  place(3);
  const auto deliverer = start();
  ASSERT_TRUE(comes([&] { return receiver.seen().size() == 5 && row(id).failures == 0; }));
  const auto all = ids(receiver.seen());
  EXPECT_EQ(all[1], all[2]);
  EXPECT_EQ(all[2], all[3]);
  EXPECT_NE(all[0], all[1]);
  EXPECT_NE(all[3], all[4]);
}

TEST_F(Deliveries, end_when_the_receiver_is_gone_until_somebody_asks_for_them_again) {
  FakeServer receiver({answer(410, "")});
  receiver.always(answer(200, ""));
  const std::string id = subscribe(receiver.url());
  place(2);
  const auto deliverer = start();
  ASSERT_TRUE(comes([&] { return row(id).disabled; }));
  EXPECT_EQ(row(id).reason, "gone");
  const auto records = service().store().records(0, 1000);
  const auto disabled = std::count_if(records->begin(), records->end(), [](const Record& each) {
    return find_kind(each.kind)->event == "subscription.disabled";
  });
  EXPECT_EQ(disabled, 1);
  EXPECT_THAT(ask(service(), Command(Resending{.id = id, .after = 0}), "default"), done());
  EXPECT_TRUE(comes([&] { return receiver.seen().size() == 3; }));
}

TEST_F(Deliveries, are_not_made_to_addresses_that_are_not_allowed) {
  FakeServer receiver;
  receiver.always(answer(200, ""));
  const std::string id = subscribe(receiver.url());
  place(1);
  const auto deliverer = start({});
  ASSERT_TRUE(comes([&] { return row(id).failures > 0; }));
  EXPECT_TRUE(receiver.seen().empty());
  EXPECT_THAT(row(id).error, HasSubstr("address policy"));
}

TEST_F(Deliveries, go_on_where_another_dispatcher_ended) {
  FakeServer receiver;
  receiver.always(answer(200, ""));
  subscribe(receiver.url());
  place(60);
  start().reset();  // it may have come anywhere
  const auto one = start();
  const auto other = start();
  place(60);
  ASSERT_TRUE(comes([&] {
    auto all = ids(receiver.seen());
    std::sort(all.begin(), all.end());
    return std::unique(all.begin(), all.end()) - all.begin() == 120;
  }));
}

TEST_F(Deliveries, of_the_last_step_of_another_are_refused) {
  const std::string id = subscribe("https://example.com");
  const auto taken = ask(service(), Command(Serving{.id = id}), "default");
  EXPECT_EQ(ask(service(), Command(Serving{.id = id}), "default").document, "");
  EXPECT_THAT(ask(service(), Command(Resending{.id = id, .after = 0}), "default"), done());
  EXPECT_THAT(ask(service(), Command(Advancing{.id = id, .fence = 1, .cursor = 1}), "default"),
              refused(Rejection::stale_fence));
  EXPECT_THAT(ask(service(), Command(Unsubscribing{.id = id}), "acme"),
              refused(Rejection::subscription_not_known));
  EXPECT_THAT(ask(service(), Command(Unsubscribing{.id = id}), "default"), done());
  EXPECT_THAT(ask(service(), Command(Subscribing{.url = "ftp://example.com"}), "default"),
              refused(Rejection::invalid_request));
}

}  // namespace
}  // namespace holdfast::test
