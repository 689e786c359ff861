#pragma once

#include <cstdint>
#include <iterator>

namespace holdfast::test {

/// Numbers that look random and are the same for a seed everywhere and for ever: nothing of the
/// standard library is in them, whose distributions differ between versions.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  /// SplitMix64.
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }

  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  /// Both ends included.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least) + 1));
  }
  template <typename List>
  const auto& of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }
  /// Mostly one of the last few.
  template <typename List>
  const auto& recent(const List& list, std::uint64_t few = 40) {
    const std::uint64_t size = std::size(list);
    const std::uint64_t back = chance(80) && size > few ? below(few) : below(size);
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(size - 1 - back));
  }

 private:
  std::uint64_t state_;
};

}  // namespace holdfast::test
