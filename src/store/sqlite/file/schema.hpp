#pragma once

#include <string>
#include <string_view>

#include "store/sqlite/sqlite_store.hpp"

/// The SQL of a store's file. The journal is the database; everything else is a view of it
/// (`store/views.hpp`).
namespace holdfast::sqlite {

inline constexpr int schema_version = sqlite_schema_version;

/// The name in `meta` of what tells the views from those of another version of this program.
inline constexpr std::string_view views_name = "views";

/// Adds the columns that a journal of schema 2 lacks, in the order this program makes them.
[[nodiscard]] std::string upgrading_sql();

/// One row per record, in order, in real columns. Instants are microseconds since 1970 (UTC).
/// Columns a kind does not use are NULL. `kind`, `operation`, `rejection` and `reason` are the
/// stable numbers of their tables; the views say them in words. `checksum` covers the row and
/// the checksum before it.
[[nodiscard]] std::string tables_sql();

}  // namespace holdfast::sqlite
