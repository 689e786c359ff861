#pragma once

#include <string>

#include "store/sqlite/file/open_file.hpp"
#include "store/store.hpp"

namespace holdfast::sqlite {

/// Held by the one process that may write. Let go when it ends, however it ends. It is on the store
/// itself, and on a file beside it that says who holds it.
class OwnerLock {
 public:
  OwnerLock() = default;
  OwnerLock(OwnerLock&& other) noexcept;
  OwnerLock& operator=(OwnerLock&& other) noexcept;
  ~OwnerLock();
  [[nodiscard]] static StoreResult<OwnerLock> take(const std::string& path);
  /// There is a store in the file now. It is noted beside it: if the file is empty one day, it was
  /// cut off, and is not to become a new store.
  void note_store() const;

 private:
  [[nodiscard]] std::string text() const;
  void write(bool has_store) const;

  int fd_ = -1;
  OpenFile store_;
};

}  // namespace holdfast::sqlite
