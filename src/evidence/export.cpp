#include "evidence/export.hpp"

#include <fmt/format.h>

#include "base/json_members.hpp"
#include "evidence/leaves.hpp"
#include "evidence/merkle.hpp"

namespace holdfast::evidence {
namespace {

constexpr std::size_t records_per_read = 8'192;

/// Reads single records out of order, which the reader of everything could not.
class Lookup {
 public:
  using Open = std::function<StoreResult<std::unique_ptr<RecordReader>>()>;
  explicit Lookup(Open open) : open_(std::move(open)) {}

  StoreResult<std::vector<Record>> operator()(std::uint64_t after, std::size_t max) {
    if (!reader_) {
      auto opened = open_();
      if (!opened) return tl::unexpected(opened.error());
      reader_ = std::move(*opened);
    }
    std::vector<Record> records;
    if (auto read = reader_->read(after, max, records); !read) return tl::unexpected(read.error());
    return records;
  }

 private:
  Open open_;
  std::shared_ptr<RecordReader> reader_;
};

tl::unexpected<StoreError> missing(std::uint64_t seq) {
  return tl::unexpected(
      StoreError{Effect::none, fmt::format("record {} is missing: nothing can be signed over such "
                                           "a journal. `holdfast audit` tells more",
                                           seq)});
}

tl::unexpected<StoreError> damaged(std::uint64_t seq) {
  return tl::unexpected(StoreError{
      Effect::none, fmt::format("the journal is damaged at record {}: its checksum does not match, "
                                "so nothing is signed. `holdfast audit` tells more",
                                seq)});
}

class Exporter {
 public:
  Exporter(Lookup::Open lookup, const SigningKey& key, const Head& head,
           const ExportOptions& options, const LineSink& sink, std::uint64_t all)
      : leaves_(Lookup(std::move(lookup))),
        key_(key),
        head_(head),
        options_(options),
        sink_(sink),
        all_(all) {}

  /// The last one, or else one of so many.
  bool write_head(std::optional<std::uint64_t> of) {
    head_.of = of;
    head_.size = tree_.size();
    head_.root = tree_.root();
    last_ = sign(head_, key_);
    line_.clear();
    JsonWriter json(line_);
    json.begin_object();
    json.key("head");
    evidence::write_head(json, last_);
    json.end_object();
    return sink_(line_ += '\n');
  }

  StoreResult<bool> write(const Record& record) {
    leaf_.clear();
    if (auto written = leaves_.write(leaf_, record); !written)
      return tl::unexpected(written.error());
    const Digest hash = leaf_hash(leaf_);
    tree_.append(hash);
    line_.clear();
    JsonWriter json(line_);
    json.begin_object();
    text_member(json, "hash", hash.hex());
    if (!options_.tenant || record.tenant == *options_.tenant) {
      json.key("leaf");
      json.raw(leaf_);
      if (options_.tokens && !record.token.empty()) bytes_member(json, "token", record.token);
    } else {
      integer_member(json, "seq", static_cast<std::int64_t>(record.seq));
    }
    json.end_object();
    if (!sink_(line_ += '\n')) return false;
    return tree_.size() % records_per_head != 0 || write_head(all_);
  }

  [[nodiscard]] std::uint64_t size() const { return tree_.size(); }
  [[nodiscard]] const SignedHead& last() const { return last_; }

 private:
  Leaves leaves_;
  const SigningKey& key_;
  Head head_;
  const ExportOptions& options_;
  const LineSink& sink_;
  const std::uint64_t all_;
  Frontier tree_;
  SignedHead last_;
  std::string leaf_;
  std::string line_;
};

}  // namespace

StoreResult<SignedHead> export_evidence(
    RecordReader& reader, const std::function<StoreResult<std::unique_ptr<RecordReader>>()>& lookup,
    const SigningKey& key, Instant now, const ExportOptions& options, const LineSink& sink,
    const Progress& progress) {
  if (auto durable = reader.sync(); !durable) return tl::unexpected(durable.error());
  Exporter exporter(
      lookup, key,
      {.at = now, .windows = windows_of(reader.rules()), .made = windows_made(reader.rules())},
      options, sink, reader.last_seq());
  if (!exporter.write_head(reader.last_seq())) return exporter.last();
  std::vector<Record> chunk;
  do {
    if (auto read = reader.read(exporter.size(), records_per_read, chunk); !read)
      return tl::unexpected(read.error());
    if (!reader.broken().empty()) return damaged(reader.broken().front());
    for (const Record& each : chunk) {
      if (each.seq != exporter.size() + 1) return missing(exporter.size() + 1);
      const auto go_on = exporter.write(each);
      if (!go_on) return tl::unexpected(go_on.error());
      if (!*go_on) return exporter.last();
    }
    if (progress && chunk.size() == records_per_read) progress(exporter.size(), reader.last_seq());
  } while (chunk.size() == records_per_read);
  if (exporter.size() != reader.last_seq()) return missing(exporter.size() + 1);
  exporter.write_head(std::nullopt);
  return exporter.last();
}

}  // namespace holdfast::evidence
