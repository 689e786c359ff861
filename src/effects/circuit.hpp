#pragma once

#include <algorithm>

#include "effects/job.hpp"

namespace holdfast::effects {

/// The circuit breaker of one provider. It opens after so many failures in a row: then nothing is
/// begun for as long as the pause. After it one call is let through: if that works the circuit is
/// closed, else it stays open for another pause. One thread at a time.
class Circuit {
 public:
  enum class State : std::uint8_t { closed, open, trying };

  void set_limits(std::uint32_t failures, Duration pause) {
    failures_max_ = std::max<std::uint32_t>(failures, 1);
    pause_ = pause;
  }

  /// How many of `wanted` may be begun now.
  [[nodiscard]] std::size_t room(std::size_t wanted, Time now) const {
    if (state_ == State::closed) return wanted;
    if (state_ == State::trying || now < until_) return 0;
    return std::min<std::size_t>(wanted, 1);
  }
  void begun(Time now) {
    if (state_ == State::open && now >= until_) state_ = State::trying;
  }
  /// True if that changed whether it is closed.
  bool ended(bool healthy, Time now) {
    const bool was_closed = state_ == State::closed;
    if (healthy) {
      failures_ = 0;
      state_ = State::closed;
      return !was_closed;
    }
    ++failures_;
    if (state_ == State::open || (was_closed && failures_ < failures_max_)) return false;
    state_ = State::open;
    until_ = now + pause_;
    return was_closed;
  }
  /// What was begun came to nothing: it says nothing of the provider.
  void withdrawn() {
    if (state_ == State::trying) state_ = State::open;
  }
  [[nodiscard]] State state() const { return state_; }

 private:
  std::uint32_t failures_max_ = 10;
  Duration pause_ = std::chrono::seconds(10);
  std::uint32_t failures_ = 0;  ///< in a row
  State state_ = State::closed;
  Time until_{};
};

}  // namespace holdfast::effects
