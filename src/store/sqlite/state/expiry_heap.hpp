#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "base/large_memory.hpp"

namespace holdfast::sqlite {

/// The held holds of one resource as a heap: the earliest expiry on top. Holds that lapse in the
/// order they were placed, as most do, are added at the end and touch nothing else. Grows by
/// doubling while it is small and by fixed chunks after, so that no addition is felt.
///
/// Whoever owns it is told where each entry is, through `moved(ordinal, position)`, and gives that
/// position back to remove one.
class ExpiryHeap {
 public:
  struct Entry {
    std::int64_t expires_us = 0;
    std::uint32_t ordinal = 0;
  };

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Entry& top() const { return at(0); }

  template <typename Moved>
  void push(Entry entry, Moved moved) {
    make_room();
    // What expires last goes to the end, whatever is above: no need to look, and look far away.
    // (Of those that expire together, the newest is last; it has the highest ordinal.)
    const bool is_last = empty() || entry.expires_us >= latest_us_;
    if (is_last) latest_us_ = entry.expires_us;
    const std::size_t hole = size_++;
    place(is_last ? hole : rise(hole, entry, moved), entry, moved);
  }

  template <typename Moved>
  void remove(std::size_t position, Moved moved) {
    const Entry last = at(--size_);
    if (position != size_) {
      const std::size_t risen = rise(position, last, moved);
      place(risen == position ? sink(position, last, moved) : risen, last, moved);
    }
    give_back_room();
  }

  /// Calls `take(ordinal)` for entries that expire at `now_us` or before, earliest first, while it
  /// returns true. False if it did not.
  template <typename Take>
  bool for_each_lapsed(std::int64_t now_us, Take take) const;

  [[nodiscard]] std::size_t bytes() const {
    return small_size_ * sizeof(Entry) + chunks_.capacity() * sizeof(LargeArray<Entry>) +
           (small_size_ == 0 ? chunks_.size() * chunk_entries * sizeof(Entry) : 0);
  }

  /// When the first entry that expires after `now_us` does; nothing if there is none.
  [[nodiscard]] std::optional<std::int64_t> next_after(std::int64_t now_us) const {
    std::optional<std::int64_t> next;
    if (!empty() && top().expires_us > now_us) return top().expires_us;
    for (std::size_t i = 0; i < size_; ++i) {
      const std::int64_t expires_us = at(i).expires_us;
      if (expires_us > now_us && (!next || expires_us < *next)) next = expires_us;
    }
    return next;
  }

 private:
  static constexpr std::size_t chunk_entries = 256;

  static bool earlier(const Entry& a, const Entry& b) {
    return a.expires_us != b.expires_us ? a.expires_us < b.expires_us : a.ordinal < b.ordinal;
  }

  [[nodiscard]] const Entry& at(std::size_t i) const {
    return chunks_[i / chunk_entries][i % chunk_entries];
  }
  [[nodiscard]] Entry& at(std::size_t i) { return chunks_[i / chunk_entries][i % chunk_entries]; }

  template <typename Moved>
  void place(std::size_t position, const Entry& entry, Moved moved) {
    at(position) = entry;
    moved(entry.ordinal, position);
  }

  /// Moves a hole up to where the entry belongs; returns where.
  template <typename Moved>
  std::size_t rise(std::size_t hole, const Entry& entry, Moved moved) {
    while (hole > 0 && earlier(entry, at((hole - 1) / 2))) {
      place(hole, at((hole - 1) / 2), moved);
      hole = (hole - 1) / 2;
    }
    return hole;
  }

  template <typename Moved>
  std::size_t sink(std::size_t hole, const Entry& entry, Moved moved) {
    while (2 * hole + 1 < size_) {
      std::size_t child = 2 * hole + 1;
      if (child + 1 < size_ && earlier(at(child + 1), at(child))) ++child;
      if (!earlier(at(child), entry)) break;
      place(hole, at(child), moved);
      hole = child;
    }
    return hole;
  }

  void make_room() {
    if (small_size_ != 0 || chunks_.empty()) {
      if (size_ < small_size_) return;
      const std::size_t wanted = std::clamp(size_ * 2, std::size_t{1}, chunk_entries);
      LargeArray<Entry> grown(wanted);
      for (std::size_t i = 0; i < size_; ++i) grown[i] = at(i);
      chunks_.resize(1);
      chunks_[0] = std::move(grown);
      small_size_ = wanted == chunk_entries ? 0 : wanted;
    } else if (size_ == chunks_.size() * chunk_entries) {
      chunks_.emplace_back(chunk_entries);
    }
  }

  /// One empty chunk is kept, so that coming and going at a boundary costs nothing.
  void give_back_room() {
    if (size_ == 0) {
      chunks_.clear();
      chunks_.shrink_to_fit();
      small_size_ = 0;
    } else if (small_size_ == 0 && chunks_.size() * chunk_entries >= size_ + 2 * chunk_entries) {
      chunks_.pop_back();
    }
  }

  std::vector<LargeArray<Entry>> chunks_;
  std::size_t small_size_ = 0;  ///< entries of the only chunk while it is not a full one; else 0
  std::size_t size_ = 0;
  std::int64_t latest_us_ = 0;  ///< no entry expires later; meaningful unless empty
};

template <typename Take>
bool ExpiryHeap::for_each_lapsed(std::int64_t now_us, Take take) const {
  if (empty() || top().expires_us > now_us) return true;
  const auto later = [this](std::size_t a, std::size_t b) { return earlier(at(b), at(a)); };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(later);
  next.push(0);
  while (!next.empty()) {
    const std::size_t position = next.top();
    next.pop();
    if (!take(std::uint64_t{at(position).ordinal})) return false;
    for (const std::size_t child : {2 * position + 1, 2 * position + 2}) {
      if (child < size_ && at(child).expires_us <= now_us) next.push(child);
    }
  }
  return true;
}

}  // namespace holdfast::sqlite
