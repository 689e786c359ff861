#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "store/sqlite/file/open_file.hpp"

namespace holdfast::sqlite {

/// What SQLite said.
struct Fault {
  int code = SQLITE_ERROR;  ///< extended result code
  std::string message;
};

template <typename T>
using Expected = tl::expected<T, Fault>;

/// One column of a row; good until the next step. Cheaper than asking the statement for each thing.
class Value {
 public:
  explicit Value(sqlite3_value* raw) : raw_(raw) {}
  /// SQLITE_INTEGER, SQLITE_TEXT, …
  [[nodiscard]] int type() const { return sqlite3_value_type(raw_); }
  [[nodiscard]] std::int64_t integer() const { return sqlite3_value_int64(raw_); }
  /// Text or blob.
  [[nodiscard]] std::string_view bytes() const {
    const void* data = sqlite3_value_blob(raw_);
    const int size = sqlite3_value_bytes(raw_);
    if (data == nullptr || size <= 0) return {};
    return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
  }

 private:
  sqlite3_value* raw_;
};

/// A prepared statement. Bound text and blobs are not copied: they must outlive the step.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* raw) : raw_(raw) {}

  void bind(int at, std::int64_t number) { sqlite3_bind_int64(raw_.get(), at, number); }
  void bind_text(int at, std::string_view text);
  void bind_blob(int at, std::string_view bytes);
  void bind_null(int at) { sqlite3_bind_null(raw_.get(), at); }

  /// SQLITE_ROW, SQLITE_DONE, or what went wrong.
  int step() { return sqlite3_step(raw_.get()); }
  void reset() { sqlite3_reset(raw_.get()); }

  [[nodiscard]] Value value(int at) const { return Value(sqlite3_column_value(raw_.get(), at)); }
  [[nodiscard]] bool is_null(int at) const { return value(at).type() == SQLITE_NULL; }
  [[nodiscard]] std::int64_t integer(int at) const { return value(at).integer(); }
  [[nodiscard]] std::string_view bytes(int at) const { return value(at).bytes(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* raw) const { sqlite3_finalize(raw); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> raw_;
};

/// Whether a call that failed so changed nothing, and may be tried again: there was no room, or
/// somebody else was at it.
[[nodiscard]] constexpr bool is_harmless(int code) {
  const int primary = code & 0xff;
  return primary == SQLITE_FULL || primary == SQLITE_BUSY || primary == SQLITE_NOMEM;
}

/// A connection, used by one thread at a time.
class Connection {
 public:
  [[nodiscard]] static Expected<Connection> open(const std::string& path, int flags,
                                                 const std::string& vfs = {});

  [[nodiscard]] Expected<void> run(const char* sql);
  [[nodiscard]] Expected<Statement> prepare(const char* sql);
  /// The first column of the only row; 0 if there is none.
  [[nodiscard]] Expected<std::int64_t> integer(const char* sql);
  [[nodiscard]] Fault fault() const;
  /// Moves as much of the log into the database as readers allow, and syncs both. Pages of the log,
  /// and of these how many are moved.
  int move_log(int* in_log = nullptr, int* moved = nullptr) {
    return sqlite3_wal_checkpoint_v2(raw(), nullptr, SQLITE_CHECKPOINT_PASSIVE, in_log, moved);
  }
  /// Whether closing leaves the log where it is, instead of moving it into the database.
  void keep_log_at_close(bool keep) {
    sqlite3_db_config(raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
  }
  [[nodiscard]] sqlite3* raw() const { return raw_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* raw) const { sqlite3_close_v2(raw); }
  };
  OpenFile file_;  // ends after what it guards
  std::unique_ptr<sqlite3, Close> raw_;
};

}  // namespace holdfast::sqlite
