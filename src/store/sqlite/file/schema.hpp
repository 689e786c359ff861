#pragma once

#include "store/sqlite/sqlite_store.hpp"

/// The SQL of a store's file. The journal is the database; everything else is a view of it
/// (`store/views.hpp`).
namespace holdfast::sqlite {

inline constexpr int schema_version = sqlite_schema_version;

/// One row per record, in order, in real columns. Instants are microseconds since 1970 (UTC).
/// Columns a kind does not use are NULL. `kind`, `operation`, `rejection` and `reason` are the
/// stable numbers of their tables; the views say them in words. `checksum` covers the row and
/// the checksum before it.
inline constexpr const char* tables_sql = R"sql(
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
CREATE TABLE journal (
  seq          INTEGER PRIMARY KEY,
  kind         INTEGER NOT NULL,
  at_us        INTEGER NOT NULL,
  tenant       TEXT,
  principal    TEXT,
  operation    INTEGER,
  token        BLOB,
  nonce        BLOB,
  digest       BLOB,
  rejection    INTEGER,
  reason       INTEGER,
  hold_ordinal INTEGER,
  hold_salt    INTEGER,
  resource     TEXT,
  requester    TEXT,
  quantity     INTEGER,
  expires_us   INTEGER,
  capacity     INTEGER,
  ref          INTEGER,
  times        INTEGER,
  first_us     INTEGER,
  checksum     INTEGER NOT NULL
) STRICT;
)sql";

}  // namespace holdfast::sqlite
