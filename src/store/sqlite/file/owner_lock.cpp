#include "store/sqlite/file/owner_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/real_path.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/file/log_check.hpp"

namespace holdfast::sqlite {
namespace {

constexpr std::string_view store_mark = " store";

StoreError in_use(const std::string& path, std::string_view owner) {
  return error_about(path,
                     fmt::format("the store is in use by {}. One process owns a store: stop that "
                                 "one, or only read.",
                                 owner));
}

/// The lock on the store's own file, which is made if need be. A file that cannot be opened is left
/// to SQLite to complain about.
StoreResult<OpenFile> own_file(const std::string& path) {
  if (struct stat info{}; ::stat(path.c_str(), &info) != 0 && errno == ENOENT) {
    const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (made >= 0) ::close(made);
  }
  OpenFile file(path);
  if (!file) return file;
  if (file.has_other_name()) return tl::unexpected(second_name(path));
  if (!file.own()) {
    return tl::unexpected(in_use(path,
                                 "a process that has it open under another name, or whose "
                                 "-lock file was removed"));
  }
  return file;
}

}  // namespace

OwnerLock::OwnerLock(OwnerLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), store_(std::move(other.store_)) {}

OwnerLock& OwnerLock::operator=(OwnerLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(store_, other.store_);
  return *this;
}

OwnerLock::~OwnerLock() {
  if (fd_ >= 0) ::close(fd_);
}

StoreResult<OwnerLock> OwnerLock::take(const std::string& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    return tl::unexpected(error_about(path,
                                      "this is a folder. Give the name of a file, which is made if "
                                      "it does not exist yet."));
  }
  if (auto there = check_file_of_log(path); !there) return tl::unexpected(there.error());
  const std::string lock_path = behind_links(path) + "-lock";
  OwnerLock lock;
  lock.fd_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock.fd_ < 0) {
    return tl::unexpected(error_about(path, fmt::format("cannot make {}: {}. Check that the folder "
                                                        "exists and may be written.",
                                                        lock_path, std::strerror(errno))));
  }
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
    const std::string owner = lock.text();
    return tl::unexpected(
        in_use(path, owner.empty() ? "a process" : "process " + owner.substr(0, owner.find(' '))));
  }
  struct stat info {};
  const bool was_there = ::stat(path.c_str(), &info) == 0;
  const bool was_store = was_there && lock.text().ends_with(store_mark);
  if (was_store && info.st_size == 0) {
    return tl::unexpected(error_about(
        path, fmt::format("the file is empty, and there was a store in it. Restore it from a "
                          "backup; or, to begin a new store, remove it and {}.",
                          lock_path)));
  }
  auto store = own_file(path);
  if (!store) return tl::unexpected(store.error());
  lock.store_ = std::move(*store);
  lock.write(was_store);
  return lock;
}

void OwnerLock::note_store() const { write(true); }

std::string OwnerLock::text() const {
  char text[64];
  const ssize_t size = ::pread(fd_, text, sizeof text, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// For people, and for a file that was cut off; the lock itself holds without it.
void OwnerLock::write(bool has_store) const {
  const std::string text =
      fmt::format("{}{}", ::getpid(), has_store ? store_mark : std::string_view());
  const auto size = static_cast<off_t>(text.size());
  if (::pwrite(fd_, text.data(), text.size(), 0) == size) (void)!::ftruncate(fd_, size);
}

}  // namespace holdfast::sqlite
