#pragma once

#include <cstdint>
#include <vector>

#include "domain/record.hpp"
#include "store/sqlite/file/connection.hpp"

namespace holdfast::sqlite {

/// Appends records to the journal, inside a transaction of the caller's.
class JournalWriter {
 public:
  [[nodiscard]] static Expected<JournalWriter> open(Connection& connection);
  /// SQLITE_OK, or what went wrong. `chain` is the checksum so far and moves on.
  [[nodiscard]] int append(const Record& record, std::uint64_t& chain);

 private:
  Statement insert_;
};

/// Reads records back, exactly as stored.
class JournalReader {
 public:
  [[nodiscard]] static Expected<JournalReader> open(Connection& connection);
  /// Starts over, after that sequence number.
  void seek(std::uint64_t after);
  /// SQLITE_ROW and the next record with its stored checksum; SQLITE_DONE; or what went wrong.
  [[nodiscard]] int next(Record& record, std::uint64_t& stored_checksum);
  /// Whether the last record is stored the way the writer stores it. A bit turned over in a row can
  /// make a NULL a zero or a text a blob: the same record to us, but not to whoever asks in SQL.
  [[nodiscard]] bool as_written() const { return as_written_; }

 private:
  Statement select_;
  bool as_written_ = true;
};

}  // namespace holdfast::sqlite
