#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// One file on a disk that may lose power: what is certainly on it, and every change since. A
/// change becomes certain when a sync that began after it has succeeded. Until then the disk may
/// have taken any of its sectors, in any order, or none.
///
/// A sector of 512 bytes is written as a whole or not at all, and writing one harms no other:
/// what SQLite assumes of a disk, too. Not safe for several threads.
class UnsyncedFile {
 public:
  /// A file found on the disk.
  explicit UnsyncedFile(std::string content) : certain_(std::move(content)), there_(true) {}
  /// A file just made: it may not even be in its directory after the power was lost.
  UnsyncedFile() = default;

  void write(std::int64_t offset, std::string_view bytes);
  void truncate(std::int64_t size);
  /// It may be back after the power was lost, until its directory is synced.
  void remove() { removed_ = true; }
  [[nodiscard]] bool there() const { return there_; }
  /// Whether it is there, or removed, is certain now.
  void directory_synced() { there_ = !removed_; }

  /// Stands for the changes so far.
  [[nodiscard]] std::uint64_t mark() const { return next_; }
  /// A sync that began at that mark succeeded.
  void synced(std::uint64_t mark);
  /// A sync that began at that mark failed. What it was to write is still read back, as the kernel
  /// does it, but no later sync will write it: some of it is on the disk, the rest never will be.
  void sync_failed(std::uint64_t mark, std::mt19937_64& random);

  /// What is left after the power was cut; nothing, if there is no such file then. The end of it.
  [[nodiscard]] std::optional<std::string> lose_power(std::mt19937_64& random);

 private:
  struct Change {
    std::uint64_t id = 0;
    std::int64_t offset = 0;  ///< of a truncation: the new size
    std::string bytes;
    bool truncates = false;
  };
  using Changes = std::vector<Change>;

  [[nodiscard]] Changes take_until(std::uint64_t mark);
  void apply(const Change& change);
  void apply_sector(const Change& change, std::size_t from, std::size_t size);
  void apply_some(const Changes& changes, std::mt19937_64& random);
  void apply_scattered(const Changes& changes, std::mt19937_64& random);

  std::string certain_;
  bool there_ = false;    ///< its name is certain
  bool removed_ = false;  ///< but perhaps not on the disk
  Changes uncertain_;
  std::uint64_t next_ = 0;
};

}  // namespace holdfast::test
