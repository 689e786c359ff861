#pragma once

#include <functional>
#include <vector>

#include "base/json_writer.hpp"
#include "domain/invariants.hpp"
#include "store/open.hpp"

namespace holdfast {

/// The verdict on a store: its invariants, and whether the chain of checksums holds.
struct Verdict {
  AuditReport report;
  std::vector<std::uint64_t> broken_checksums;
  std::uint64_t checksums = 0;  ///< how many were checked

  [[nodiscard]] bool clean() const { return report.clean() && broken_checksums.empty(); }
};

/// Sees every record, too.
using AuditWatch = std::function<void(const Record&)>;

/// Reads every record of a store and judges it; `progress` counts records. No lock is taken, so a
/// store may be audited while it is in use.
[[nodiscard]] StoreResult<Verdict> audit_records(RecordReader& reader, const AuditWatch& watch = {},
                                                 const Progress& progress = {});

/// The records of an open store, for one that has no file of its own to read them from.
[[nodiscard]] std::unique_ptr<RecordReader> records_of(const Store& store);

/// The verdict as JSON, the same wherever it is shown.
void write_verdict(JsonWriter& json, const Verdict& verdict);

}  // namespace holdfast
