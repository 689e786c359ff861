#include "store/sqlite/file/open_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>

#include "base/real_path.hpp"

namespace holdfast::sqlite {
namespace {

struct Descriptor {
  int fd = -1;
  int users = 0;
  bool owned = false;
};

/// All that this process has open.
struct OpenFiles {
  std::mutex mutex;
  std::map<std::pair<dev_t, ino_t>, Descriptor> by_inode;  // guarded by mutex
};

/// Never destroyed: a store of a static lifetime may outlive it.
OpenFiles& open_files() {
  static auto* const files = new OpenFiles;
  return *files;
}

}  // namespace

OpenFile::OpenFile(const std::string& path) {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const Inode inode{info.st_dev, info.st_ino};
  if (!files.by_inode.contains(inode)) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    files.by_inode[inode].fd = fd;
  }
  ++files.by_inode[inode].users;
  inode_ = inode;
}

OpenFile::~OpenFile() {
  if (!inode_) return;
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  const auto found = files.by_inode.find(*inode_);
  if (owner_) {
    ::flock(found->second.fd, LOCK_UN);
    found->second.owned = false;
  }
  if (--found->second.users > 0) return;
  ::close(found->second.fd);
  files.by_inode.erase(found);
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : inode_(std::exchange(other.inode_, std::nullopt)),
      owner_(std::exchange(other.owner_, false)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(inode_, other.inode_);
  std::swap(owner_, other.owner_);
  return *this;
}

bool OpenFile::own() {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  Descriptor& file = files.by_inode.at(*inode_);
  if (file.owned || ::flock(file.fd, LOCK_EX | LOCK_NB) != 0) return false;
  file.owned = owner_ = true;
  return true;
}

bool OpenFile::has_other_name() const {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  struct stat info {};
  return ::fstat(files.by_inode.at(*inode_).fd, &info) == 0 && info.st_nlink > 1;
}

NamedFile::NamedFile(const std::string& path)
    : path_(std::filesystem::absolute(behind_links(path))), inode_(inode_of(path_)) {}

bool NamedFile::still_there() const {
  if (!inode_) return true;
  const auto now = inode_of(path_);
  return now ? *now == *inode_ : errno != ENOENT && errno != ENOTDIR;
}

/// Asks for nothing else. Whoever asks for a file's times makes the kernel keep the next write's
/// to the nanosecond, and a file system without a journal then writes them with every sync: twice
/// to the disk instead of once.
std::optional<NamedFile::Inode> NamedFile::inode_of(const std::filesystem::path& path) {
  struct statx info {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO, &info) == 0) {
    return Inode{info.stx_dev_major, info.stx_dev_minor, info.stx_ino};
  }
  struct stat old {};  // a sandbox may not know the newer call
  if (errno != EPERM || ::stat(path.c_str(), &old) != 0) return std::nullopt;
  return Inode{major(old.st_dev), minor(old.st_dev), old.st_ino};
}

}  // namespace holdfast::sqlite
