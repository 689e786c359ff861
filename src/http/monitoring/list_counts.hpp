#pragma once

#include <chrono>
#include <mutex>

#include "store/store.hpp"

namespace holdfast::http {

/// How long the lists of one kind of rows are, as far as that was counted: a database reads every
/// row for it. So much longer than the last count took nothing is counted anew, and what it was
/// then stands. All members may be called from any thread.
class ListCounts {
 public:
  /// The lists of a tenant, or of nobody's.
  ListCounts(std::string tenant, RowSpace space) : tenant_(std::move(tenant)), space_(space) {}

  /// As they were last, if the store cannot be asked.
  [[nodiscard]] ListSizes counted(const Store& store) const;

 private:
  using Clock = std::chrono::steady_clock;

  const std::string tenant_;
  const RowSpace space_;
  mutable std::mutex mutex_;
  mutable Clock::time_point not_before_{};  // guarded by mutex_
  mutable ListSizes last_;                  // guarded by mutex_
};

}  // namespace holdfast::http
