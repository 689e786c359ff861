#include "evidence/tree.hpp"

#include <fmt/format.h>

#include <bit>

namespace holdfast::evidence {
namespace {

constexpr std::size_t records_per_fetch = 2'048;

tl::unexpected<StoreError> altered(std::uint64_t first, std::uint64_t last) {
  return tl::unexpected(StoreError{
      Effect::none,
      fmt::format("Records {} to {} are not what they were when they were first read: the "
                  "journal was altered. `holdfast audit` tells more",
                  first, last)});
}

}  // namespace

StoreResult<bool> Tree::is_same_journal() {
  if (size() == 0) return true;
  const auto found = fetch_(size() - 1, 1);
  if (!found) return tl::unexpected(found.error());
  if (found->empty() || found->front().seq != size()) return false;
  const auto hash = leaves_.hash(found->front());
  if (!hash) return tl::unexpected(hash.error());
  return *hash == last_;
}

StoreResult<bool> Tree::grow(std::size_t records_max) {
  const auto same = is_same_journal();
  if (!same) return tl::unexpected(same.error());
  if (!*same) {
    chunks_.clear();
    rest_.clear();
    loaded_.reset();
    leaves_ = Leaves(fetch_);
    ++restarts_;
  }
  for (std::size_t taken = 0; taken < records_max;) {
    const auto records = fetch_(size(), records_per_fetch);
    if (!records) return tl::unexpected(records.error());
    for (const Record& each : *records) {
      if (each.seq != size() + 1) return altered(size() + 1, each.seq);
      const auto hash = leaves_.hash(each);
      if (!hash) return tl::unexpected(hash.error());
      append(*hash);
    }
    taken += records->size();
    if (records->size() < records_per_fetch) return false;
  }
  return true;
}

void Tree::append(const Digest& leaf) {
  last_ = leaf;
  rest_.push_back(leaf);
  if (rest_.size() < chunk_size) return;
  chunks_.push_back(root_of(rest_));
  rest_.clear();
}

StoreResult<std::span<const Digest>> Tree::leaves_of(std::uint64_t chunk) {
  if (chunk == chunks_.size()) return std::span<const Digest>(rest_);
  if (loaded_ == chunk) return std::span<const Digest>(loaded_leaves_);
  loaded_.reset();
  loaded_leaves_.clear();
  const std::uint64_t begin = chunk * chunk_size;
  const auto records = fetch_(begin, chunk_size);
  if (!records) return tl::unexpected(records.error());
  for (const Record& each : *records) {
    const auto hash = leaves_.hash(each);
    if (!hash) return tl::unexpected(hash.error());
    loaded_leaves_.push_back(*hash);
  }
  if (loaded_leaves_.size() != chunk_size || root_of(loaded_leaves_) != chunks_[chunk])
    return altered(begin + 1, begin + chunk_size);
  loaded_ = chunk;
  return std::span<const Digest>(loaded_leaves_);
}

StoreResult<Digest> Tree::root(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t size = end - begin;
  const std::uint64_t chunk = begin / chunk_size;
  if (size > chunk_size) {
    const std::uint64_t middle = begin + std::bit_floor(size - 1);
    auto left = root(begin, middle);
    if (!left) return left;
    auto right = root(middle, end);
    if (!right) return right;
    return node_hash(*left, *right);
  }
  if (size == chunk_size && chunk < chunks_.size()) return chunks_[chunk];
  const auto leaves = leaves_of(chunk);
  if (!leaves) return tl::unexpected(leaves.error());
  return root_of(leaves->subspan(begin % chunk_size, size));
}

}  // namespace holdfast::evidence
