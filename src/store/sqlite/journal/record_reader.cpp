#include "store/checksum.hpp"
#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/file/log_check.hpp"
#include "store/sqlite/file/opening.hpp"
#include "store/sqlite/journal/journal.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace holdfast {
namespace sqlite {
namespace {

constexpr std::size_t broken_max = 1'000;

class SqliteRecordReader final : public RecordReader {
 public:
  SqliteRecordReader(std::string path, Connection connection, JournalReader journal,
                     const Rules& rules, std::uint64_t last_seq)
      : path_(std::move(path)),
        connection_(std::move(connection)),
        journal_(std::move(journal)),
        rules_(rules),
        last_seq_(last_seq) {}

  StoreResult<void> read(std::uint64_t after, std::size_t limit,
                         std::vector<Record>& out) override {
    out.clear();
    Record record;
    std::uint64_t stored = 0;
    int code = SQLITE_DONE;
    journal_.seek(after);
    while (out.size() < limit && (code = journal_.next(record, stored)) == SQLITE_ROW) {
      check(record, stored);
      out.push_back(record);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      return tl::unexpected(describe(path_, connection_.fault()));
    }
    journal_.seek(after);
    return {};
  }

  const std::vector<std::uint64_t>& broken() const override { return broken_; }
  std::uint64_t last_seq() const override { return last_seq_; }
  const Rules& rules() const override { return rules_; }
  StoreResult<void> sync() override { return sync_log_of(path_); }

 private:
  /// After a broken link the chain goes on from what is stored: each break is named once.
  void check(const Record& record, std::uint64_t stored) {
    const bool holds = checksum(chain_, record) == stored && journal_.as_written();
    if (!holds && broken_.size() < broken_max) broken_.push_back(record.seq);
    chain_ = stored;
  }

  const std::string path_;
  Connection connection_;
  JournalReader journal_;
  const Rules rules_;
  const std::uint64_t last_seq_;
  std::uint64_t chain_ = 0;
  std::vector<std::uint64_t> broken_;
};

}  // namespace
}  // namespace sqlite

StoreResult<std::unique_ptr<RecordReader>> read_sqlite_records(const std::string& path) {
  Rules rules;
  auto connection = sqlite::open_reader(path, {}, rules);
  if (!connection) return tl::unexpected(connection.error());
  if (auto sound = sqlite::check_description(path, *connection); !sound) {
    return tl::unexpected(sound.error());
  }
  // One snapshot for the whole reading.
  if (auto begun = connection->run("BEGIN"); !begun) {
    return tl::unexpected(sqlite::describe(path, begun.error()));
  }
  auto journal = sqlite::JournalReader::open(*connection);
  if (!journal) return tl::unexpected(sqlite::describe(path, journal.error()));
  const auto last = connection->integer("SELECT max(seq) FROM journal");
  if (!last) return tl::unexpected(sqlite::describe(path, last.error()));
  return std::make_unique<sqlite::SqliteRecordReader>(
      path, std::move(*connection), std::move(*journal), rules, static_cast<std::uint64_t>(*last));
}

}  // namespace holdfast
