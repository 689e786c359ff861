#include "store/mariadb/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "store/journal_row.hpp"
#include "store/kept_rules.hpp"
#include "store/views.hpp"

namespace holdfast::mariadb {
namespace {

constexpr std::array table_list{"meta",         "head",        "journal",         "state_tokens",
                                "state_nonces", "state_holds", "state_resources", "module_rows"};

/// All but the numbers of operations may come to more than a byte holds.
std::string code_type(const journal::Column& column) {
  return column.name == "operation" ? "TINYINT UNSIGNED" : "SMALLINT UNSIGNED";
}

std::string type_name(const journal::Column& column) {
  switch (column.type) {
    case layout::Type::code:
      return code_type(column);
    case layout::Type::name:
    case layout::Type::opaque:
    case layout::Type::digest:
      return fmt::format("VARBINARY({})", column.bytes_max);
    case layout::Type::json:
      return "MEDIUMBLOB";
    default:
      return "BIGINT";
  }
}

constexpr const char* meta_sql = R"sql(
CREATE TABLE IF NOT EXISTS meta (
  name   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  number BIGINT NULL,
  text   VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC)sql";

/// One row: where the journal ends. Whoever changes anything locks it.
constexpr const char* head_table_sql = R"sql(
CREATE TABLE IF NOT EXISTS head (
  one       TINYINT PRIMARY KEY CHECK (one = 1),
  seq       BIGINT NOT NULL,
  chain     BIGINT NOT NULL,
  latest_us BIGINT NOT NULL,
  ordinal   BIGINT NOT NULL,
  live      BIGINT NOT NULL,
  confirmed BIGINT NOT NULL,
  released  BIGINT NOT NULL,
  expired   BIGINT NOT NULL,
  tokens    BIGINT NOT NULL,
  resources BIGINT NOT NULL,
  CONSTRAINT every_hold_counted CHECK (ordinal = live + confirmed + released + expired),
  CONSTRAINT nothing_below_zero CHECK (live >= 0 AND tokens >= 0)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC)sql";

/// One row per record, in order. Columns a kind does not use are NULL.
std::string journal_sql() {
  return "\nCREATE TABLE IF NOT EXISTS journal (\n" + journal::column_definitions(type_name) +
         ") ENGINE=InnoDB ROW_FORMAT=DYNAMIC";
}

/// A row without a record is a claim: it is there while a transaction decides, and never after.
constexpr const char* tokens_sql = R"sql(
CREATE TABLE IF NOT EXISTS state_tokens (
  tenant    VARBINARY(1024) NOT NULL,
  token     VARBINARY(1024) NOT NULL,
  seq       BIGINT NULL,
  forget_us BIGINT NULL,
  PRIMARY KEY (tenant, token),
  UNIQUE KEY by_seq (seq),
  KEY by_forget (forget_us),
  CONSTRAINT token_outcome FOREIGN KEY (seq) REFERENCES journal (seq),
  CONSTRAINT claim_or_outcome CHECK ((seq IS NULL) = (forget_us IS NULL))
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC)sql";

constexpr const char* nonces_sql = R"sql(
CREATE TABLE IF NOT EXISTS state_nonces (
  tenant    VARBINARY(1024) NOT NULL,
  nonce     VARBINARY(256) NOT NULL,
  seq       BIGINT NOT NULL,
  forget_us BIGINT NOT NULL,
  PRIMARY KEY (tenant, nonce),
  UNIQUE KEY by_seq (seq),
  KEY by_forget (forget_us),
  CONSTRAINT nonce_outcome FOREIGN KEY (seq) REFERENCES journal (seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC)sql";

/// Every hold for ever. An index ends with the primary key, so each of these is in order of
/// ordinals where the columns before are given.
constexpr std::string_view holds_sql = R"sql(
CREATE TABLE IF NOT EXISTS state_holds (
  ordinal     BIGINT PRIMARY KEY,
  salt        BIGINT NOT NULL,
  tenant      VARBINARY(1024) NOT NULL,
  resource_id BIGINT NOT NULL,
  requester   VARBINARY(1024) NOT NULL,
  quantity    BIGINT NOT NULL,
  state       TINYINT NOT NULL,
  placed_us   BIGINT NOT NULL,
  expires_us  BIGINT NOT NULL,
  resolved_us BIGINT NULL,
  placed_seq  BIGINT NOT NULL,
  {hold_columns},
  KEY by_tenant (tenant),
  KEY by_resource (resource_id),
  KEY by_requester (tenant, requester),
  KEY by_expiry (state, expires_us),
  KEY by_resource_expiry (resource_id, state, expires_us),
  CONSTRAINT held_or_resolved CHECK ((state = 1) = (resolved_us IS NULL)),
  CONSTRAINT some_quantity CHECK (quantity >= 1)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC)sql";

/// `id` is the record that named it first; `occupied` counts held, lapsed and confirmed holds.
constexpr const char* resources_sql = R"sql(
CREATE TABLE IF NOT EXISTS state_resources (
  id       BIGINT PRIMARY KEY,
  tenant   VARBINARY(1024) NOT NULL,
  name     VARBINARY(1024) NOT NULL,
  capacity BIGINT NOT NULL,
  occupied BIGINT NOT NULL,
  declared BOOLEAN NOT NULL,
  UNIQUE KEY by_name (tenant, name),
  KEY by_tenant (tenant),
  CONSTRAINT within_capacity CHECK (occupied >= 0 AND occupied <= capacity)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC)sql";

/// What schema 3 added to a hold: what was confirmed of it in parts (NULL: all or nothing, as its
/// state says), what was cancelled of that, the last record that changed it since it was placed,
/// its expiry as it was placed if that was extended, and the first hold of its group. Conditions
/// stand with their columns: only so does adding them read no row.
constexpr std::array hold_columns{
    "confirmed BIGINT NULL CHECK (confirmed >= 0 AND confirmed <= quantity)",
    "cancelled BIGINT NOT NULL DEFAULT 0 CHECK (cancelled >= 0 AND cancelled <= quantity)",
    "changed_seq BIGINT NOT NULL DEFAULT 0 CHECK (changed_seq = 0 OR changed_seq > placed_seq)",
    "first_expires_us BIGINT NULL CHECK (first_expires_us > placed_us)",
    "group_ordinal BIGINT NULL CHECK (group_ordinal <= ordinal)",
    "group_salt BIGINT NULL CHECK ((group_salt IS NULL) = (group_ordinal IS NULL))",
    "group_size BIGINT NULL CHECK ((group_size IS NULL) = (group_ordinal IS NULL) AND "
    "(group_size IS NULL OR group_size >= 1))"};

std::string state_holds_sql() {
  constexpr std::string_view place = "{hold_columns}";
  std::string sql(holds_sql);
  return sql.replace(sql.find(place), place.size(),
                     fmt::format("{}", fmt::join(hold_columns, ",\n  ")));
}

/// Rows of modules: `space` says whose and what they are, `version` is the record that made a row
/// what it is, `value` is canonical JSON. An index ends with the primary key, so the rows of one
/// parent and position are in order of their keys.
constexpr const char* module_rows_sql = R"sql(
CREATE TABLE IF NOT EXISTS module_rows (
  space    SMALLINT NOT NULL,
  tenant   VARBINARY(1024) NOT NULL,
  `key`    VARBINARY(1024) NOT NULL,
  version  BIGINT NOT NULL,
  parent   VARBINARY(1024) NULL,
  position BIGINT NOT NULL DEFAULT 0,
  due_us   BIGINT NULL,
  value    MEDIUMBLOB NOT NULL,
  PRIMARY KEY (space, tenant, `key`),
  KEY by_parent (space, tenant, parent, position),
  KEY by_due (space, due_us),
  CONSTRAINT made_by_a_record CHECK (version >= 1)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC)sql";

/// Nodes of schema 2 name `at_us` in whatever they do under the lock of the head: without it they
/// can decide nothing and write nothing, whenever they come.
constexpr const char* fence_sql =
    "ALTER TABLE head RENAME COLUMN IF EXISTS at_us TO latest_us, ALGORITHM=INSTANT";

/// The only step that reads rows and writes them anew: numbers of kinds have become longer.
constexpr const char* journal_of_3_sql =
    "ALTER TABLE journal MODIFY kind SMALLINT UNSIGNED NOT NULL, "
    "ADD COLUMN IF NOT EXISTS detail MEDIUMBLOB NULL";

std::string holds_of_3_sql() {
  std::string changes;
  for (const char* const each : hold_columns)
    changes += fmt::format("ADD COLUMN IF NOT EXISTS {}, ", each);
  return "ALTER TABLE state_holds " + changes + "ALGORITHM=INSTANT";
}

}  // namespace

/// Made again over what an interrupted migration has left.
std::vector<std::string> replacing_views() {
  constexpr std::string_view create = "CREATE VIEW";
  std::vector<std::string> statements = view_statements(Dialect::mariadb);
  for (std::string& each : statements) {
    const std::size_t at = each.find(create);
    if (at != std::string::npos) each.replace(at, create.size(), "CREATE OR REPLACE VIEW");
  }
  return statements;
}

std::span<const char* const> table_names() { return table_list; }

std::vector<std::string> making() {
  std::vector<std::string> all{meta_sql,   head_table_sql,    journal_sql(), tokens_sql,
                               nonces_sql, state_holds_sql(), resources_sql, module_rows_sql};
  for (std::string& each : replacing_views()) all.push_back(std::move(each));
  return all;
}

std::vector<std::string> upgrading() {
  const std::string note = fmt::format(
      "INSERT IGNORE INTO meta(name,number) SELECT '{}',seq FROM head WHERE one=1", plain_name);
  std::vector<std::string> all{fence_sql, note, journal_of_3_sql, holds_of_3_sql(),
                               module_rows_sql};
  for (std::string& each : replacing_views()) all.push_back(std::move(each));
  return all;
}

}  // namespace holdfast::mariadb
