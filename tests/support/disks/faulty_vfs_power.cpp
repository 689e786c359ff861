#include "support/disks/faulty_vfs_power.hpp"

#include <algorithm>

namespace holdfast::test {
namespace {

constexpr std::size_t sector_bytes = 512;

/// From 0 to `most`.
std::size_t draw(std::mt19937_64& random, std::size_t most) {
  return static_cast<std::size_t>(random() % (most + 1));
}

/// Calls `each(from, size)` for every stretch of the change that lies in one sector.
template <typename Each>
void for_each_sector(std::int64_t offset, std::size_t size, Each each) {
  std::size_t from = 0;
  while (from < size) {
    const std::size_t into = (static_cast<std::size_t>(offset) + from) % sector_bytes;
    const std::size_t length = std::min(sector_bytes - into, size - from);
    each(from, length);
    from += length;
  }
}

}  // namespace

void UnsyncedFile::write(std::int64_t offset, std::string_view bytes) {
  uncertain_.push_back({next_++, offset, std::string(bytes), false});
}

void UnsyncedFile::truncate(std::int64_t size) { uncertain_.push_back({next_++, size, {}, true}); }

UnsyncedFile::Changes UnsyncedFile::take_until(std::uint64_t mark) {
  const auto end = std::find_if(uncertain_.begin(), uncertain_.end(),
                                [&](const Change& change) { return change.id >= mark; });
  Changes taken(std::make_move_iterator(uncertain_.begin()), std::make_move_iterator(end));
  uncertain_.erase(uncertain_.begin(), end);
  return taken;
}

void UnsyncedFile::synced(std::uint64_t mark) {
  for (const Change& change : take_until(mark)) apply(change);
}

void UnsyncedFile::sync_failed(std::uint64_t mark, std::mt19937_64& random) {
  apply_scattered(take_until(mark), random);
}

void UnsyncedFile::apply(const Change& change) {
  if (change.truncates) return certain_.resize(static_cast<std::size_t>(change.offset));
  apply_sector(change, 0, change.bytes.size());
}

void UnsyncedFile::apply_sector(const Change& change, std::size_t from, std::size_t size) {
  const std::size_t at = static_cast<std::size_t>(change.offset) + from;
  if (certain_.size() < at + size) certain_.resize(at + size);
  certain_.replace(at, size, change.bytes, from, size);
}

void UnsyncedFile::apply_scattered(const Changes& changes, std::mt19937_64& random) {
  const std::size_t kept_of_ten = draw(random, 10);
  const auto kept = [&] { return draw(random, 9) < kept_of_ten; };
  for (const Change& change : changes) {
    if (change.truncates) {
      if (kept()) apply(change);
      continue;
    }
    for_each_sector(change.offset, change.bytes.size(), [&](std::size_t from, std::size_t size) {
      if (kept()) apply_sector(change, from, size);
    });
  }
}

/// Disks differ: one has taken nothing, one everything, one a beginning, one this and that.
void UnsyncedFile::apply_some(const Changes& changes, std::mt19937_64& random) {
  switch (draw(random, 3)) {
    case 0:
      return;
    case 1:
      for (const Change& change : changes) apply(change);
      return;
    case 2: {
      const std::size_t whole = draw(random, changes.size());
      for (std::size_t i = 0; i < whole; ++i) apply(changes[i]);
      if (whole == changes.size() || changes[whole].truncates) return;
      std::size_t sectors = draw(random, changes[whole].bytes.size() / sector_bytes);
      for_each_sector(changes[whole].offset, changes[whole].bytes.size(),
                      [&](std::size_t from, std::size_t size) {
                        if (sectors > 0) apply_sector(changes[whole], from, size), --sectors;
                      });
      return;
    }
    default:
      return apply_scattered(changes, random);
  }
}

std::optional<std::string> UnsyncedFile::lose_power(std::mt19937_64& random) {
  if (removed_ && !there_) return std::nullopt;
  const bool uncertain = removed_ || !there_;
  if (uncertain && draw(random, 1) == 0) return std::nullopt;
  apply_some(take_until(next_), random);
  return std::move(certain_);
}

}  // namespace holdfast::test
