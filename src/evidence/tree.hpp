#pragma once

#include "evidence/leaves.hpp"
#include "evidence/merkle.hpp"

namespace holdfast::evidence {

/// The tree over a journal. It keeps the root of every thousand leaves or so, and makes the leaves
/// anew when a path needs them: memory for a few bytes in a hundred records. One thread at a time.
class Tree final : public Subtrees {
 public:
  explicit Tree(Fetch fetch) : fetch_(std::move(fetch)), leaves_(fetch_) {}

  /// Takes in records that came since, at most about so many. True if there may be more.
  ///
  /// If the last record it knows is no longer there, or no longer the same, the journal is another
  /// one, as after the failover to a standby that had not got everything: the tree starts over.
  [[nodiscard]] StoreResult<bool> grow(std::size_t records_max);

  [[nodiscard]] std::uint64_t size() const { return chunks_.size() * chunk_size + rest_.size(); }
  /// How often it had to start over.
  [[nodiscard]] std::uint64_t restarts() const { return restarts_; }

  /// Fails if records are no longer what they were when they were taken in.
  [[nodiscard]] StoreResult<Digest> root(std::uint64_t begin, std::uint64_t end) override;
  [[nodiscard]] StoreResult<Digest> root(std::uint64_t size) {
    return size == 0 ? empty_root() : root(0, size);
  }

 private:
  static constexpr std::uint64_t chunk_size = 1'024;

  [[nodiscard]] StoreResult<bool> is_same_journal();
  [[nodiscard]] StoreResult<std::span<const Digest>> leaves_of(std::uint64_t chunk);
  void append(const Digest& leaf);

  Fetch fetch_;
  Leaves leaves_;
  std::vector<Digest> chunks_;  // roots of the whole ones
  std::vector<Digest> rest_;    // leaves of the last one
  Digest last_{};               // the last leaf
  std::uint64_t restarts_ = 0;
  std::optional<std::uint64_t> loaded_{};  // the chunk whose leaves are at hand
  std::vector<Digest> loaded_leaves_;
};

}  // namespace holdfast::evidence
