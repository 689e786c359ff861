#include "engine/auditing.hpp"

namespace holdfast {
namespace {

constexpr std::size_t chunk_records = 10'000;

class OpenStoreReader final : public RecordReader {
 public:
  explicit OpenStoreReader(const Store& store) : store_(store) {}

  StoreResult<void> read(std::uint64_t after, std::size_t limit,
                         std::vector<Record>& out) override {
    auto records = store_.records(after, limit);
    if (!records) return tl::unexpected(records.error());
    out = std::move(*records);
    return {};
  }
  const std::vector<std::uint64_t>& broken() const override { return broken_; }
  std::uint64_t last_seq() const override { return store_.counts().records; }
  const Rules& rules() const override { return store_.rules(); }

 private:
  const Store& store_;
  const std::vector<std::uint64_t> broken_;
};

}  // namespace

std::unique_ptr<RecordReader> records_of(const Store& store) {
  return std::make_unique<OpenStoreReader>(store);
}

StoreResult<Verdict> audit_records(RecordReader& reader, const AuditWatch& watch,
                                   const Progress& progress) {
  Audit audit(reader.rules());
  Verdict verdict;
  std::vector<Record> chunk;
  std::uint64_t after = 0;
  do {
    if (auto read = reader.read(after, chunk_records, chunk); !read) {
      return tl::unexpected(read.error());
    }
    for (const Record& record : chunk) {
      audit.see(record);
      if (watch) watch(record);
    }
    verdict.checksums += chunk.size();
    if (!chunk.empty()) after = chunk.back().seq;
    if (progress && chunk.size() == chunk_records) progress(verdict.checksums, reader.last_seq());
  } while (chunk.size() == chunk_records);
  verdict.report = audit.finish();
  verdict.broken_checksums = reader.broken();
  return verdict;
}

}  // namespace holdfast
