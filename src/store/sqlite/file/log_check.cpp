#include "store/sqlite/file/log_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "base/real_path.hpp"

namespace holdfast::sqlite {
namespace {

/// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
constexpr std::size_t header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;
constexpr std::size_t page_bytes = 4096;     ///< of every store
constexpr std::uint32_t magic = 0x377f0682;  ///< with big-endian sums, one more

std::uint32_t big_endian(const unsigned char* at) {
  return (std::uint32_t{at[0]} << 24U) | (std::uint32_t{at[1]} << 16U) |
         (std::uint32_t{at[2]} << 8U) | std::uint32_t{at[3]};
}

std::uint32_t little_endian(const unsigned char* at) {
  return (std::uint32_t{at[3]} << 24U) | (std::uint32_t{at[2]} << 16U) |
         (std::uint32_t{at[1]} << 8U) | std::uint32_t{at[0]};
}

/// Two sums over pairs of words, each frame's going on from the one before.
struct Sums {
  std::uint32_t first = 0, second = 0;
  friend bool operator==(const Sums&, const Sums&) = default;

  static Sums stored(const unsigned char* at) { return {big_endian(at), big_endian(at + 4)}; }

  void add(const unsigned char* from, std::size_t size, bool big) {
    const auto word = big ? big_endian : little_endian;
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      first += word(from + i) + second;
      second += word(from + i + 4) + first;
    }
  }
};

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// True if all of it was read.
  [[nodiscard]] bool read(unsigned char* into, std::size_t size, std::uint64_t at) const {
    if (fd_ < 0) return false;
    while (size > 0) {
      const ssize_t got = ::pread(fd_, into, size, static_cast<off_t>(at));
      if (got <= 0) return false;
      into += got;
      size -= static_cast<std::size_t>(got);
      at += static_cast<std::uint64_t>(got);
    }
    return true;
  }

 private:
  int fd_;
};

struct Salts {
  std::uint32_t first = 0, second = 0;
  friend bool operator==(const Salts&, const Salts&) = default;
  static Salts stored(const unsigned char* at) { return {big_endian(at), big_endian(at + 4)}; }
};

/// What a log has in it.
struct Scan {
  std::array<unsigned char, header_bytes> header{};
  std::uint64_t good = 0;  ///< frames that SQLite takes
  /// Transactions behind them that belong to this log and follow from one another.
  std::uint64_t lost = 0;
  friend bool operator==(const Scan&, const Scan&) = default;
};

/// Goes through the frames of a log as SQLite does when it opens one, and then on to the end.
class Scanner {
 public:
  /// `big`: whether the words of its sums are big-endian.
  Scanner(const File& file, const Scan& begun, bool big) : file_(file), scan_(begun), big_(big) {
    const unsigned char* const header = scan_.header.data();
    before_.add(header, 24, big_);
    salts_ = Salts::stored(header + 16);
    header_good_ = big_endian(header) == (big_ ? magic + 1 : magic) &&
                   big_endian(header + 8) == page_bytes && before_ == Sums::stored(header + 24);
    taken_ = header_good_;
  }

  Scan run() {
    std::vector<unsigned char> frame(frame_header_bytes + page_bytes);
    std::uint64_t number = 0;
    while (file_.read(frame.data(), frame.size(), header_bytes + number * frame.size())) {
      ++number;
      take(frame.data());
    }
    return scan_;
  }

 private:
  void take(const unsigned char* frame) {
    Sums after = before_;
    after.add(frame, 8, big_);
    after.add(frame + frame_header_bytes, page_bytes, big_);
    before_ = Sums::stored(frame + 16);  // whatever it is: the next one may follow from it
    const Salts own = Salts::stored(frame + 8);
    const bool follows = own == salts_ && after == before_;
    // A header is on the disk before any frame: if it is not sound, it is damaged, and does not say
    // which frames are this log's. They have the same salts as the ones before them.
    if (!header_good_) salts_ = own;
    const bool commits = big_endian(frame + 4) != 0;
    taken_ = taken_ && follows;
    if (taken_) {
      ++scan_.good;
    } else {
      in_a_row_ = follows ? in_a_row_ + (commits ? 1 : 0) : 0;
      scan_.lost = std::max(scan_.lost, in_a_row_);
    }
  }

  const File& file_;
  Scan scan_;
  const bool big_;
  Sums before_;  ///< of the frame before
  Salts salts_;
  bool header_good_ = false;
  bool taken_ = false;  ///< everything so far, by SQLite
  std::uint64_t in_a_row_ = 0;
};

/// Nothing if there is no log.
std::optional<Scan> scan(const std::string& path) {
  const File file(path);
  Scan begun;
  if (!file.read(begun.header.data(), header_bytes, 0)) return std::nullopt;
  const Scan little = Scanner(file, begun, false).run();
  if (little.good > 0 || little.lost > 0) return little;
  return Scanner(file, begun, true).run();
}

}  // namespace

std::string log_of(const std::string& path) { return behind_links(path) + "-wal"; }

StoreResult<void> check_log(const std::string& path) {
  const std::string log = log_of(path);
  const std::optional<Scan> found = scan(log);
  if (!found || found->lost <= unsynced_commits_max) return {};
  // Whoever writes to it meanwhile may have been seen halfway; damage stays as it is.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (scan(log) != found) return {};
  return tl::unexpected(StoreError{
      Effect::none,
      fmt::format("{}: the log ({}) is damaged at page {} of it: {} transactions behind that were "
                  "answered and cannot be read. Restore the store from a backup, and keep this one "
                  "and its log for the investigation; without the log, the store is as it was "
                  "before it.",
                  path, log, found->good + 1, found->lost)});
}

StoreResult<void> check_file_of_log(const std::string& path) {
  struct stat file {};
  struct stat log {};
  const std::string name = log_of(path);
  if (::stat(path.c_str(), &file) == 0 && file.st_size > 0) return {};
  if (::stat(name.c_str(), &log) != 0 || log.st_size == 0) return {};
  return tl::unexpected(StoreError{
      Effect::none,
      fmt::format("{}: the file is missing or empty, and the log of a store ({}) is beside where "
                  "it was. Put the file back; or, to begin a new store, move the log away.",
                  path, name)});
}

StoreResult<void> sync_log_of(const std::string& path) {
  const int fd = ::open(log_of(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const bool failed = ::fdatasync(fd) != 0 && errno == EIO;
  ::close(fd);
  if (!failed) return {};
  return tl::unexpected(
      StoreError{Effect::none, path + ": its log could not be synced to disk. Check the disk."});
}

}  // namespace holdfast::sqlite
