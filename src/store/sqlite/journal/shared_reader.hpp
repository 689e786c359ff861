#pragma once

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <vector>

#include "domain/record.hpp"
#include "store/checksum.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/journal/journal.hpp"
#include "store/store.hpp"

namespace holdfast::sqlite {

/// A connection for reading single records and stretches of the journal, shared under a lock.
class SharedReader {
 public:
  SharedReader(std::string path, Connection connection, JournalReader journal)
      : path_(std::move(path)), connection_(std::move(connection)), journal_(std::move(journal)) {}

  StoreResult<std::vector<Record>> read(std::uint64_t after, std::size_t limit) {
    const std::lock_guard lock(mutex_);
    std::vector<Record> records;
    std::uint64_t stored = 0;
    int code = SQLITE_DONE;
    journal_.seek(after);
    while (records.size() < limit &&
           (code = journal_.next(records.emplace_back(), stored)) == SQLITE_ROW) {
    }
    if (code != SQLITE_ROW && !records.empty()) records.pop_back();
    const Fault fault = connection_.fault();
    journal_.seek(0);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return tl::unexpected(describe(path_, fault));
    return records;
  }

  /// The same, each checked against the one before it: what was altered is not passed on.
  StoreResult<std::vector<Record>> read_checked(std::uint64_t after, std::size_t limit) {
    const std::lock_guard lock(mutex_);
    std::vector<Record> records;
    Links links(after);
    std::uint64_t stored = 0;
    std::uint64_t broken = 0;
    int code = SQLITE_DONE;
    journal_.seek(links.begin());
    while (records.size() < limit && broken == 0) {
      Record record;
      if ((code = journal_.next(record, stored)) != SQLITE_ROW) break;
      if (!links.holds(record, stored, journal_.as_written())) broken = record.seq;
      if (links.wants(record)) records.push_back(std::move(record));
    }
    const Fault fault = connection_.fault();
    journal_.seek(0);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return tl::unexpected(describe(path_, fault));
    if (broken != 0)
      return tl::unexpected(damaged_journal(path_, broken, "its checksum does not match"));
    return records;
  }

  StoreResult<Record> read_one(std::uint64_t seq) {
    auto records = read(seq - 1, 1);
    if (!records) return tl::unexpected(records.error());
    if (records->empty() || records->front().seq != seq) {
      return tl::unexpected(StoreError{
          Effect::none, fmt::format("{}: record {} is missing: the store is damaged", path_, seq)});
    }
    return std::move(records->front());
  }

 private:
  const std::string path_;
  std::mutex mutex_;
  Connection connection_;  // guarded by mutex_
  JournalReader journal_;  // guarded by mutex_
};

}  // namespace holdfast::sqlite
