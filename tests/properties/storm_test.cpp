// Many callers at once, each doing random things out of a small store of tokens, holds and rooms,
// so that they are for ever in each other's way. Whatever the order turns out to be, tokens answer
// alike and the records stand up to the audit.

#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

constexpr std::size_t caller_count = 8;
constexpr int calls_each = 150;

class Storm : public ServiceTest {
 protected:
  /// What was asked with a token, and what was said.
  struct Told {
    std::set<std::string> requests;  ///< that were not refused as collisions
    std::set<std::string> answers;
    std::set<std::string> collisions;
    int firsts = 0;
  };

  void rage(const std::function<void()>& between_calls) {
    service();
    on_threads(caller_count, [&](std::size_t caller) {
      std::mt19937_64 random(caller + 1);
      for (int i = 0; i < calls_each; ++i) {
        const Call call = random_call(random);
        note(call, submit(call));
        between_calls();
      }
    });
  }

  Call random_call(std::mt19937_64& random) {
    const std::string token = "t" + std::to_string(random() % 200);
    const Placing what{.resource = "room" + std::to_string(random() % 4),
                       .requester = "g" + std::to_string(random() % 2),
                       .duration = random() % 2 == 0 ? Duration(5ms) : Duration(1h),
                       .quantity = static_cast<std::int64_t>(1 + random() % 2)};
    switch (random() % 16) {
      case 8:
        return extend(some_hold(random), what.duration, token);
      case 9:
        return confirm_part(some_hold(random), 1, token);
      case 10:
        return confirm_finally(some_hold(random), 1, token);
      case 11:
        return cancel_part(some_hold(random), 1, token);
      case 12:
        return place_group({.requester = what.requester,
                            .duration = what.duration,
                            .holds = {{what.resource, what.quantity}, {"room0", 1}}},
                           token);
      case 13:
        return confirm_group({some_hold(random)}, token);
      case 14:
        return random() % 2 == 0 ? release_group({some_hold(random)}, token)
                                 : extend_group({some_hold(random)}, what.duration, token);
      case 0:
        return confirm(some_hold(random), token);
      case 1:
        return release(some_hold(random), token);
      case 2:
        return expire(some_hold(random), token);
      case 3:
        return declare(what.resource, static_cast<std::int64_t>(1 + random() % 5), token);
      default:
        return place(what, token);
    }
  }

  HoldId some_hold(std::mt19937_64& random) {
    const std::lock_guard lock(mutex_);
    return holds_.empty() ? HoldId{1, 1} : holds_[random() % holds_.size()];
  }

  void note(const Call& call, const Answer& answer) {
    const std::lock_guard lock(mutex_);
    Told& told = told_[call.token.bytes()];
    const std::string request =
        std::string(name(call.command.operation())) + ' ' + make_request(call).digest.hex();
    if (answer.rejection == Rejection::token_collision) {
      told.collisions.insert(request);
      return;
    }
    told.requests.insert(request);
    told.answers.insert(words(answer));
    told.firsts += answer.replayed ? 0 : 1;
    if (!answer.ok() || answer.replayed) return;
    if (call.command.operation() == Operation::hold_place) holds_.push_back(answer.hold->id);
    if (call.command.operation() != Operation::group_place) return;
    const Group group = group_in(answer).value_or(Group{});
    for (const Hold& each : group.holds) holds_.push_back(each.id);
  }

  std::mutex mutex_;
  std::vector<HoldId> holds_;         // guarded by mutex_
  std::map<std::string, Told> told_;  // guarded by mutex_
};
HOLDFAST_ON_EVERY_STORE(Storm);

TEST_P(Storm, while_time_stands_still_every_token_has_one_request_and_one_answer) {
  rage([] {});
  for (const auto& [token, told] : told_) {
    EXPECT_EQ(told.requests.size(), 1U) << token;
    EXPECT_EQ(told.answers.size(), 1U) << token;
    EXPECT_EQ(told.firsts, 1) << token;
    EXPECT_FALSE(told.collisions.contains(*told.requests.begin())) << token;
  }
  EXPECT_EQ(store().counts().holds, holds_.size());
}

TEST_P(Storm, while_time_moves_and_sweeps_go_on_the_audit_stays_clean) {
  Rules rules;
  rules.window = 20ms;
  service(rules);
  std::atomic<int> calls = 0;
  rage([&] {
    clock().advance(Duration(137));
    if (++calls % 50 == 0) service().sweep();
  });
  EXPECT_EQ(store().counts().holds, holds_.size());
}

}  // namespace
}  // namespace holdfast::test
