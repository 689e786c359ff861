#pragma once

#include <string>

#include "store/open.hpp"
#include "store/sqlite/file/connection.hpp"
#include "store/sqlite/file/open_file.hpp"

/// A store's file: who owns it, what it is, and what it was made with.
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

/// Opens the file for its owner, making it if need be, and fills `rules` with what is stored.
/// Refuses, with what to do: another program's database, a newer schema, another digest function,
/// another window than asked for.
[[nodiscard]] StoreResult<Connection> open_owned(const StoreOptions& options, Rules& rules);

/// Opens an existing file for reading only. Refuses what its owner would refuse.
[[nodiscard]] StoreResult<Connection> open_reader(const std::string& path, const std::string& vfs,
                                                  Rules& rules);
/// The same for the owner, who has looked at the file already.
[[nodiscard]] StoreResult<Connection> open_beside_owner(const std::string& path,
                                                        const std::string& vfs, Rules& rules);

/// An error about this file, in words.
[[nodiscard]] StoreError describe(const std::string& path, const Fault& fault,
                                  Effect effect = Effect::none);

}  // namespace holdfast::sqlite
