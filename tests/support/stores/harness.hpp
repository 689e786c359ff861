#pragma once

#include <memory>
#include <vector>

#include "engine/execute.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {

/// A store with the main path on it, on one thread and on a clock that moves only when told to.
///
/// Every submission is checked against the read side besides: what `replay` says before must be
/// what the main path answers, and what `token` says afterwards must be what was answered.
class Harness {
 public:
  explicit Harness(std::string engine, Rules rules = {}, std::uint64_t seed = 1);

  /// Decided and durable, alone in its batch.
  Answer submit(Call call);
  /// All in one batch.
  std::vector<Answer> submit(std::vector<Call> calls);

  /// Places a hold with a token of its own. Fails the test if it is refused.
  Hold must_place(Placing what, Caller caller = {});
  /// A token that was not used before.
  [[nodiscard]] std::string next_token();

  void at(Instant instant) { place_.clock()->set(instant); }
  void advance(Duration by) { place_.clock()->advance(by); }
  [[nodiscard]] Instant now() const { return store_->now(); }

  /// Expires at most so many lapsed holds; how many were due.
  std::size_t sweep(std::size_t holds_max = 1000);

  /// Closes the store and opens it again, where it is kept at all.
  void reopen();
  /// Closes the store, gives it another window, whatever that forgets, and opens it again.
  WindowChanged change_window(Duration window);
  /// Closes the store for good: nothing may be asked of it any more.
  void close();
  [[nodiscard]] bool persistent() const { return place_.persistent(); }
  [[nodiscard]] std::string name() const { return place_.name(); }
  [[nodiscard]] const Rules& rules() const { return place_.rules(); }
  [[nodiscard]] const std::shared_ptr<SettableClock>& clock() const { return place_.clock(); }

  [[nodiscard]] Store& store() { return *store_; }
  [[nodiscard]] Hold hold(HoldId id, std::string_view tenant = "default") const;
  [[nodiscard]] HoldState state(HoldId id) const { return hold(id).state; }
  [[nodiscard]] std::uint64_t records() const { return store_->counts().records; }
  [[nodiscard]] std::vector<std::string> violations() const;

 private:
  void execute(Batch& batch);
  std::vector<std::optional<Answer>> foretell(const Batch& batch) const;
  void check_read_side(const Work& work, const std::optional<Answer>& foretold, bool alone) const;

  StoreUnderTest place_;
  std::shared_ptr<Random> random_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  std::uint64_t tokens_made_ = 0;
};

}  // namespace holdfast::test
