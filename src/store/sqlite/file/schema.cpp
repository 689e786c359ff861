#include "store/sqlite/file/schema.hpp"

#include <fmt/format.h>

#include "store/journal_row.hpp"
#include "store/kept_rules.hpp"

namespace holdfast::sqlite {
namespace {

std::string type_name(const journal::Column& column) {
  switch (column.type) {
    case layout::Type::name:
    case layout::Type::json:
      return "TEXT";
    case layout::Type::opaque:
    case layout::Type::digest:
      return "BLOB";
    default:
      return "INTEGER";
  }
}

}  // namespace

std::string tables_sql() {
  return "\nCREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;\n"
         "CREATE TABLE journal (\n" +
         journal::column_definitions(type_name) + ") STRICT;\n";
}

/// No row is written for it: what a row lacks at its end is NULL.
std::string upgrading_sql() {
  return fmt::format(
      "ALTER TABLE journal ADD COLUMN detail TEXT;"
      "INSERT OR REPLACE INTO meta SELECT '{}', coalesce(max(seq), 0) FROM journal;",
      plain_name);
}

}  // namespace holdfast::sqlite
