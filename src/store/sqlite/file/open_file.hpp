#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace holdfast::sqlite {

/// A store's file itself, whatever it is called. Ownership is a lock on this file, so that no link,
/// no other mount and no removed lock file leads around it.
///
/// It is opened once for the whole process and closed after everything that uses it: when a process
/// closes any descriptor of a file, the system drops all locks that SQLite holds on it there.
class OpenFile {
 public:
  OpenFile() = default;
  /// Of no file if there is none, or it may not be read.
  explicit OpenFile(const std::string& path);
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;

  explicit operator bool() const { return inode_.has_value(); }
  /// False while somebody else owns it, in this process or another. Good until this object ends.
  [[nodiscard]] bool own();
  /// Whether it has a second name (a hard link).
  [[nodiscard]] bool has_other_name() const;

 private:
  using Inode = std::pair<dev_t, ino_t>;
  std::optional<Inode> inode_;
  bool owner_ = false;
};

/// A file that is open, and its name: whether one still leads to the other. What is written to a
/// file without a name is gone when it is closed.
class NamedFile {
 public:
  NamedFile() = default;
  explicit NamedFile(const std::string& path);

  /// False if its name leads nowhere, or to another file. True if that cannot be told.
  [[nodiscard]] bool still_there() const;

 private:
  using Inode = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  ///< device and number

  [[nodiscard]] static std::optional<Inode> inode_of(const std::filesystem::path& path);

  std::filesystem::path path_;
  std::optional<Inode> inode_;
};

}  // namespace holdfast::sqlite
