#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "domain/digest.hpp"
#include "store/store.hpp"

/// The Merkle tree of RFC 6962 (Certificate Transparency), with SHA-256. Leaves are counted from 0.
namespace holdfast::evidence {

/// The hash of a leaf: SHA-256 of a zero byte and its content.
[[nodiscard]] Digest leaf_hash(std::string_view content);
/// The hash of an inner node: SHA-256 of a byte of one and both children.
[[nodiscard]] Digest node_hash(const Digest& left, const Digest& right);
/// The root of a tree without leaves.
[[nodiscard]] Digest empty_root();

/// A tree that grows at its end, of which only the roots of its whole subtrees are kept: as many as
/// its size has ones in binary.
class Frontier {
 public:
  void append(const Digest& leaf);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Digest root() const;

 private:
  std::uint64_t size_ = 0;
  std::vector<Digest> peaks_;  // from the largest, on the left, to the smallest
};

/// The root over a few leaves, or subtrees of one size, that are at hand.
[[nodiscard]] Digest root_of(std::span<const Digest> leaves);

using Path = std::vector<Digest>;  ///< from the leaf's neighbour up

/// Where the hashes come from that a path is made of.
class Subtrees {
 public:
  virtual ~Subtrees() = default;
  /// The root over leaves `begin` to `end`, `end` not included: a subtree of the tree of some size.
  [[nodiscard]] virtual StoreResult<Digest> root(std::uint64_t begin, std::uint64_t end) = 0;
};

/// What shows that leaf `index` is in the tree of that size. `index` < `size`.
[[nodiscard]] StoreResult<Path> inclusion_path(Subtrees& subtrees, std::uint64_t index,
                                               std::uint64_t size);
/// What shows that the tree of the first `before` leaves is the beginning of the tree of that size.
/// Empty for 0 and for the size itself. `before` <= `size`.
[[nodiscard]] StoreResult<Path> consistency_path(Subtrees& subtrees, std::uint64_t before,
                                                 std::uint64_t size);

/// Whether the path leads from the leaf to the root. Paths may be anything.
[[nodiscard]] bool proves_inclusion(std::span<const Digest> path, const Digest& leaf,
                                    std::uint64_t index, std::uint64_t size, const Digest& root);
/// Whether the path shows that one tree is the beginning of the other.
[[nodiscard]] bool proves_consistency(std::span<const Digest> path, std::uint64_t before,
                                      const Digest& root_before, std::uint64_t size,
                                      const Digest& root);

}  // namespace holdfast::evidence
