#pragma once

#include "engine/auditing.hpp"

namespace holdfast {

/// What a copy came to.
struct Copied {
  std::uint64_t records = 0;  ///< in the copy
  std::uint64_t resumed = 0;  ///< that were there from an earlier try
  Verdict source;
  Verdict target;

  [[nodiscard]] bool clean() const { return source.clean() && target.clean(); }
};

enum class CopyStage : std::uint8_t { audit_source, copy, audit_target };
using CopyProgress = std::function<void(CopyStage, std::uint64_t done, std::uint64_t all)>;

/// Copies a store, record by record, into one that is empty or has the beginning of it already:
/// same numbers, same instants, same checksums, so that whoever holds a token or an id can go on.
/// Source and copy are audited. A source that is not clean is not copied. A store's file is owned
/// meanwhile; a shared one must not be in use, and is looked at once more at the end.
[[nodiscard]] StoreResult<Copied> copy_store(const std::string& from, const std::string& to,
                                             const CopyProgress& progress);

}  // namespace holdfast
