#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

/// Small files that are read and replaced as a whole. Errors are sentences that name the file.
namespace holdfast {

/// Tells one version of a file from another without reading it.
struct FileStamp {
  explicit FileStamp(const struct stat& status);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;

  std::uint64_t device;
  std::uint64_t inode;
  std::int64_t size;
  std::int64_t modified_ns;
  std::int64_t changed_ns;
};

struct WholeFile {
  std::string text;
  FileStamp stamp;  ///< from before the first byte was read: a change meanwhile shows as a new one
};

/// Nothing if there is no such file. Anything that is not a plain file is an error, and so is one
/// of more than `bytes_max`.
[[nodiscard]] tl::expected<std::optional<WholeFile>, std::string> read_whole_file(
    const std::string& path, std::size_t bytes_max);

/// Puts `text` in the place of the file, mode 0600: readers see the old text or the new one, and
/// the new one is durable on return. After an error the old one is in place, unless the error says
/// otherwise. One writer at a time: callers hold a `FileLock`. A file that was there keeps its
/// owner; root gives a new one, `<name>-…`, to the owner of the file of that name, or else of the
/// folder, so that the service can read it.
[[nodiscard]] tl::expected<void, std::string> replace_whole_file(const std::string& path,
                                                                 std::string_view text);

/// The right to replace a file, waited for and held against every other thread and process. The
/// lock is on a file of its own, which stays: a file that is replaced cannot carry its own lock.
class FileLock {
 public:
  [[nodiscard]] static tl::expected<FileLock, std::string> acquire(const std::string& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace holdfast
