#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/faults.hpp"

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

/// Of the first so many tables and views, and of all of `meta` but the checksum itself.
Expected<std::int64_t> sum_of(Connection& connection, std::int64_t objects) {
  std::string text;
  auto schema = connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid LIMIT ?");
  if (!schema) return tl::unexpected(schema.error());
  schema->bind(1, objects);
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
  const auto objects = connection.integer("SELECT count(*) FROM sqlite_schema");
  if (!objects) return tl::unexpected(objects.error());
  const std::string count = fmt::format("INSERT INTO meta VALUES('objects',{})", *objects);
  if (auto put = connection.run(count.c_str()); !put) return put;
  const auto sum = sum_of(connection, *objects);
  if (!sum) return tl::unexpected(sum.error());
  return connection.run(fmt::format("INSERT INTO meta VALUES('checksum',{})", *sum).c_str());
}

StoreResult<void> check_description(const std::string& path, Connection& connection) {
  const auto failed = [&](const Fault& fault) { return tl::unexpected(describe(path, fault)); };
  const auto objects = connection.integer("SELECT value FROM meta WHERE key='objects'");
  if (!objects) return failed(objects.error());
  const auto stored = connection.integer("SELECT value FROM meta WHERE key='checksum'");
  if (!stored) return failed(stored.error());
  const auto sum = sum_of(connection, *objects);
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
