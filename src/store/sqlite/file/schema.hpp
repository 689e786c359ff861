#pragma once

#include <string>

#include "store/sqlite/sqlite_store.hpp"

/// The SQL of a store's file. The journal is the database; everything else is a view of it
/// (`store/views.hpp`).
namespace holdfast::sqlite {

inline constexpr int schema_version = sqlite_schema_version;

/// One row per record, in order, in real columns. Instants are microseconds since 1970 (UTC).
/// Columns a kind does not use are NULL. `kind`, `operation`, `rejection` and `reason` are the
/// stable numbers of their tables; the views say them in words. `checksum` covers the row and
/// the checksum before it.
[[nodiscard]] std::string tables_sql();

}  // namespace holdfast::sqlite
