#pragma once

#include <cstdint>
#include <string_view>

#include "domain/record.hpp"
#include "store/store.hpp"

namespace holdfast {

/// Covers every member of a record and the checksum of the record before it, so that a changed,
/// missing or moved row shows. The same in every store, so that a journal keeps its checksums when
/// it is copied. It guards against damage, not against forgers.
[[nodiscard]] std::uint64_t checksum(std::uint64_t previous, const Record& record);

/// What is said of a journal with such a record in it.
[[nodiscard]] StoreError damaged_journal(std::string_view store, std::uint64_t seq,
                                         std::string_view what);

/// Checks the records after a sequence number link by link. It is shown the one before them, too:
/// its checksum is what the first goes on from.
class Links {
 public:
  explicit Links(std::uint64_t after) : after_(after) {}

  /// After which record to read, so that the one before is seen.
  [[nodiscard]] std::uint64_t begin() const { return after_ == 0 ? 0 : after_ - 1; }
  /// Whether it goes on from the one before.
  [[nodiscard]] bool holds(const Record& record, std::uint64_t stored, bool as_written);
  /// Whether it is among those asked for.
  [[nodiscard]] bool wants(const Record& record) const { return record.seq > after_; }

 private:
  std::uint64_t after_;
  std::uint64_t last_ = 0;
  std::uint64_t chain_ = 0;
};

}  // namespace holdfast
