#pragma once

#include "holdfast/clock.hpp"
#include "holdfast/types.hpp"

namespace holdfast {

/// The ids of holds that are yet to be placed, in order. The one that is next does not change
/// until it is taken.
class FreshIds {
 public:
  FreshIds(Random& random, std::uint64_t ordinal) : random_(random) { make(ordinal); }

  [[nodiscard]] HoldId next() const { return next_; }
  HoldId take() {
    const HoldId taken = next_;
    make(taken.ordinal + 1);
    return taken;
  }

 private:
  void make(std::uint64_t ordinal) {
    std::uint64_t salt = 0;
    random_.fill({reinterpret_cast<std::uint8_t*>(&salt), sizeof salt});
    next_ = {.ordinal = ordinal, .salt = salt >> 4U};
  }

  Random& random_;
  HoldId next_;
};

}  // namespace holdfast
