#pragma once

#include <algorithm>
#include <cstring>

#include "holdfast/clock.hpp"

namespace holdfast::test {

/// Gives every hold this salt.
class FixedSalt final : public Random {
 public:
  explicit FixedSalt(std::uint64_t salt) : drawn_(salt << 4U) {}
  void fill(std::span<std::uint8_t> out) override {
    std::memcpy(out.data(), &drawn_, std::min(out.size(), sizeof drawn_));
  }

 private:
  const std::uint64_t drawn_;
};

}  // namespace holdfast::test
