#include "store/sqlite/file/connection.hpp"

namespace holdfast::sqlite {

void Statement::bind_text(int at, std::string_view text) {
  sqlite3_bind_text(raw_.get(), at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void Statement::bind_blob(int at, std::string_view bytes) {
  sqlite3_bind_blob(raw_.get(), at, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
}

Expected<Connection> Connection::open(const std::string& path, int flags, const std::string& vfs) {
  OpenFile file(path);
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX,
                                   vfs.empty() ? nullptr : vfs.c_str());
  Connection connection;
  connection.file_ = std::move(file);
  connection.raw_.reset(raw);
  if (code != SQLITE_OK) return tl::unexpected(connection.fault());
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
  return connection;
}

Fault Connection::fault() const {
  if (raw_ == nullptr) return {SQLITE_NOMEM, "out of memory"};
  return {sqlite3_extended_errcode(raw_.get()), sqlite3_errmsg(raw_.get())};
}

Expected<void> Connection::run(const char* sql) {
  if (sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return tl::unexpected(fault());
  }
  return {};
}

Expected<Statement> Connection::prepare(const char* sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(raw_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) !=
      SQLITE_OK) {
    return tl::unexpected(fault());
  }
  return Statement(raw);
}

Expected<std::int64_t> Connection::integer(const char* sql) {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  const int code = statement->step();
  if (code == SQLITE_DONE) return 0;
  if (code != SQLITE_ROW) return tl::unexpected(fault());
  return statement->integer(0);
}

}  // namespace holdfast::sqlite
