#include "base/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/real_path.hpp"

namespace holdfast {
namespace {

constexpr mode_t owner_only = S_IRUSR | S_IWUSR;

/// An open file, closed whatever happens.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, owner_only)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] bool open() const { return fd_ >= 0; }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

tl::unexpected<std::string> failure(std::string_view what, const std::string& path) {
  const int number = errno;
  return tl::unexpected(
      fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(number)));
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(fd, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

/// What the file is to belong to the same owner as: itself, as it was; else, if root makes it, what
/// it is beside (the store of `<store>-keys`); else the folder.
bool find_model(const std::string& path, struct stat& model) {
  if (::stat(path.c_str(), &model) == 0) return true;
  if (::geteuid() != 0) return false;
  const std::size_t suffix = path.rfind('-');
  if (suffix != std::string::npos && ::stat(path.substr(0, suffix).c_str(), &model) == 0 &&
      S_ISREG(model.st_mode)) {
    return true;
  }
  return ::stat(folder_of(path).c_str(), &model) == 0;
}

bool give_to_owner(int fd, const std::string& path) {
  struct stat model {};
  if (!find_model(path, model)) return true;
  if (model.st_uid == ::geteuid()) return true;
  return ::fchown(fd, model.st_uid, model.st_gid) == 0;
}

tl::expected<void, std::string> write_new(const std::string& temporary, const std::string& path,
                                          std::string_view text) {
  ::unlink(temporary.c_str());  // of a writer that was killed; nobody else writes now
  const Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!file.open()) return failure("make", temporary);
  if (::fchmod(file.get(), owner_only) != 0) return failure("protect", temporary);
  if (!give_to_owner(file.get(), path)) return failure("keep the owner of", path);
  if (!write_all(file.get(), text)) return failure("write", temporary);
  if (::fsync(file.get()) != 0) return failure("sync", temporary);
  return {};
}

}  // namespace

FileStamp::FileStamp(const struct stat& status)
    : device(status.st_dev),
      inode(status.st_ino),
      size(status.st_size),
      modified_ns(nanoseconds(status.st_mtim)),
      changed_ns(nanoseconds(status.st_ctim)) {}

tl::expected<std::optional<WholeFile>, std::string> read_whole_file(const std::string& path,
                                                                    std::size_t bytes_max) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  if (!file.open() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  struct stat status {};
  if (!file.open() || ::fstat(file.get(), &status) != 0) return failure("read", path);
  if (!S_ISREG(status.st_mode)) return tl::unexpected(path + " is not a file");
  WholeFile whole{.text = {}, .stamp = FileStamp(status)};
  std::array<char, 16384> chunk{};
  while (whole.text.size() <= bytes_max) {
    const ssize_t size = ::read(file.get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return failure("read", path);
    if (size == 0) return whole;
    whole.text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  return tl::unexpected(fmt::format("{} is larger than {} bytes", path, bytes_max));
}

tl::expected<void, std::string> replace_whole_file(const std::string& path, std::string_view text) {
  // Replacing a link would leave what it led to as it was, and a key that was revoked here in force
  // there.
  const std::string target = behind_links(path);
  const std::string temporary = target + "-new";
  auto written = write_new(temporary, target, text);
  if (written && ::rename(temporary.c_str(), target.c_str()) != 0) {
    written = failure("replace", target);
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  const std::string folder = folder_of(target);
  const Descriptor directory(folder, O_RDONLY | O_DIRECTORY);
  if (!directory.open() || ::fsync(directory.get()) != 0) {
    auto unsure = failure("sync", folder);
    unsure.value() += fmt::format("; {} was replaced, but may not survive a power cut", target);
    return unsure;
  }
  return {};
}

tl::expected<FileLock, std::string> FileLock::acquire(const std::string& path) {
  const std::string name = behind_links(path) + "-lock";
  Descriptor file(name, O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!file.open()) return failure("open", name);
  if (!give_to_owner(file.get(), path)) return failure("keep the owner of", name);
  while (::flock(file.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return failure("lock", name);
  }
  return FileLock(file.release());
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

}  // namespace holdfast
