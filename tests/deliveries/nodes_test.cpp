// Two nodes on one database: whichever an event is recorded by, and whichever sends it, it arrives,
// and in order.

#include <future>
#include <set>
#include <thread>

#include "deliveries/arrivals.hpp"
#include "deliveries/deliverer.hpp"
#include "deliveries/round.hpp"
#include "holdfast/subscriptions.hpp"
#include "store/open.hpp"
#include "support/calls.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {
namespace {

using subscriptions::SubscriptionRow;

class DeliveringNode {
 public:
  explicit DeliveringNode(const std::string& store) {
    auto opened = open_store({.store = store});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    service_ = std::make_unique<Service>(std::move(*opened), system_random(), ServiceOptions{});
    deliveries::Options options{.look_every = std::chrono::milliseconds(5)};
    options.outbound.allowed = {"127.0.0.1"};
    auto started = deliveries::Deliverer::start(*service_, std::move(options));
    EXPECT_TRUE(started) << (started ? "" : started.error());
    deliverer_ = std::move(*started);
  }

  Answer run(Command command) { return deliveries::ask(*service_, std::move(command), "default"); }
  void place(const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i) {
      const Placing what{.resource = prefix + std::to_string(i), .requester = "q", .duration = 1h};
      EXPECT_THAT(run(Command(what)), done());
      deliverer_->wake();
    }
  }
  [[nodiscard]] const Store& store() const { return service_->store(); }
  /// Nothing more is sent by it.
  void stop() { deliverer_->stop(); }

 private:
  std::unique_ptr<Service> service_;
  std::unique_ptr<deliveries::Deliverer> deliverer_;
};

class DeliveriesShared : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(on, DeliveriesShared, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(DeliveriesShared, by_two_nodes_arrive_in_order_also_when_one_goes) {
  FakeServer receiver;
  receiver.always(answer(200, ""));
  const StoreUnderTest place(GetParam(), {});
  DeliveringNode one(place.name());
  DeliveringNode two(place.name());
  EXPECT_THAT(one.run(Command(Subscribing{.url = receiver.url(), .events = {"hold."}})), done());
  auto others = std::async(std::launch::async, [&] { two.place("b", 60); });
  one.place("a", 60);
  others.get();
  one.stop();
  one.place("c", 20);
  const auto arrived = [&] {
    std::set<std::string> ids;
    for (const Seen& each : receiver.seen()) ids.insert(each.header("webhook-id"));
    return ids.size();
  };
  for (int i = 0; i < 3000 && arrived() < 140; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  two.stop();
  expect_all_in_order(receiver.seen(), two.store());
  EXPECT_THAT(violations(two.store()), testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast::test
