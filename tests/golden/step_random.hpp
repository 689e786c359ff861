#pragma once

#include <mutex>

#include "holdfast/clock.hpp"
#include "support/dice.hpp"

namespace holdfast::test {

/// Random bytes that depend on the step of a run and on how many were asked for within it, so that
/// asking for some that are not used, or no longer asking for them, changes nothing later.
class StepRandom final : public Random {
 public:
  void begin(std::uint64_t step) {
    const std::lock_guard lock(mutex_);
    dice_ = Dice(step);
  }
  void fill(std::span<std::uint8_t> out) override {
    const std::lock_guard lock(mutex_);
    for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(dice_.next() >> 32U);
  }

 private:
  std::mutex mutex_;
  Dice dice_{0};
};

}  // namespace holdfast::test
