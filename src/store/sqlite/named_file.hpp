#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

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
  using Inode = std::pair<dev_t, ino_t>;
  static std::optional<Inode> inode_of(const std::filesystem::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    return Inode{info.st_dev, info.st_ino};
  }

  std::filesystem::path path_;
  std::optional<Inode> inode_;
};

}  // namespace holdfast::sqlite
