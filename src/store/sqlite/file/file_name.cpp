#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/real_path.hpp"
#include "store/open.hpp"

namespace holdfast {
namespace {

StoreError name_error(const std::string& path, std::string_view text) {
  return {.message = fmt::format("{}: {}", path, text)};
}

}  // namespace

StoreResult<void> check_file_name(const std::string& to) {
  std::error_code ignored;
  for (const std::string& name : {to, to + "-wal", to + "-shm", to + "-journal"}) {
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) continue;
    return tl::unexpected(name_error(
        name, "there is a file of this name already. Give another name, or move it away."));
  }
  return {};
}

/// What is still in a log of SQLite's would stay behind under the old name; whoever has read it may
/// have left an empty one.
StoreResult<void> give_file_name(const std::string& from, const std::string& to) {
  std::error_code failed;
  if (std::filesystem::exists(from + "-wal", failed) &&
      std::filesystem::file_size(from + "-wal", failed) != 0) {
    return tl::unexpected(name_error(from,
                                     "its log could not be moved into it. Check that there is room "
                                     "on the disk, and copy again."));
  }
  if (auto free = check_file_name(to); !free) return free;
  int renamed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  if (renamed != 0 && errno == EINVAL) renamed = ::rename(from.c_str(), to.c_str());  // an old disk
  if (renamed != 0) {
    return tl::unexpected(name_error(to, std::strerror(errno)));
  }
  for (const char* left : {"-lock", "-wal", "-shm"}) std::filesystem::remove(from + left, failed);
  if (!sync_folder_of(to)) {
    return tl::unexpected(
        name_error(to, "the folder could not be synced to disk. Check the disk."));
  }
  return {};
}

}  // namespace holdfast
