#include "base/real_path.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast {

std::string behind_links(const std::string& path) {
  constexpr int links_max = 40;  // as many as Linux follows
  std::filesystem::path real = path;
  std::error_code error;
  for (int i = 0; i < links_max && std::filesystem::is_symlink(real, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(real, error);
    if (error) break;
    real = real.parent_path() / target;  // an absolute target replaces everything before it
  }
  return real.string();
}

bool sync_folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(behind_links(path)).parent_path();
  if (folder.empty()) folder = ".";
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return true;  // a folder that may not be listed: nothing can be done
  // Some file systems know no such thing.
  const bool failed = ::fsync(fd) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
  ::close(fd);
  return !failed;
}

}  // namespace holdfast
