#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <mutex>
#include <vector>

#include "domain/record.hpp"
#include "domain/request.hpp"

namespace holdfast {

/// Counts the replays that were answered at once, until a batch takes them along as records.
/// A flood is counted, not listed: beyond a bound, replays of further tokens share one record
/// that names none of them. All members may be called from any thread.
class ReplayTally {
 public:
  explicit ReplayTally(std::size_t entries_max = 1024) : entries_max_(entries_max) {}

  /// Which history of the store counts. Asked for before an outcome is looked up, and noted with
  /// it.
  [[nodiscard]] std::uint64_t history() const { return history_; }
  /// The outcome in record `seq` of that history was given again at that instant.
  void note(const Request& request, std::uint64_t seq, Instant at, std::uint64_t history = 0);
  /// Takes what was counted, as records without a sequence number.
  [[nodiscard]] std::vector<Record> take();
  /// What was taken and could not be recorded.
  void put_back(std::vector<Record> taken);
  /// The store has lost records. What was counted of them, or is only now being noted, goes.
  void begin_history();

 private:
  const std::size_t entries_max_;
  std::atomic<std::uint64_t> history_{0};
  std::mutex mutex_;
  boost::unordered_flat_map<std::uint64_t, Record> entries_;  // guarded by mutex_
  Record others_;                                             // guarded by mutex_
};

}  // namespace holdfast
