// A process that sends events is killed at every stage of the main path, while an event is at its
// receiver, and at random, again and again, on one store. Every event arrives, none before those
// that were recorded before it, and what arrives twice is the same to the byte.

#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "deliveries/arrivals.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/processes/kills.hpp"
#include "support/servers/fake_server.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {
namespace {

class DeliveriesKilled : public testing::TestWithParam<std::string> {
 protected:
  DeliveriesKilled() {
    receiver_.always({.bytes = [this](const Seen&) {
      if (--arrivals_left_ == 0) ::kill(victim_, SIGKILL);
      return std::string("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }});
  }

  [[nodiscard]] std::vector<std::string> worker_arguments() const {
    return {HOLDFAST_WORKER("deliveries"), store_, receiver_.url(), std::to_string(judged_ + 1),
            std::to_string(rounds_)};
  }

  /// True if it was killed; else it had ended before.
  bool kill_at(const std::string& point, int occurrence) {
    ++rounds_;
    std::vector<std::string> arguments = worker_arguments();
    arguments.insert(arguments.end(), {point, std::to_string(occurrence)});
    ChildProcess worker(arguments);
    victim_ = worker.pid();
    arrivals_left_ = point == "arrival" ? occurrence : 0;
    if (point == "random") {
      std::this_thread::sleep_for(std::chrono::milliseconds(occurrence * 7));
      worker.kill();
    }
    const int end = worker.wait();
    arrivals_left_ = 0;
    EXPECT_TRUE(end == SIGKILL || end == 0) << "it ended by itself: " << end;
    return end == SIGKILL;
  }

  /// A process that nobody kills sends all that is left.
  void finish() {
    ChildProcess worker(worker_arguments());
    ASSERT_EQ(worker.wait(), 0);
    judged_ = rounds_;
    judge();
  }

  [[nodiscard]] static std::int64_t placed(const Store& store) {
    const auto records = all_records(store);
    return std::count_if(records.begin(), records.end(),
                         [](const Record& each) { return each.kind == RecordKind::placed; });
  }

  void judge() const {
    const auto opened = open_store({.store = store_, .read_only = true});
    ASSERT_TRUE(opened) << opened.error().message;
    const Store& store = **opened;
    ASSERT_THAT(violations(store), testing::IsEmpty());
    EXPECT_EQ(placed(store), 20 * rounds_);
    expect_all_in_order(receiver_.seen(), store);
  }

  std::atomic<int> arrivals_left_{0};
  std::atomic<pid_t> victim_{0};
  FakeServer receiver_;
  const StoreUnderTest place_{GetParam(), {}};
  const std::string store_ = place_.name();
  int rounds_ = 0;
  int judged_ = 0;
};

INSTANTIATE_TEST_SUITE_P(on, DeliveriesKilled, testing::Values("sqlite", "postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(DeliveriesKilled, at_every_stage_lose_no_event_and_keep_their_order) {
  const std::vector<std::string> points{"load",   "decide", "write",   "sync",
                                        "answer", "done",   "arrival", "random"};
  const int wanted = kills_wanted(place_.shared());
  int kills = 0;
  for (int i = 0; kills < wanted; ++i) {
    ASSERT_LT(i, 3 * wanted + 30) << "most of them ended before they were killed";
    const std::string& point = points[static_cast<std::size_t>(i) % points.size()];
    if (point == "sync" && place_.shared()) continue;  // a commit is durable already
    kills += kill_at(point, 1 + i * 5 % 17) ? 1 : 0;
    if (rounds_ % 5 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(finish()) << point << " " << i;
  }
  ASSERT_NO_FATAL_FAILURE(finish());
}

}  // namespace
}  // namespace holdfast::test
