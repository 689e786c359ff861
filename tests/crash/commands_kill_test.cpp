// A process that submits commands and sees to their effects is killed at every stage of the main
// path, again and again, on one store. What was answered is there, nothing is done twice, and
// nothing is stuck: at last every command ends.

#include <csignal>
#include <map>
#include <thread>

#include "crash/commands_load.hpp"
#include "crash/opening.hpp"
#include "support/journals/audit.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {
namespace {

class CommandsKilled : public testing::TestWithParam<std::string> {
 protected:
  void kill_at(const std::string& stage, int occurrence) {
    ChildProcess worker({HOLDFAST_WORKER("commands"), store_, std::to_string(++rounds_), stage,
                         std::to_string(occurrence)});
    while (const auto line = worker.read_line()) {
      const std::string token = line->substr(5, line->find(' ', 5) - 5);
      std::string& told = calls_[token];
      // "1 …": it was recorded
      if (line->starts_with("told") && line->substr(6 + token.size(), 1) == "1")
        told = line->substr(8 + token.size());
    }
    ASSERT_EQ(worker.wait(), SIGKILL) << "it ended by itself";
    judge();
  }

  std::unique_ptr<Service> opened() {
    Opening opening;
    opening.store = store_;
    opening.prepare = preparing_for_crashes();
    auto service = open_service(opening);
    EXPECT_TRUE(service) << service.error().message;
    return service ? std::move(*service) : nullptr;
  }

  /// Everything that was told is told again.
  void judge() {
    const auto service = opened();
    ASSERT_NE(service, nullptr);
    for (auto& [token, told] : calls_) {
      if (told.empty()) continue;
      const Answer answer = submit(*service, command_call_of(token));
      ASSERT_TRUE(answer.replayed) << token;
      EXPECT_EQ(told, token.starts_with("submit")
                          ? id_of(answer)
                          : std::to_string(std::hash<std::string>()(answer.document)))
          << token;
    }
    EXPECT_THAT(violations(service->store()), testing::IsEmpty());
  }

  [[nodiscard]] static bool any_open(const Store& store) {
    const auto page = store.rows(
        "default", {.space = commands::CommandRow::space, .parent = "in_progress", .limit = 1});
    EXPECT_TRUE(page);
    return !page->items.empty();
  }

  /// Workers and dispatchers that never fail, until there is nothing left to do.
  void finish() {
    const auto service = opened();
    ASSERT_NE(service, nullptr);
    for (int turn = 0; any_open(service->store()); ++turn) {
      ASSERT_LT(turn, 100'000) << "something is stuck";
      service->sweep();
      bool idle = true;
      for (const char* const what : {"lease", "probe"}) {
        const Answer leased =
            submit(*service, command_call_of(fmt::format("{}-last-{}", what, turn)));
        for (const std::string& each : words_on(leased, true)) {
          (void)submit(*service, command_call_of(each));
          idle = false;
        }
      }
      if (idle) std::this_thread::sleep_for(1ms);  // some back-off, or a lease that somebody took
    }
    EXPECT_THAT(violations(service->store()), testing::IsEmpty());
  }

  const StoreUnderTest place_{GetParam(), {}};
  const std::string store_ = place_.name();
  std::map<std::string, std::string> calls_;  ///< by token: what was told; empty: nothing recorded
  int rounds_ = 0;
};

INSTANTIATE_TEST_SUITE_P(on, CommandsKilled, testing::Values("sqlite", "postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(CommandsKilled, at_every_stage_lose_nothing_and_do_nothing_twice) {
  for (const int occurrence : {2, 7, 19}) {
    for (const std::string stage : {"load", "decide", "write", "sync", "answer", "done"}) {
      if (stage == "sync" && place_.shared()) continue;  // a commit is durable already
      ASSERT_NO_FATAL_FAILURE(kill_at(stage, occurrence)) << stage << " " << occurrence;
    }
  }
  finish();
}

}  // namespace
}  // namespace holdfast::test
