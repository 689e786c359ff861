#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>

#include "base/real_path.hpp"

namespace holdfast::sqlite {

/// A file that is open, and its name: whether one still leads to the other. What is written to a
/// file without a name is gone when it is closed.
class NamedFile {
 public:
  NamedFile() = default;
  explicit NamedFile(const std::string& path)
      : path_(std::filesystem::absolute(behind_links(path))), inode_(inode_of(path_)) {}

  /// False if its name leads nowhere, or to another file. True if that cannot be told.
  [[nodiscard]] bool still_there() const {
    if (!inode_) return true;
    const auto now = inode_of(path_);
    return now ? *now == *inode_ : errno != ENOENT && errno != ENOTDIR;
  }

 private:
  using Inode = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  ///< device and number

  /// Asks for nothing else. Whoever asks for a file's times makes the kernel keep the next write's
  /// to the nanosecond, and a file system without a journal then writes them with every sync: twice
  /// to the disk instead of once.
  static std::optional<Inode> inode_of(const std::filesystem::path& path) {
    struct statx info {};
    if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO, &info) == 0) {
      return Inode{info.stx_dev_major, info.stx_dev_minor, info.stx_ino};
    }
    struct stat old {};  // a sandbox may not know the newer call
    if (errno != EPERM || ::stat(path.c_str(), &old) != 0) return std::nullopt;
    return Inode{major(old.st_dev), minor(old.st_dev), old.st_ino};
  }

  std::filesystem::path path_;
  std::optional<Inode> inode_;
};

}  // namespace holdfast::sqlite
