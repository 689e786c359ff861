#pragma once

#include <array>
#include <span>

#include "load.hpp"
#include "report.hpp"

namespace holdfast::bench {

/// What it costs to extend or cancel a hold beside confirming one, and to place a group of five
/// beside five places that are sent together. All of one turn is measured one right after the
/// other, on the same store; what is said of a kind is the middle of its turns.
class Changes {
 public:
  /// `first` is the first call that was not placed before, and moves on.
  Changes(Bed& bed, std::uint64_t& first, std::uint64_t records, double seconds, Report& report)
      : bed_(bed), first_(first), records_(records), seconds_(seconds), report_(report) {}

  static void print_head();
  void run(std::size_t in_flight, std::size_t turns);

 private:
  enum Kind : std::uint8_t { confirm, extend, cancel, places_5, group_of_5, kind_count };
  using Holds = std::vector<HoldId>;

  void change_holds(bool extend_first);
  [[nodiscard]] Holds place_holds();
  std::uint64_t change(Kind kind, std::span<const HoldId> holds);
  void place_one_by_one();
  void place_groups();
  void show(Kind kind, Kind beside);

  Bed& bed_;
  std::uint64_t& first_;
  const std::uint64_t records_;
  const double seconds_;
  Report& report_;
  std::uint64_t next_token_ = std::uint64_t{1} << 40U;  ///< beyond those of places
  std::size_t in_flight_ = 1;
  std::array<std::vector<Run>, kind_count> runs_{};
};

}  // namespace holdfast::bench
