#pragma once

#include <cstdint>

#include "domain/record.hpp"

namespace holdfast {

/// Covers every member of a record and the checksum of the record before it, so that a changed,
/// missing or moved row shows. The same in every store, so that a journal keeps its checksums when
/// it is copied. It guards against damage, not against forgers.
[[nodiscard]] std::uint64_t checksum(std::uint64_t previous, const Record& record);

}  // namespace holdfast
