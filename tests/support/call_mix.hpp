#pragma once

#include <deque>
#include <string>
#include <vector>

#include "holdfast/operations.hpp"
#include "support/dice.hpp"
#include "support/plain_call.hpp"

namespace holdfast::test {

/// Makes up calls of every kind, and everything that can go wrong with them: refusals for every
/// reason, repeated calls, tokens and nonces used for something else, codes that are wrong or too
/// late, calls at the very instant a hold or a token ends, names and tokens of all sorts.
///
/// It learns from the answers. The same seed and the same answers give the same calls.
class CallMix {
 public:
  struct Options {
    std::uint64_t seed = 1;
    Instant start{};
    Policies policies{};
    /// Pauses are so many times as long as for calls that come one at a time.
    int pace = 1;
    /// What its tokens and nonces begin with.
    std::string prefix{};
    /// Ids that no hold can have, and callers and nonces the engine does not let in, too.
    bool unreadable_calls = true;
    /// Holds that change while they stand, and groups of them, too.
    bool changes = false;
  };
  explicit CallMix(const Options& options) : options_(options), dice_(options.seed) {}

  /// Time goes by, or back a little.
  void pause();
  /// Time goes on until it is later than it ever was.
  void pause_for_good();
  [[nodiscard]] Instant now() const { return now_; }

  /// What is asked next, at once.
  [[nodiscard]] std::vector<PlainCall> calls(std::size_t count);
  /// Has to be told of every answer, in order.
  void learn(const PlainCall& asked, const Answer& answer);

 private:
  struct Known {
    HoldId id;
    Caller caller;
    std::string resource;
    Instant expires_at;
  };
  struct Asked {
    PlainCall call;
    Instant forgotten_at{};
  };

  [[nodiscard]] PlainCall next_call();
  [[nodiscard]] PlainCall placing();
  [[nodiscard]] PlainCall declaring();
  [[nodiscard]] PlainCall resolving();
  [[nodiscard]] PlainCall changing();
  [[nodiscard]] PlainCall grouping();
  [[nodiscard]] PlainCall of_a_group();
  [[nodiscard]] PlainCall wrong_change();
  [[nodiscard]] PlainCall wrong_value();
  [[nodiscard]] PlainCall wrong_caller();
  [[nodiscard]] PlainCall repeating();
  [[nodiscard]] PlainCall colliding(PlainCall call);
  [[nodiscard]] PlainCall with_nonce();
  [[nodiscard]] PlainCall with_code();
  [[nodiscard]] PlainCall fresh(Operation operation);
  [[nodiscard]] std::string fresh_token(Operation operation);
  [[nodiscard]] Caller caller();
  [[nodiscard]] Operation ending();
  void aim_at_a_hold();
  void aim_at_a_token();
  void wait_until(Instant instant);
  void notice_lapsed();
  void learn_group(const PlainCall& asked, const Group& group);

  const Options options_;
  Dice dice_;
  Instant now_ = options_.start;
  Instant latest_ = now_;
  std::uint64_t tokens_made_ = 0;
  std::uint64_t nonces_made_ = 0;
  std::vector<Known> held_;
  std::vector<Known> lapsed_;
  std::vector<Known> resolved_;
  std::vector<Known> groups_;  // by their first holds
  std::vector<Asked> asked_;
  std::vector<PlainCall> coded_;  // with the code that was asked for
  std::vector<std::string> nonces_;
  std::deque<PlainCall> planned_;
};

}  // namespace holdfast::test
