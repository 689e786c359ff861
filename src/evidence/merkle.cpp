#include "evidence/merkle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace holdfast::evidence {
namespace {

constexpr char leaf_mark = 0;
constexpr char node_mark = 1;

/// Where a tree of more than one leaf is divided: at the largest power of two below its size.
std::uint64_t left_size(std::uint64_t size) { return std::bit_floor(size - 1); }

bool is_odd(std::uint64_t number) { return (number & 1U) != 0; }

/// Goes from a node up to the root, by what stands beside the way on the left and on the right.
/// `index` counts the nodes of its height, of which `last` is the last. True if the path ends
/// there.
template <typename Left, typename Right>
bool climb(std::span<const Digest> path, std::uint64_t index, std::uint64_t last, const Left& left,
           const Right& right) {
  for (const Digest& other : path) {
    if (last == 0) return false;
    if (is_odd(index) || index == last) {
      left(other);
      while (!is_odd(index) && index != 0) {  // nothing stands beside it for a while
        index >>= 1U;
        last >>= 1U;
      }
    } else {
      right(other);
    }
    index >>= 1U;
    last >>= 1U;
  }
  return last == 0;
}

}  // namespace

Digest leaf_hash(std::string_view content) {
  thread_local std::string marked;
  marked.assign(1, leaf_mark);
  marked.append(content);
  return sha256(marked);
}

Digest node_hash(const Digest& left, const Digest& right) {
  std::array<char, 1 + 2 * sizeof(left.bytes)> marked{node_mark};
  std::memcpy(marked.data() + 1, left.bytes.data(), left.bytes.size());
  std::memcpy(marked.data() + 1 + left.bytes.size(), right.bytes.data(), right.bytes.size());
  return sha256({marked.data(), marked.size()});
}

Digest empty_root() { return sha256({}); }

void Frontier::append(const Digest& leaf) {
  Digest peak = leaf;
  for (std::uint64_t rest = size_; is_odd(rest); rest >>= 1U) {
    peak = node_hash(peaks_.back(), peak);
    peaks_.pop_back();
  }
  peaks_.push_back(peak);
  ++size_;
}

Digest Frontier::root() const {
  if (peaks_.empty()) return empty_root();
  Digest root = peaks_.back();
  for (std::size_t i = peaks_.size() - 1; i-- > 0;) root = node_hash(peaks_[i], root);
  return root;
}

Digest root_of(std::span<const Digest> leaves) {
  Frontier tree;
  for (const Digest& each : leaves) tree.append(each);
  return tree.root();
}

StoreResult<Path> inclusion_path(Subtrees& subtrees, std::uint64_t index, std::uint64_t size) {
  Path path;
  std::uint64_t begin = 0;
  std::uint64_t end = size;
  while (end - begin > 1) {
    const std::uint64_t middle = begin + left_size(end - begin);
    const bool left = index < middle;
    auto other = left ? subtrees.root(middle, end) : subtrees.root(begin, middle);
    if (!other) return tl::unexpected(other.error());
    path.push_back(*other);
    (left ? end : begin) = middle;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

StoreResult<Path> consistency_path(Subtrees& subtrees, std::uint64_t before, std::uint64_t size) {
  Path path;
  if (before == 0 || before == size) return path;
  std::uint64_t begin = 0;
  std::uint64_t end = size;
  while (before != end) {
    const std::uint64_t middle = begin + left_size(end - begin);
    const bool left = before <= middle;
    auto other = left ? subtrees.root(middle, end) : subtrees.root(begin, middle);
    if (!other) return tl::unexpected(other.error());
    path.push_back(*other);
    (left ? end : begin) = middle;
  }
  // What is left ends where the earlier tree does; its root is known if it is all of that tree.
  if (begin != 0) {
    auto rest = subtrees.root(begin, end);
    if (!rest) return tl::unexpected(rest.error());
    path.push_back(*rest);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

bool proves_inclusion(std::span<const Digest> path, const Digest& leaf, std::uint64_t index,
                      std::uint64_t size, const Digest& root) {
  if (index >= size) return false;
  Digest found = leaf;
  const bool arrived = climb(
      path, index, size - 1, [&](const Digest& left) { found = node_hash(left, found); },
      [&](const Digest& right) { found = node_hash(found, right); });
  return arrived && found == root;
}

bool proves_consistency(std::span<const Digest> path, std::uint64_t before,
                        const Digest& root_before, std::uint64_t size, const Digest& root) {
  if (before > size) return false;
  if (before == size) return path.empty() && root_before == root;
  if (before == 0) return path.empty() && root_before == empty_root();
  std::uint64_t index = before - 1;
  std::uint64_t last = size - 1;
  while (is_odd(index)) {
    index >>= 1U;
    last >>= 1U;
  }
  // Both roots are made from one subtree; if that is all of the earlier tree, it is known.
  Digest start = root_before;
  if (index != 0) {
    if (path.empty()) return false;
    start = path.front();
    path = path.subspan(1);
  }
  Digest found_before = start;
  Digest found = start;
  const bool arrived = climb(
      path, index, last,
      [&](const Digest& left) {
        found_before = node_hash(left, found_before);
        found = node_hash(left, found);
      },
      [&](const Digest& right) { found = node_hash(found, right); });  // came later
  return arrived && found_before == root_before && found == root;
}

}  // namespace holdfast::evidence
