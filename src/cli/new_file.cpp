#include "cli/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace holdfast::cli {
namespace {

constexpr std::size_t buffer_max = std::size_t{1} << 20U;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// So that the name is there after a power cut, too. Not every folder can be read, nor be synced;
/// the file is there all the same.
void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)::fsync(fd);
  ::close(fd);
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

NewFile::~NewFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

bool NewFile::open() {
  if (is_there(path_)) {
    errno = EEXIST;
    return failed("made");
  }
  fd_ = ::open(folder_of(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
  if (fd_ >= 0) return true;
  part_ = fmt::format("{}-part-{}", path_, ::getpid());
  fd_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  return fd_ >= 0 || failed("made");
}

bool NewFile::write(std::string_view text) {
  buffer_.append(text);
  return buffer_.size() < buffer_max || flush();
}

bool NewFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failed("written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return true;
}

bool NewFile::give_name() {
  if (part_.empty()) {
    const std::string unnamed = fmt::format("/proc/self/fd/{}", fd_);
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }
  if (::link(part_.c_str(), path_.c_str()) == 0) {
    (void)::unlink(part_.c_str());  // it has its name, whatever becomes of the other
    return true;
  }
  // There may be no hard links either.
  if (errno == EEXIST || is_there(path_)) {
    errno = EEXIST;
    return false;
  }
  return ::rename(part_.c_str(), path_.c_str()) == 0;
}

bool NewFile::finish() {
  if (!failure_.empty() || !flush()) return false;
  if (::fsync(fd_) != 0) return failed("synced");
  if (!give_name()) return failed("named");
  ::close(fd_);
  fd_ = -1;
  sync_folder(folder_of(path_));
  return true;
}

bool NewFile::failed(std::string_view what) {
  const std::string why = errno == EEXIST
                              ? "it is there already; name another file, or move it away"
                              : std::generic_category().message(errno);
  failure_ = fmt::format("{} could not be {}: {}", path_, what, why);
  return false;
}

}  // namespace holdfast::cli
