#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "store/store.hpp"

namespace holdfast::sqlite {

/// Whether the disk takes what is written. After a batch that it did not take, the answer is no
/// until another is taken, or until a small file beside the store can be written: nobody sends
/// batches to a store that says no. All members may be called from any thread.
class WriteHealth {
 public:
  WriteHealth(std::string store, std::string vfs)
      : store_(std::move(store)), vfs_(std::move(vfs)) {}

  void failed(const StoreError& error);
  void succeeded() {
    if (unwell_) unwell_ = false;
  }
  /// What the last batch failed with, if it would still fail. Tries the disk at most once a second.
  [[nodiscard]] std::optional<StoreError> trouble();

 private:
  [[nodiscard]] bool disk_takes_a_file() const;

  const std::string store_;
  const std::string vfs_;
  std::atomic<bool> unwell_{false};
  std::mutex mutex_;
  StoreError last_;                                 // guarded by mutex_
  std::chrono::steady_clock::time_point looked_{};  // guarded by mutex_: at the disk
};

}  // namespace holdfast::sqlite
