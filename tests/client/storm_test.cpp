// Many threads, one client, and a network on which no connection lives long.

#include <fmt/format.h>

#include <map>

#include "client/fixture.hpp"
#include "client/flaky_proxy.hpp"
#include "support/http/http_server.hpp"
#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

using testing::SizeIs;

class Storm : public HttpTest {};

TEST_F(Storm, DoesEverythingExactlyOnce) {
  start();
  const FlakyProxy network(port(), 2'000, 7);
  auto rooms = holdfast::connect({.url = network.url(),
                                  .patience = 24h * 365,
                                  .attempts_max = 10'000,
                                  .random = seeded_random(7),
                                  .pace = std::make_shared<SimulatedPace>()});
  ASSERT_TRUE(rooms);
  constexpr std::size_t threads = 4;
  constexpr int orders = 25;
  std::vector<std::vector<std::string>> told(threads);
  on_threads(threads, [&](std::size_t thread) {
    for (int i = 0; i < orders; ++i) {
      // Every order comes in twice, from two threads, with the same tokens.
      const std::string order = fmt::format("{}-{}", thread / 2, i);
      const Reply held = rooms->place({"room_" + order, "guest", 1h}, Token("hold-" + order));
      ASSERT_TRUE(held) << held.error().text();
      ASSERT_TRUE(held->hold);
      const Reply kept = rooms->confirm(held->hold->id, Token("keep-" + order));
      ASSERT_TRUE(kept) << kept.error().text();
      told[thread].push_back(words(*held) + words(*kept));
    }
  });
  EXPECT_EQ(told[0], told[1]);
  EXPECT_EQ(told[2], told[3]);
  EXPECT_GT(network.connections(), 50U) << "it was a storm";
  constexpr std::size_t distinct = threads / 2 * orders;
  const auto holds = server_->service().store().holds("default", {.limit = 1000});
  ASSERT_TRUE(holds);
  EXPECT_THAT(holds->items, SizeIs(distinct));
  for (const HoldDetails& each : holds->items) EXPECT_EQ(each.hold.state, HoldState::confirmed);
}

}  // namespace
}  // namespace holdfast::test
