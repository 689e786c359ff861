// The process that is killed: it opens a store, subscribes once, places holds, sends what was
// recorded to the subscriber, and ends when all of it was taken in.
//
//   deliveries_worker STORE RECEIVER FIRST LAST [POINT OCCURRENCE]
//
// The holds are those of rounds FIRST to LAST: what an earlier process placed is placed again with
// its token. POINT is the stage of the main path where it kills itself, coming there for the
// OCCURRENCE-th time.

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <future>
#include <thread>

#include "deliveries/deliverer.hpp"
#include "holdfast/subscriptions.hpp"
#include "store/open.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using subscriptions::SubscriptionRow;

Answer submit(Service& service, Command command, const std::string& token) {
  std::promise<Answer> answered;
  service.submit({.command = std::move(command), .token = Token(token)},
                 [&](Answer answer) { answered.set_value(std::move(answer)); });
  return answered.get_future().get();
}

std::optional<SubscriptionRow> row_of_it(const Service& service, const std::string& id) {
  const auto page = service.store().rows(SubscriptionRow::tenant_of_list,
                                         {.space = SubscriptionRow::space, .key = id, .limit = 1});
  if (!page || page->items.empty()) return std::nullopt;
  return *row_of<SubscriptionRow>(&page->items[0].row);
}

int run(int count, char** arguments) {
  const std::string point = count > 5 ? arguments[5] : "";
  std::atomic<int> left{count > 6 ? std::atoi(arguments[6]) : 0};
  const auto observer = [&](Stage stage) {
    if (name(stage) == point && --left == 0) ::raise(SIGKILL);
  };
  auto store = open_store({.store = arguments[1], .observer = observer});
  if (!store) return EXIT_FAILURE;
  Service service(std::move(*store), system_random(), {.observer = observer});
  const Answer made =
      submit(service, Command(Subscribing{.url = arguments[2], .events = {"hold."}}), "the one");
  if (!made.ok()) return EXIT_FAILURE;
  deliveries::Options options{
      .look_every = milliseconds(5), .lease = milliseconds(400), .timeout = milliseconds(300)};
  options.outbound.allowed = {"127.0.0.1"};
  const auto deliverer = deliveries::Deliverer::start(service, std::move(options));
  if (!deliverer) return EXIT_FAILURE;
  for (int round = std::atoi(arguments[3]); round <= std::atoi(arguments[4]); ++round) {
    for (int i = 0; i < 20; ++i) {
      const std::string what = fmt::format("r{}_{}", round, i);
      const Placing placing{
          .resource = what, .requester = "q", .duration = std::chrono::hours(24 * 30)};
      if (!submit(service, Command(placing), what).ok()) return EXIT_FAILURE;
      (*deliverer)->wake();
    }
  }
  // Records about the subscription itself come after the last event, and are none.
  const std::string id = SubscriptionRow::read(made.document)->id;
  std::uint64_t last = 0;
  const auto records = service.store().records(0, 1'000'000);
  for (const Record& each : *records) {
    if (each.kind == RecordKind::placed) last = each.seq;
  }
  while (row_of_it(service, id).value_or(SubscriptionRow{}).cursor < last)
    std::this_thread::sleep_for(milliseconds(2));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  return holdfast::test::run(argc, argv);
}
