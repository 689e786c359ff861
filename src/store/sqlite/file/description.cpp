#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/views.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <bit>

namespace holdfast::sqlite {
namespace {

/// Adds every value of every row, each with its length.
Expected<void> add_rows(Statement& rows, int columns, Connection& connection, std::string& text) {
  int code = SQLITE_ROW;
  while ((code = rows.step()) == SQLITE_ROW) {
    for (int i = 0; i < columns; ++i) {
      const std::string_view value = rows.bytes(i);
      text += fmt::format("{}:{};", value.size(), value);
    }
  }
  if (code != SQLITE_DONE) return tl::unexpected(connection.fault());
  return {};
}

/// Which tables and views are sealed: `meta` has their names, each between blanks. A file of schema
/// 2 has their number; they are the first in it.
constexpr const char* sealed =
    " FROM sqlite_schema AS o, (SELECT value AS objects FROM meta WHERE key='objects') WHERE "
    "CASE typeof(objects) WHEN 'text' THEN instr(objects,' '||o.name||' ')>0 "
    "ELSE (SELECT count(*) FROM sqlite_schema AS b WHERE b.rowid<o.rowid)<objects END "
    "ORDER BY o.rowid";

/// Of what is sealed, and of all of `meta` but the checksum itself.
Expected<std::int64_t> sum_of(Connection& connection) {
  std::string text;
  const std::string objects = std::string("SELECT type, name, tbl_name, sql") + sealed;
  auto schema = connection.prepare(objects.c_str());
  if (!schema) return tl::unexpected(schema.error());
  if (auto added = add_rows(*schema, 4, connection, text); !added) {
    return tl::unexpected(added.error());
  }
  auto meta = connection.prepare(
      "SELECT key, typeof(value), CAST(value AS BLOB) FROM meta WHERE key<>'checksum' ORDER BY "
      "key");
  if (!meta) return tl::unexpected(meta.error());
  if (auto added = add_rows(*meta, 3, connection, text); !added) {
    return tl::unexpected(added.error());
  }
  return std::bit_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

Expected<void> seal_description(Connection& connection) {
  std::string objects = " journal meta ";
  for (const std::string& each : view_names()) objects += each + " ";
  const std::string put =
      fmt::format("INSERT OR REPLACE INTO meta VALUES('objects','{}')", objects);
  if (auto done = connection.run(put.c_str()); !done) return done;
  const auto sum = sum_of(connection);
  if (!sum) return tl::unexpected(sum.error());
  return connection.run(
      fmt::format("INSERT OR REPLACE INTO meta VALUES('checksum',{})", *sum).c_str());
}

Expected<std::vector<std::string>> sealed_views(Connection& connection) {
  const std::string sql = std::string("SELECT type, name") + sealed;
  auto rows = connection.prepare(sql.c_str());
  if (!rows) return tl::unexpected(rows.error());
  std::vector<std::string> views;
  int code = SQLITE_ROW;
  while ((code = rows->step()) == SQLITE_ROW) {
    if (rows->bytes(0) == "view") views.emplace_back(rows->bytes(1));
  }
  if (code != SQLITE_DONE) return tl::unexpected(connection.fault());
  return views;
}

StoreResult<void> check_description(const std::string& path, Connection& connection) {
  const auto failed = [&](const Fault& fault) { return tl::unexpected(describe(path, fault)); };
  const auto stored = connection.integer("SELECT value FROM meta WHERE key='checksum'");
  if (!stored) return failed(stored.error());
  const auto sum = sum_of(connection);
  if (!sum) return failed(sum.error());
  if (*sum == *stored) return {};
  return tl::unexpected(StoreError{
      Effect::none,
      fmt::format("{}: what the store says about itself (its tables, its views, its windows) is "
                  "damaged: its checksum does not match. Restore the store from a backup, and keep "
                  "this one for the investigation.",
                  path)});
}

}  // namespace holdfast::sqlite
