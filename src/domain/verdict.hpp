#pragma once

#include <cstdint>
#include <vector>

#include "domain/invariants.hpp"

namespace holdfast {

/// The verdict on a store: its invariants, and whether the chain of checksums holds.
struct Verdict {
  AuditReport report;
  std::vector<std::uint64_t> broken_checksums;
  std::uint64_t checksums = 0;  ///< how many were checked

  [[nodiscard]] bool clean() const { return report.clean() && broken_checksums.empty(); }
};

}  // namespace holdfast
