#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "domain/rows.hpp"
#include "load.hpp"

/// What cannot be done faster: two limits that the engine is held against, on the same disk, with
/// the same bytes in the same batches, one after the other in one thread and with nobody to answer.
namespace holdfast::bench {

/// A plain file to append to, with one fdatasync per batch.
class PlainFile {
 public:
  explicit PlainFile(const std::filesystem::path& folder);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  [[nodiscard]] bool append(const std::vector<char>& bytes) const;

 private:
  const std::filesystem::path path_;
  const int descriptor_;
};

/// Appending alone: so many bytes per operation, so many operations per batch.
[[nodiscard]] Run run_limit(const std::filesystem::path& folder, double bytes, double batch,
                            double seconds);

/// Appending, and the least state that makes an operation exactly once: its token is looked up and
/// remembered, its resource checked and taken, its hold kept, its record chained to the one before.
class LoggedState {
 public:
  /// With so many operations in it already.
  explicit LoggedState(std::uint64_t operations);

  [[nodiscard]] Run run(const std::filesystem::path& folder, double bytes, double batch,
                        double seconds);

 private:
  struct Hold {
    std::uint64_t resource = 0;
    std::uint64_t requester = 0;
    std::int64_t quantity = 0;
    std::int64_t placed_us = 0;
    std::int64_t expires_us = 0;
    std::uint64_t salt = 0;
  };

  /// The next operation; its record is written there, unless there is nowhere.
  void operate(char* record, std::size_t size);

  std::uint64_t next_ = 0;
  std::uint64_t chain_ = 0;
  boost::unordered_flat_map<Hash128, std::uint64_t, KeyHash> tokens_;
  std::vector<std::int64_t> occupied_ = std::vector<std::int64_t>(resource_count);
  std::vector<Hold> holds_;
};

}  // namespace holdfast::bench
