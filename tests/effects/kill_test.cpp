// A process that dispatches effects is killed at every stage of the main path and of a call, again
// and again, on one store. The provider's own count is the judge: what a shield promises to happen
// once happened once, and every command ended.

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <map>

#include "effects/effect_rounds.hpp"
#include "support/effects/world.hpp"
#include "support/journals/audit.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/processes/kills.hpp"
#include "support/stores/store_under_test.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

class EffectsKilled : public testing::TestWithParam<std::string> {
 protected:
  EffectsKilled() {
    std::ofstream(secrets_) << "CARD_TOKEN=t\n";
    // Some answers are lost besides; in a way that says nothing of what was done.
    provider_.set_script([](const std::string& key, int call) {
      if (call > 1) return Trouble::none;
      if (key.ends_with("_1")) return Trouble::acts_and_dies;
      return key.ends_with("_2") ? Trouble::slow : Trouble::none;
    });
  }

  [[nodiscard]] std::vector<std::string> worker_arguments() const {
    return {
        HOLDFAST_WORKER("effects"), store_, provider_.url(), secrets_, std::to_string(judged_ + 1),
        std::to_string(rounds_)};
  }

  /// True if it was killed; else it had ended before it came there so often.
  bool kill_at(const std::string& point, int occurrence) {
    std::vector<std::string> arguments = worker_arguments();
    arguments.insert(arguments.end(), {point, std::to_string(occurrence)});
    ChildProcess worker(arguments);
    while (worker.read_line()) continue;
    const int end = worker.wait();
    EXPECT_TRUE(end == SIGKILL || end == 0) << "it ended by itself: " << end;
    return end == SIGKILL;
  }

  /// A process that nobody kills finishes everything.
  void finish() {
    ChildProcess worker(worker_arguments());
    std::map<std::string, std::string> ended;
    while (const auto line = worker.read_line()) {
      const std::size_t space = line->find(' ');
      ended[line->substr(0, space)] = line->substr(space + 1);
    }
    ASSERT_EQ(worker.wait(), 0);
    for (const RoundKey& each : keys_of_rounds(judged_ + 1, rounds_)) judge(each, ended[each.key]);
    judged_ = rounds_;
    Node::Options options;
    options.dispatches = false;
    Node node(store_, registry_of({.url = provider_.url()}), options);
    ASSERT_THAT(violations(node.service().store()), testing::IsEmpty());
  }

  void judge(const RoundKey& each, const std::string& ended) {
    const int effects = provider_.effects(each.key);
    const int calls = provider_.calls(each.key);
    if (each.shield != "s2") {
      EXPECT_EQ(ended, "executed ") << each.key;
      EXPECT_EQ(effects, 1) << each.key;
      return;
    }
    EXPECT_LE(calls, 1) << each.key;
    if (ended == "executed ") {
      EXPECT_EQ(effects, 1) << each.key;
    } else {
      EXPECT_EQ(ended, "failed outcome_unknown") << each.key;
    }
  }

  const TempDir dir_;
  const std::string secrets_ = dir_.file("secrets");
  ScriptedProvider provider_;
  const StoreUnderTest place_{GetParam(), {}};
  const std::string store_ = place_.name();
  int rounds_ = 0;
  int judged_ = 0;
};

INSTANTIATE_TEST_SUITE_P(on, EffectsKilled, testing::Values("sqlite", "postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(EffectsKilled, at_every_stage_leave_no_effect_that_happens_twice_and_none_that_is_stuck) {
  const std::vector<std::string> points{"load", "decide",      "write",       "sync",      "answer",
                                        "done", "before-call", "during-call", "after-call"};
  const int wanted = kills_wanted(place_.shared());
  int kills = 0;
  for (int i = 0; kills < wanted; ++i) {
    ASSERT_LT(i, 3 * wanted + 30) << "most of them ended before they were killed";
    const std::string& point = points[static_cast<std::size_t>(i) % points.size()];
    if (point == "sync" && place_.shared()) continue;  // a commit is durable already
    ++rounds_;
    kills += kill_at(point, 1 + i * 5 % 17) ? 1 : 0;
    if (rounds_ % 5 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(finish()) << point << " " << i;
  }
  ASSERT_NO_FATAL_FAILURE(finish());
}

}  // namespace
}  // namespace holdfast::test
