#pragma once

#include <functional>
#include <vector>

#include "cli/context.hpp"
#include "domain/invariants.hpp"

namespace holdfast::cli {

/// The verdict on a store: its invariants, and whether the chain of checksums holds.
struct Verdict {
  AuditReport report;
  std::vector<std::uint64_t> broken_checksums;
  std::uint64_t checksums = 0;  ///< how many were checked

  [[nodiscard]] bool clean() const { return report.clean() && broken_checksums.empty(); }
};

/// Reads every record of a store and judges it. No lock is taken, so a store may be audited while
/// it is in use. `watch` sees every record too.
[[nodiscard]] Result<Verdict> audit_store(Context& context, const std::string& path,
                                          const std::function<void(const Record&)>& watch = {});

}  // namespace holdfast::cli
