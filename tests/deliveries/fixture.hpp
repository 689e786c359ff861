#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "deliveries/deliverer.hpp"
#include "deliveries/round.hpp"
#include "holdfast/subscriptions.hpp"
#include "store/memory/memory_store.hpp"
#include "support/calls.hpp"
#include "support/servers/fake_server.hpp"

namespace holdfast::test {

/// A service in memory whose events are sent to receivers on this machine.
class DeliveriesFixture : public testing::Test {
 protected:
  DeliveriesFixture() {
    Rules rules;
    rules.confirmation_secret = {7, 8};
    service_ = std::make_unique<Service>(open_memory_store(rules, system_clock()), system_random(),
                                         ServiceOptions{});
  }

  std::unique_ptr<deliveries::Deliverer> start(std::vector<std::string> allowed = {"127.0.0.0/8"},
                                               Duration timeout = std::chrono::seconds(15)) {
    deliveries::Options options{.look_every = std::chrono::milliseconds(20), .timeout = timeout};
    options.outbound.allowed = std::move(allowed);
    auto started = deliveries::Deliverer::start(*service_, std::move(options));
    EXPECT_TRUE(started.has_value()) << (started ? "" : started.error());
    return std::move(*started);
  }

  std::string subscribe(const std::string& url, std::vector<std::string> events = {"hold."}) {
    const Answer made = deliveries::ask(
        *service_, Command(Subscribing{.url = url, .events = std::move(events)}), "default");
    EXPECT_THAT(made, done());
    return subscriptions::SubscriptionRow::read(made.document)->id;
  }

  void place(int count, const std::string& tenant = "default") {
    for (int i = 0; i < count; ++i) place_at("r" + std::to_string(++placed_), tenant);
  }
  void place_at(const std::string& resource, const std::string& tenant = "default") {
    const Placing what{.resource = resource, .requester = "q", .duration = 1h};
    EXPECT_THAT(deliveries::ask(*service_, Command(what), tenant), done());
  }

  subscriptions::SubscriptionRow row(const std::string& id) {
    const auto page = service_->store().rows(
        subscriptions::SubscriptionRow::tenant_of_list,
        {.space = subscriptions::SubscriptionRow::space, .key = id, .limit = 1});
    return page->items.empty() ? subscriptions::SubscriptionRow{}
                               : *row_of<subscriptions::SubscriptionRow>(&page->items[0].row);
  }

  /// Waits for what must come to be; the test fails when it never does.
  template <typename Condition>
  static bool comes(const Condition& condition) {
    for (int i = 0; i < 3000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  static std::vector<std::string> ids(const std::vector<Seen>& seen) {
    std::vector<std::string> all;
    for (const Seen& each : seen) all.push_back(each.header("webhook-id"));
    return all;
  }

  Service& service() { return *service_; }

 private:
  std::unique_ptr<Service> service_;
  int placed_ = 0;
};

}  // namespace holdfast::test
