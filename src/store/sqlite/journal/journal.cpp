#include "store/sqlite/journal/journal.hpp"

#include <fmt/format.h>

#include "store/checksum.hpp"
#include "store/journal_row.hpp"

namespace holdfast::sqlite {
namespace {

bool is_text(int column) {
  const layout::Type type = journal::column(column).type;
  return type == layout::Type::name || type == layout::Type::json;
}

/// Binds a record to the statement that adds it. Parameters are numbered from 1, columns from 0.
class Binder {
 public:
  explicit Binder(Statement& insert) : insert_(insert) {}
  void number(int column, std::optional<std::int64_t> value) {
    value ? insert_.bind(column + 1, *value) : insert_.bind_null(column + 1);
  }
  void bytes(int column, std::string_view value) {
    if (value.empty()) return insert_.bind_null(column + 1);
    is_text(column) ? insert_.bind_text(column + 1, value) : insert_.bind_blob(column + 1, value);
  }

 private:
  Statement& insert_;
};

/// A row as it is stored, and whether each value has the type it was stored with.
class StoredRow {
 public:
  explicit StoredRow(const Statement& select) : select_(select) {}
  [[nodiscard]] std::optional<std::int64_t> number(int column) const {
    const Value value = select_.value(column);
    if (value.type() == SQLITE_NULL) return std::nullopt;
    return value.integer();
  }
  [[nodiscard]] std::optional<std::string_view> bytes(int column) const {
    const Value value = select_.value(column);
    const int type = value.type();
    if (type == SQLITE_NULL) return std::nullopt;
    const std::string_view text = value.bytes();
    if (type != (is_text(column) ? SQLITE_TEXT : SQLITE_BLOB)) types_hold_ = false;
    return text;
  }
  [[nodiscard]] bool types_hold() const { return types_hold_; }

 private:
  const Statement& select_;
  mutable bool types_hold_ = true;
};

}  // namespace

Expected<JournalWriter> JournalWriter::open(Connection& connection) {
  JournalWriter writer;
  std::string places;
  for (int i = 0; i < journal::column_count; ++i) places += i == 0 ? "?" : ",?";
  const std::string sql =
      fmt::format("INSERT INTO journal({}) VALUES({})", journal::columns(), places);
  auto insert = connection.prepare(sql.c_str());
  if (!insert) return tl::unexpected(insert.error());
  writer.insert_ = std::move(*insert);
  return writer;
}

int JournalWriter::append(const Record& record, std::uint64_t& chain) {
  chain = checksum(chain, record);
  Binder binder(insert_);
  journal::write(binder, record, chain);
  const int code = insert_.step();
  insert_.reset();
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

Expected<JournalReader> JournalReader::open(Connection& connection) {
  JournalReader reader;
  const std::string sql =
      fmt::format("SELECT {} FROM journal WHERE seq>? ORDER BY seq", journal::columns());
  auto select = connection.prepare(sql.c_str());
  if (!select) return tl::unexpected(select.error());
  reader.select_ = std::move(*select);
  return reader;
}

void JournalReader::seek(std::uint64_t after) {
  select_.reset();
  select_.bind(1, static_cast<std::int64_t>(after));
}

int JournalReader::next(Record& record, std::uint64_t& stored_checksum) {
  const int code = select_.step();
  if (code != SQLITE_ROW) {
    select_.reset();
    return code;
  }
  const StoredRow row(select_);
  as_written_ = journal::read(row, record, stored_checksum) && row.types_hold();
  return code;
}

}  // namespace holdfast::sqlite
