// A process that adds to counters, takes and removes things is killed at every stage of the main
// path, again and again, on one store. What was answered is there, and nothing happened twice.

#include <csignal>
#include <map>

#include "crash/opening.hpp"
#include "modules/module_load.hpp"
#include "support/journals/audit.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {
namespace {

class ModuleKilled : public testing::TestWithParam<std::string> {
 protected:
  void kill_at(const std::string& stage, int occurrence) {
    ChildProcess worker({HOLDFAST_WORKER("modules"), store_, std::to_string(++rounds_), stage,
                         std::to_string(occurrence)});
    while (const auto line = worker.read_line()) {
      const std::string token = line->substr(5, line->find(' ', 5) - 5);
      std::string& told = calls_[token];
      if (line->starts_with("told")) told = line->substr(6 + token.size());
    }
    ASSERT_EQ(worker.wait(), SIGKILL) << "it ended by itself";
    judge();
  }

  void judge() {
    Opening opening;
    opening.store = store_;
    auto service = open_service(opening);
    ASSERT_TRUE(service) << service.error().message;
    std::map<std::string, std::int64_t> sums;
    for (auto& [token, told] : calls_) {
      const Call call = call_of(token);
      const Answer answer = submit(**service, call);
      ASSERT_TRUE(answer.recorded) << token;
      EXPECT_TRUE(told.empty() || (answer.replayed && told_of(answer) == told)) << token;
      told = told_of(answer);
      const auto* const adding = call.command.as<counter::Adding>();
      if (adding != nullptr) sums[adding->name] += adding->amount;
    }
    for (const auto& [name, sum] : sums) {
      if (!name.starts_with("kept")) continue;
      EXPECT_EQ(value_of((*service)->store(), name), sum) << name;
    }
    expect_rows_follow((*service)->store());
    EXPECT_THAT(violations((*service)->store()), testing::IsEmpty());
  }

  const StoreUnderTest place_{GetParam(), {}};
  const std::string store_ = place_.name();
  std::map<std::string, std::string> calls_;  ///< by token: what was answered; empty: nothing yet
  int rounds_ = 0;
};

INSTANTIATE_TEST_SUITE_P(on, ModuleKilled, testing::Values("sqlite", "postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(ModuleKilled, at_every_stage_it_loses_nothing_and_does_nothing_twice) {
  for (const int occurrence : {1, 2, 5, 13}) {
    for (const std::string stage : {"load", "decide", "write", "sync", "answer", "done"}) {
      if (stage == "sync" && place_.shared()) continue;  // a commit is durable already
      ASSERT_NO_FATAL_FAILURE(kill_at(stage, occurrence)) << stage << " " << occurrence;
    }
  }
}

}  // namespace
}  // namespace holdfast::test
