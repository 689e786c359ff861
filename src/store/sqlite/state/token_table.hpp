#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <optional>
#include <vector>

#include "base/large_memory.hpp"
#include "domain/rows.hpp"
#include "domain/rules.hpp"

namespace holdfast::sqlite {

/// The live tokens and their outcomes, about 60 bytes each.
///
/// A token is known by its key, 128 bits of keyed hash; its bytes are in the journal. Slots of one
/// window are kept in order of recording, so that those past it are always the oldest ones:
/// forgetting is taking from the front, a chunk at a time. An operation has one window; where its
/// tokens say themselves when they are forgotten, each window that any of them has. The index over
/// them is cut into shards; none is large enough for its growth to be felt.
class TokenTable {
 public:
  explicit TokenTable(const Rules& rules);
  TokenTable(const TokenTable&) = delete;
  TokenTable& operator=(const TokenTable&) = delete;

  /// The latest outcome of a token, whether or not its window is over.
  [[nodiscard]] std::optional<TokenRow> find(const Hash128& hash) const;
  void record(const Hash128& hash, const TokenRow& row);
  /// Forgets at most so many tokens whose window is over. True if there may be more.
  bool forget(Instant now, std::size_t limit);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Of one operation; goes through all of them.
  [[nodiscard]] std::size_t live(Operation operation) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// Packed: a token costs this much, and there are many. Read members by value only.
  struct [[gnu::packed, gnu::aligned(4)]] Slot {
    std::uint64_t hash_low, hash_high;
    std::uint64_t fingerprint_low, fingerprint_high;
    std::int64_t recorded_us;
    std::uint64_t seq : 44;
    std::uint64_t operation : 6;
    std::uint64_t rejection : 7;
    std::uint64_t reason : 7;
    std::uint32_t hold_ordinal;  ///< of tokens with windows of their own: the number of its window
    [[nodiscard]] Hash128 hash() const { return {hash_low, hash_high}; }
  };
  static_assert(sizeof(Slot) == 52);

  static constexpr std::uint32_t chunk_slots = 1024;
  static constexpr std::size_t shard_count = 4096;
  using Chunk = LargeArray<Slot>;

  /// The slots of one window, oldest first.
  struct Fifo {
    std::deque<std::uint32_t> chunks;  ///< numbers in chunks_
    std::uint32_t front = 0;           ///< first live slot of the first chunk
    std::uint32_t back = chunk_slots;  ///< first free slot of the last chunk
  };

  struct Hash {
    using is_transparent = void;
    using is_avalanching = void;
    const TokenTable* table;
    std::size_t operator()(std::uint32_t handle) const { return table->slot(handle).hash_high; }
    std::size_t operator()(const Hash128& hash) const { return hash.high; }
  };
  struct Equal {
    using is_transparent = void;
    const TokenTable* table;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return (*this)(table->slot(a).hash(), b);
    }
    bool operator()(const Hash128& hash, std::uint32_t handle) const {
      return table->slot(handle).hash() == hash;
    }
    bool operator()(std::uint32_t handle, const Hash128& hash) const {
      return (*this)(hash, handle);
    }
  };
  using Shard =
      boost::unordered_flat_set<std::uint32_t, Hash, Equal, LargeAllocator<std::uint32_t>>;

  [[nodiscard]] const Slot& slot(std::uint32_t handle) const {
    return chunks_[handle / chunk_slots][handle % chunk_slots];
  }
  [[nodiscard]] Slot& slot(std::uint32_t handle) {
    return chunks_[handle / chunk_slots][handle % chunk_slots];
  }
  [[nodiscard]] static std::size_t shard_of(std::uint64_t hash_low) {
    return hash_low % shard_count;
  }
  [[nodiscard]] std::uint32_t own_window_of(const TokenRow& row);
  [[nodiscard]] std::optional<Instant> ends(const Slot& slot) const;
  [[nodiscard]] std::uint32_t push(Fifo& fifo);
  [[nodiscard]] bool forget_front_of(Fifo& fifo, Instant now, std::size_t& left);
  [[nodiscard]] std::size_t live(const Fifo& fifo, Operation operation) const;
  void forget_front(Fifo& fifo);
  void release_chunk(Fifo& fifo);

  const Rules& rules_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_chunks_;
  std::array<Fifo, operation_limit> fifos_;  ///< by number
  /// Windows that tokens have of their own, each with the slots of all of them.
  struct OwnWindow {
    std::optional<Duration> window{};  ///< unset: for ever
    Fifo fifo{};
  };
  std::vector<OwnWindow> own_windows_;
  std::vector<Shard> shards_;
  std::size_t size_ = 0;
};

}  // namespace holdfast::sqlite
