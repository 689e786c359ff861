#include "evidence/leaves.hpp"

#include "evidence/merkle.hpp"

namespace holdfast::evidence {
namespace {

constexpr std::size_t found_max = 4'096;

}  // namespace

StoreResult<std::optional<Digest>> Leaves::on_record(const Record& record) {
  if (record.kind != RecordKind::collided || record.ref == 0) return std::optional<Digest>();
  if (const auto known = found_.find(record.ref); known != found_.end()) return known->second;
  const auto first = fetch_(record.ref - 1, 1);
  if (!first) return tl::unexpected(first.error());
  std::optional<Digest> digest;
  if (!first->empty() && first->front().seq == record.ref && !first->front().token.empty()) {
    digest = first->front().digest;
  }
  if (found_.size() >= found_max) found_.clear();
  found_.emplace(record.ref, digest);
  return digest;
}

StoreResult<Hashes> Leaves::hashes(const Record& record) {
  const auto digest = on_record(record);
  if (!digest) return tl::unexpected(digest.error());
  return hashes_of(record, *digest);
}

StoreResult<void> Leaves::write(std::string& out, const Record& record) {
  const auto found = hashes(record);
  if (!found) return tl::unexpected(found.error());
  JsonWriter json(out);
  write_leaf(json, record, *found);
  return {};
}

StoreResult<Digest> Leaves::hash(const Record& record) {
  text_.clear();
  if (auto written = write(text_, record); !written) return tl::unexpected(written.error());
  return leaf_hash(text_);
}

}  // namespace holdfast::evidence
