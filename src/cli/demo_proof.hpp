#pragma once

#include <array>

#include "cli/auditing.hpp"
#include "cli/demo_storm.hpp"

namespace holdfast::cli {

/// Intended changes of one kind, beside what the journal says of them.
struct Comparison {
  Operation operation;
  std::uint64_t intended = 0;
  std::uint64_t done = 0;     ///< as the clients were told
  std::uint64_t refused = 0;  ///< likewise
  std::uint64_t effects = 0;  ///< as the journal has them
  std::uint64_t missing = 0;  ///< done, they were told, but not in the journal
  std::uint64_t surplus = 0;  ///< in the journal more often than they were told
};

/// The journal, read back from the file, against what the clients were told.
struct Proof {
  std::array<Comparison, 3> changes{
      {{Operation::hold_place}, {Operation::hold_confirm}, {Operation::hold_release}}};
  Verdict verdict;
  std::uint64_t unanswered = 0;  ///< intents that never got an answer

  /// Every intended change is in the journal exactly once, and every invariant holds.
  [[nodiscard]] bool exactly_once() const;
};

[[nodiscard]] Result<Proof> prove(const Stage& stage, const Storm& storm);

}  // namespace holdfast::cli
