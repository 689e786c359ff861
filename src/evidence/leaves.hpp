#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>

#include "evidence/leaf.hpp"
#include "store/store.hpp"

namespace holdfast::evidence {

/// Records after a sequence number, in order, at most so many: durable ones only.
using Fetch = std::function<StoreResult<std::vector<Record>>(std::uint64_t after, std::size_t max)>;

/// Makes leaves of records. A conflict's leaf has the digest of the record it conflicts with, which
/// is looked up. One thread at a time.
class Leaves {
 public:
  explicit Leaves(Fetch fetch) : fetch_(std::move(fetch)) {}

  [[nodiscard]] StoreResult<Hashes> hashes(const Record& record);
  /// Appends the leaf to `out`.
  [[nodiscard]] StoreResult<void> write(std::string& out, const Record& record);
  /// The leaf's hash in the tree.
  [[nodiscard]] StoreResult<Digest> hash(const Record& record);

 private:
  [[nodiscard]] StoreResult<std::optional<Digest>> on_record(const Record& record);

  Fetch fetch_;
  std::string text_;
  // Of the records conflicts were with: whoever sends one sends more.
  boost::unordered_flat_map<std::uint64_t, std::optional<Digest>> found_;
};

}  // namespace holdfast::evidence
