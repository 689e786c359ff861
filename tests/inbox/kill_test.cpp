// A process that takes webhooks in is killed at every stage of the main path, while what it sends
// on is at its receiver, and at random, again and again, on one store. Each event is there once,
// what follows happened once where that is promised, and nothing is stuck.

#include <gmock/gmock.h>

#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "inbox/inbox_rounds.hpp"
#include "modules/commands/kinds.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"
#include "support/journals/audit.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/processes/kills.hpp"
#include "support/servers/scripted_provider.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {
namespace {

class InboxKilled : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::vector<std::string> worker_arguments() const {
    return {HOLDFAST_WORKER("inbox"), store_, receiver_.url(), std::to_string(judged_ + 1),
            std::to_string(rounds_)};
  }

  /// True if it was killed; else it had ended before.
  bool kill_at(const std::string& point, int occurrence) {
    ++rounds_;
    std::vector<std::string> arguments = worker_arguments();
    arguments.insert(arguments.end(), {point, std::to_string(occurrence)});
    ChildProcess worker(arguments);
    if (point == "forward") {
      // When its `occurrence`-th webhook arrives, which is acted on or not.
      auto left = std::make_shared<std::atomic<int>>(occurrence);
      receiver_.set_script([&worker, left, occurrence](const std::string&, int) {
        if (--*left != 0) return Trouble::none;
        worker.kill();
        return occurrence % 2 == 0 ? Trouble::acts_and_dies : Trouble::dies_before;
      });
    }
    if (point == "random") {
      std::this_thread::sleep_for(std::chrono::milliseconds(occurrence * 7));
      worker.kill();
    }
    while (worker.read_line()) continue;
    const int end = worker.wait();
    receiver_.set_script({});
    EXPECT_TRUE(end == SIGKILL || end == 0) << "it ended by itself: " << end;
    return end == SIGKILL;
  }

  /// A process that nobody kills finishes everything.
  void finish() {
    ChildProcess worker(worker_arguments());
    std::map<std::string, std::string> ids;
    while (const auto line = worker.read_line()) {
      const std::size_t space = line->rfind(' ');
      ids[line->substr(0, space)] = line->substr(space + 1);
    }
    ASSERT_EQ(worker.wait(), 0);
    const auto events = events_of_rounds(judged_ + 1, rounds_);
    ASSERT_EQ(ids.size(), events.size());
    for (const RoundEvent& each : events) {
      if (each.source != "mirror") continue;
      const std::string& id = ids[each.source + " " + each.event];
      EXPECT_GE(receiver_.calls(id), 1) << each.event;
      EXPECT_EQ(receiver_.effects(id), 1) << each.event << ": with one key it is done once";
    }
    judged_ = rounds_;
    judge_records();
  }

  void judge_records() const {
    const auto opened = open_store({.store = store_, .read_only = true});
    ASSERT_TRUE(opened) << opened.error().message;
    const Store& store = **opened;
    ASSERT_THAT(violations(store), testing::IsEmpty());
    std::map<std::string, int> received;
    std::map<std::string, int> completed;
    std::map<std::string, int> commands;
    for (const Record& each : all_records(store)) {
      if (each.kind == webhooks::kinds::received) ++received[each.token];
      if (each.kind == webhooks::kinds::completed)
        ++completed[webhooks::Completed::read(each.detail)->id];
      if (each.kind == commands::kinds::executed || each.kind == commands::kinds::accepted)
        ++commands[each.token];
      EXPECT_NE(each.kind, webhooks::kinds::died);
    }
    const std::size_t of_a_source = 3U * static_cast<std::size_t>(rounds_);
    EXPECT_EQ(received.size(), 4 * of_a_source);
    EXPECT_EQ(completed.size(), 4 * of_a_source);
    EXPECT_EQ(commands.size(), 2 * of_a_source);
    for (const auto* const all : {&received, &completed, &commands}) {
      for (const auto& [what, count] : *all) EXPECT_EQ(count, 1) << what;
    }
  }

  ScriptedProvider receiver_;
  const StoreUnderTest place_{GetParam(), {}};
  const std::string store_ = place_.name();
  int rounds_ = 0;
  int judged_ = 0;
};

INSTANTIATE_TEST_SUITE_P(on, InboxKilled, testing::Values("sqlite", "postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(InboxKilled, at_every_stage_loses_no_webhook_and_does_nothing_twice) {
  const std::vector<std::string> points{"load",   "decide", "write",   "sync",
                                        "answer", "done",   "forward", "random"};
  const int wanted = kills_wanted(place_.shared());
  int kills = 0;
  for (int i = 0; kills < wanted; ++i) {
    ASSERT_LT(i, 3 * wanted + 30) << "most of them ended before they were killed";
    const std::string& point = points[static_cast<std::size_t>(i) % points.size()];
    if (point == "sync" && place_.shared()) continue;  // a commit is durable already
    const int most = point == "forward" ? 3 : 17;
    kills += kill_at(point, 1 + i * 5 % most) ? 1 : 0;
    if (rounds_ % 5 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(finish()) << point << " " << i;
  }
  ASSERT_NO_FATAL_FAILURE(finish());
}

}  // namespace
}  // namespace holdfast::test
