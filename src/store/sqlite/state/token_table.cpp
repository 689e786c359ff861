#include "store/sqlite/state/token_table.hpp"

#include "base/assert.hpp"

namespace holdfast::sqlite {

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
  row.hold_ordinal = at.hold_ordinal;
  return row;
}

void TokenTable::record(const Hash128& hash, const TokenRow& row) {
  HOLDFAST_ASSERT(row.hold_ordinal <= UINT32_MAX && row.seq < (1ULL << 44U));
  const std::uint32_t handle = push(fifos_.at(static_cast<std::size_t>(row.operation)));
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
  at.hold_ordinal = static_cast<std::uint32_t>(row.hold_ordinal);

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
    Fifo& fifo = fifos_.at(static_cast<std::size_t>(each.id));
    while (!fifo.chunks.empty()) {
      const Slot& oldest = slot(fifo.chunks.front() * chunk_slots + fifo.front);
      const Instant recorded_at{Duration(std::int64_t{oldest.recorded_us})};
      if (rules_.remembers(each.id, recorded_at, now)) break;
      if (limit-- == 0) return true;
      forget_front(fifo);
    }
  }
  return false;
}

std::size_t TokenTable::live(Operation operation) const {
  const Fifo& fifo = fifos_.at(static_cast<std::size_t>(operation));
  std::size_t count = 0;
  std::uint32_t from = fifo.front;
  for (const std::uint32_t chunk : fifo.chunks) {
    const std::uint32_t end = chunk == fifo.chunks.back() ? fifo.back : chunk_slots;
    for (std::uint32_t i = from; i < end; ++i) {
      const std::uint32_t handle = chunk * chunk_slots + i;
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
