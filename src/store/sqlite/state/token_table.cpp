#include "store/sqlite/state/token_table.hpp"

#include "base/assert.hpp"
#include "domain/operation.hpp"

namespace holdfast::sqlite {
namespace {

bool has_own_window(Operation operation) {
  const OperationSpec* const spec = find_spec(operation);
  return spec != nullptr && spec->own_window;
}

}  // namespace

TokenTable::TokenTable(const Rules& rules)
    : rules_(rules), shards_(shard_count, Shard(0, Hash{this}, Equal{this})) {}

std::optional<TokenRow> TokenTable::find(const Hash128& hash) const {
  const Shard& shard = shards_[shard_of(hash.low)];
  const auto found = shard.find(hash);
  if (found == shard.end()) return std::nullopt;
  const Slot& at = slot(*found);
  TokenRow row;
  row.operation = static_cast<Operation>(at.operation);
  row.fingerprint = {at.fingerprint_low, at.fingerprint_high};
  row.recorded_at = Instant(Duration(std::int64_t{at.recorded_us}));  // a copy: slots are packed
  row.seq = at.seq;
  if (at.rejection != 0) row.rejection = static_cast<Rejection>(at.rejection);
  row.reason = static_cast<Reason>(at.reason);
  row.ends = ends(at);
  if (!row.ends) row.hold_ordinal = at.hold_ordinal;
  return row;
}

/// When a token is forgotten that says so itself.
std::optional<Instant> TokenTable::ends(const Slot& slot) const {
  if (!has_own_window(static_cast<Operation>(slot.operation))) return std::nullopt;
  const Instant recorded_at{Duration(std::int64_t{slot.recorded_us})};
  const auto window = own_windows_[std::uint32_t{slot.hold_ordinal}].window;
  return window ? after(recorded_at, *window) : never;
}

/// The number of its window. There are as many as differ: those that registries declared.
std::uint32_t TokenTable::own_window_of(const TokenRow& row) {
  std::optional<Duration> window;
  if (*row.ends != never) window = *row.ends - row.recorded_at;
  for (std::size_t i = 0; i < own_windows_.size(); ++i) {
    if (own_windows_[i].window == window) return static_cast<std::uint32_t>(i);
  }
  own_windows_.push_back({.window = window});
  return static_cast<std::uint32_t>(own_windows_.size() - 1);
}

void TokenTable::record(const Hash128& hash, const TokenRow& row) {
  HOLDFAST_ASSERT(row.hold_ordinal <= UINT32_MAX && row.seq < (1ULL << 44U));
  const bool own = row.ends.has_value();
  const std::uint32_t window = own ? own_window_of(row) : 0;
  const std::uint32_t handle =
      push(own ? own_windows_[window].fifo : fifos_.at(static_cast<std::size_t>(row.operation)));
  Slot& at = slot(handle);
  at.hash_low = hash.low;
  at.hash_high = hash.high;
  at.fingerprint_low = row.fingerprint.low;
  at.fingerprint_high = row.fingerprint.high;
  at.recorded_us = row.recorded_at.time_since_epoch().count();
  at.seq = row.seq & ((1ULL << 44U) - 1);
  at.operation = static_cast<std::uint8_t>(row.operation) & 63U;
  at.rejection = row.rejection ? static_cast<std::uint8_t>(*row.rejection) & 127U : 0U;
  at.reason = static_cast<std::uint8_t>(row.reason) & 127U;
  at.hold_ordinal = own ? window : static_cast<std::uint32_t>(row.hold_ordinal);

  Shard& shard = shards_[shard_of(hash.low)];
  const auto [old, is_new] = shard.insert(handle);
  if (is_new) {
    ++size_;
  } else {  // past its window; its slot leaves with its chunk
    shard.erase(old);
    shard.insert(handle);
  }
}

bool TokenTable::forget(Instant now, std::size_t limit) {
  for (const OperationRow& each : operations()) {
    if (!forget_front_of(fifos_.at(static_cast<std::size_t>(each.id)), now, limit)) return true;
  }
  for (OwnWindow& each : own_windows_) {
    if (!forget_front_of(each.fifo, now, limit)) return true;
  }
  return false;
}

/// False if no more may be forgotten and more could be.
bool TokenTable::forget_front_of(Fifo& fifo, Instant now, std::size_t& left) {
  while (!fifo.chunks.empty()) {
    const Slot& oldest = slot(fifo.chunks.front() * chunk_slots + fifo.front);
    const Instant recorded_at{Duration(std::int64_t{oldest.recorded_us})};
    if (rules_.remembers(static_cast<Operation>(oldest.operation), recorded_at, now, ends(oldest)))
      return true;
    if (left == 0) return false;
    --left;
    forget_front(fifo);
  }
  return true;
}

std::size_t TokenTable::live(Operation operation) const {
  std::size_t count = live(fifos_.at(static_cast<std::size_t>(operation)), operation);
  for (const OwnWindow& each : own_windows_) count += live(each.fifo, operation);
  return count;
}

std::size_t TokenTable::live(const Fifo& fifo, Operation operation) const {
  std::size_t count = 0;
  std::uint32_t from = fifo.front;
  for (const std::uint32_t chunk : fifo.chunks) {
    const std::uint32_t end = chunk == fifo.chunks.back() ? fifo.back : chunk_slots;
    for (std::uint32_t i = from; i < end; ++i) {
      const std::uint32_t handle = chunk * chunk_slots + i;
      if (static_cast<Operation>(slot(handle).operation) != operation) continue;
      const Hash128 hash = slot(handle).hash();
      const Shard& shard = shards_[shard_of(hash.low)];
      const auto found = shard.find(hash);
      if (found != shard.end() && *found == handle) ++count;
    }
    from = 0;
  }
  return count;
}

void TokenTable::forget_front(Fifo& fifo) {
  const std::uint32_t handle = fifo.chunks.front() * chunk_slots + fifo.front;
  const Slot& at = slot(handle);
  Shard& shard = shards_[shard_of(at.hash_low)];
  const auto found = shard.find(Hash128{at.hash_low, at.hash_high});
  if (found != shard.end() && *found == handle) {  // else it was used afresh since
    shard.erase(found);
    --size_;
  }
  ++fifo.front;
  const std::uint32_t end = fifo.chunks.size() == 1 ? fifo.back : chunk_slots;
  if (fifo.front == end) release_chunk(fifo);
}

void TokenTable::release_chunk(Fifo& fifo) {
  const std::uint32_t number = fifo.chunks.front();
  fifo.chunks.pop_front();
  fifo.front = 0;
  if (fifo.chunks.empty()) fifo.back = chunk_slots;
  chunks_[number] = Chunk();
  free_chunks_.push_back(number);
}

std::uint32_t TokenTable::push(Fifo& fifo) {
  if (fifo.back == chunk_slots) {
    std::uint32_t number = 0;
    if (free_chunks_.empty()) {
      HOLDFAST_ASSERT(chunks_.size() < UINT32_MAX / chunk_slots);
      number = static_cast<std::uint32_t>(chunks_.size());
      chunks_.emplace_back(chunk_slots);
    } else {
      number = free_chunks_.back();
      free_chunks_.pop_back();
      chunks_[number] = Chunk(chunk_slots);
    }
    fifo.chunks.push_back(number);
    fifo.back = 0;
  }
  return fifo.chunks.back() * chunk_slots + fifo.back++;
}

std::size_t TokenTable::bytes() const {
  std::size_t sum = (chunks_.size() - free_chunks_.size()) * chunk_slots * sizeof(Slot) +
                    chunks_.capacity() * sizeof(Chunk) + shard_count * sizeof(Shard);
  for (const Shard& shard : shards_) sum += shard.bucket_count() * (sizeof(std::uint32_t) + 1);
  return sum;
}

}  // namespace holdfast::sqlite
