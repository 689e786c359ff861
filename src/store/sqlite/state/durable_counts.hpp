#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>

#include "holdfast/types.hpp"

namespace holdfast::sqlite {

/// The counts as they were after each commit, from the last one that is known to be durable on.
/// Whoever asks for counts is told those of the last durable commit. They wait neither for the disk
/// nor for a batch, and no batch waits for them: the lock is held for a copy. `committed` and
/// `forgotten` are called by the writer's thread, `at` by any.
class DurableCounts {
 public:
  /// Of a commit that is not durable yet. Those before the last durable one are dropped.
  void committed(const Counts& counts, std::uint64_t durable_seq) {
    const std::lock_guard lock(mutex_);
    commits_.push_back(counts);
    while (commits_.size() > 1 && commits_[1].records <= durable_seq) commits_.pop_front();
  }

  /// Tokens past their window are gone without a commit, whichever commits are durable.
  void forgotten(std::uint64_t tokens) {
    const std::lock_guard lock(mutex_);
    for (Counts& each : commits_) each.live_tokens -= std::min(each.live_tokens, tokens);
  }

  /// Of the last commit up to that sequence number. Precondition: there is one.
  [[nodiscard]] Counts at(std::uint64_t durable_seq) const {
    const std::lock_guard lock(mutex_);
    const auto newer = std::find_if(commits_.begin() + 1, commits_.end(),
                                    [&](const Counts& each) { return each.records > durable_seq; });
    return *(newer - 1);
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Counts> commits_;  // guarded by mutex_: in order of their last record
};

}  // namespace holdfast::sqlite
