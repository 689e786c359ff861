#pragma once

#include <functional>
#include <vector>

#include "domain/verdict.hpp"
#include "store/open.hpp"

namespace holdfast {

/// Sees every record, too.
using AuditWatch = std::function<void(const Record&)>;

/// Reads every record of a store and judges it; `progress` counts records. No lock is taken, so a
/// store may be audited while it is in use.
[[nodiscard]] StoreResult<Verdict> audit_records(RecordReader& reader, const AuditWatch& watch = {},
                                                 const Progress& progress = {});

/// The records of an open store, for one that has no file of its own to read them from.
[[nodiscard]] std::unique_ptr<RecordReader> records_of(const Store& store);

}  // namespace holdfast
