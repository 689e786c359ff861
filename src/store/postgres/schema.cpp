#include "store/postgres/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "store/journal_row.hpp"
#include "store/kept_rules.hpp"
#include "store/shared/driver.hpp"
#include "store/views.hpp"

namespace holdfast::postgres {
namespace {

std::string type_name(const journal::Column& column) {
  switch (column.type) {
    case layout::Type::code:
      return "smallint";
    case layout::Type::name:
    case layout::Type::opaque:
    case layout::Type::digest:
    case layout::Type::json:
      return "bytea";
    default:
      return "bigint";
  }
}

/// What schema 3 added to a hold: what was confirmed of it in parts (NULL: all or nothing, as its
/// state says), what was cancelled of that, the last record that changed it since it was placed,
/// its expiry as it was placed if that was extended, and the first hold of its group.
constexpr std::array hold_columns{"confirmed bigint",
                                  "cancelled bigint NOT NULL DEFAULT 0",
                                  "changed_seq bigint NOT NULL DEFAULT 0",
                                  "first_expires_us bigint",
                                  "group_ordinal bigint",
                                  "group_salt bigint",
                                  "group_size bigint"};

constexpr std::array hold_checks{
    "CONSTRAINT confirmed_in_part CHECK (confirmed >= 0 AND confirmed <= quantity)",
    "CONSTRAINT cancelled_in_part CHECK (cancelled >= 0 AND cancelled <= quantity)",
    "CONSTRAINT changed_later CHECK (changed_seq = 0 OR changed_seq > placed_seq)",
    "CONSTRAINT expired_later CHECK (first_expires_us > placed_us)",
    "CONSTRAINT whole_group CHECK ((group_ordinal IS NULL) = (group_salt IS NULL) AND "
    "(group_ordinal IS NULL) = (group_size IS NULL) AND group_ordinal <= ordinal AND "
    "group_size >= 1)"};

/// Rows of modules: `space` says whose and what they are, `version` is the record that made a row
/// what it is, `value` is canonical JSON.
constexpr std::string_view module_rows = R"sql(
CREATE TABLE module_rows (
  space    smallint NOT NULL,
  tenant   bytea NOT NULL,
  key      bytea NOT NULL,
  version  bigint NOT NULL CHECK (version >= 1),
  parent   bytea,
  position bigint NOT NULL DEFAULT 0,
  due_us   bigint,
  value    bytea NOT NULL,
  PRIMARY KEY (space, tenant, key)
) WITH (fillfactor = 80);
-- Within one parent and position, keys are put in order when they are read: together with a key, an
-- entry would be longer than an index takes.
CREATE INDEX module_rows_of_parent ON module_rows (space, tenant, parent, position)
  WHERE parent IS NOT NULL;
CREATE INDEX module_rows_due ON module_rows (space, due_us) WHERE due_us IS NOT NULL;
)sql";

constexpr std::string_view meta = R"sql(
CREATE TABLE meta (name text PRIMARY KEY, number bigint, text text);
)sql";

constexpr std::string_view state = R"sql(
-- One row: where the journal ends. Its lock is the last one taken, so that the order of the journal
-- is the order of commits.
CREATE TABLE head (
  one       smallint PRIMARY KEY CHECK (one = 1),
  seq       bigint NOT NULL,
  chain     bigint NOT NULL,
  latest_us bigint NOT NULL,
  ordinal   bigint NOT NULL,
  live      bigint NOT NULL CHECK (live >= 0),
  confirmed bigint NOT NULL,
  released  bigint NOT NULL,
  expired   bigint NOT NULL,
  tokens    bigint NOT NULL,
  resources bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO head VALUES (1, 0, 0, -9223372036854775808, 0, 0, 0, 0, 0, 0, 0);

-- A token and the record of its outcome: there is no row without one.
CREATE TABLE state_tokens (
  tenant    bytea NOT NULL,
  token     bytea NOT NULL,
  seq       bigint NOT NULL REFERENCES journal (seq),
  forget_us bigint,
  PRIMARY KEY (tenant, token)
);
CREATE INDEX state_tokens_forget ON state_tokens (forget_us) WHERE forget_us IS NOT NULL;

CREATE TABLE state_nonces (
  tenant    bytea NOT NULL,
  nonce     bytea NOT NULL,
  seq       bigint NOT NULL REFERENCES journal (seq),
  forget_us bigint,
  PRIMARY KEY (tenant, nonce)
);
CREATE INDEX state_nonces_forget ON state_nonces (forget_us) WHERE forget_us IS NOT NULL;

-- What is taken never exceeds what there is, whoever writes.
CREATE TABLE state_resources (
  id       bigint PRIMARY KEY,
  tenant   bytea NOT NULL,
  name     bytea NOT NULL,
  capacity bigint NOT NULL CHECK (capacity >= 1),
  occupied bigint NOT NULL CHECK (occupied >= 0 AND occupied <= capacity),
  declared boolean NOT NULL,
  UNIQUE (tenant, name)
) WITH (fillfactor = 50);

CREATE TABLE state_holds (
  ordinal     bigint PRIMARY KEY,
  salt        bigint NOT NULL,
  tenant      bytea NOT NULL,
  resource_id bigint NOT NULL,
  requester   bytea NOT NULL,
  quantity    bigint NOT NULL CHECK (quantity >= 1),
  state       smallint NOT NULL CHECK (state BETWEEN 1 AND 4),
  placed_us   bigint NOT NULL,
  expires_us  bigint NOT NULL CHECK (expires_us > placed_us),
  resolved_us bigint CHECK ((resolved_us IS NULL) = (state = 1)),
  placed_seq  bigint NOT NULL,
{hold_columns},
  {hold_checks}
) WITH (fillfactor = 80);
CREATE INDEX state_holds_due ON state_holds (expires_us, ordinal) WHERE state = 1;
CREATE INDEX state_holds_lapsed ON state_holds (resource_id, expires_us, ordinal) WHERE state = 1;
CREATE INDEX state_holds_of_resource ON state_holds (resource_id, ordinal);
CREATE INDEX state_holds_of_requester ON state_holds (tenant, requester, ordinal);

{module_rows}
-- Stops a transaction whose statement changed another number of rows than it had to.
CREATE FUNCTION holdfast_expect(changed bigint, wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF changed <> wanted THEN
    RAISE EXCEPTION 'somebody else changed the same rows: % of %', changed, wanted
      USING ERRCODE = 'HF001';
  END IF;
END $$;
)sql";

std::string replaced(std::string text, std::string_view word, std::string_view by) {
  return text.replace(text.find(word), word.size(), by);
}

std::string tables_sql() {
  std::string tables(state);
  tables =
      replaced(tables, "{hold_columns}", fmt::format("  {}", fmt::join(hold_columns, ",\n  ")));
  tables = replaced(tables, "{hold_checks}", fmt::format("{}", fmt::join(hold_checks, ",\n  ")));
  tables = replaced(tables, "{module_rows}", module_rows);
  return fmt::format("{}\nCREATE TABLE journal (\n{});\n{}", meta,
                     journal::column_definitions(type_name), tables);
}

/// Nodes of schema 2 name `at_us` in whatever they do under the lock of the head: without it they
/// can decide nothing and write nothing, whenever they come.
constexpr std::string_view fence = "ALTER TABLE head RENAME COLUMN at_us TO latest_us;\n";

/// No row is read or written for it. What is said of values holds of every row there is, since all
/// have the same.
std::string columns_of_3() {
  std::string changes;
  for (const char* const each : hold_columns) changes += fmt::format("ADD COLUMN {}, ", each);
  for (const char* const each : hold_checks) changes += fmt::format("ADD {} NOT VALID, ", each);
  changes.resize(changes.size() - 2);
  return fmt::format(
      "ALTER TABLE journal ADD COLUMN detail bytea;\nALTER TABLE state_holds {};\n{}", changes,
      module_rows);
}

}  // namespace

std::vector<std::string> making() { return {tables_sql(), views_sql(Dialect::postgres)}; }

/// All at once, for some are made of others.
std::string replacing_views() {
  return fmt::format("DROP VIEW IF EXISTS {};\n{}", fmt::join(view_names(), ", "),
                     views_sql(Dialect::postgres));
}

std::vector<std::string> upgrading() {
  const std::string note = fmt::format(
      "INSERT INTO meta SELECT '{}', seq, NULL FROM head ON CONFLICT DO NOTHING", plain_name);
  return {std::string(fence), columns_of_3(), note, replacing_views()};
}

std::string session_name() { return fmt::format("holdfast/{}", shared::schema_version); }

std::vector<std::string> service_grants() {
  return {"GRANT USAGE ON SCHEMA %schema TO %s",
          "GRANT SELECT ON meta TO %s",
          "GRANT SELECT, INSERT ON journal TO %s",
          "GRANT SELECT, UPDATE ON head TO %s",
          "GRANT SELECT, INSERT, UPDATE, DELETE ON state_tokens, state_nonces TO %s",
          "GRANT SELECT, INSERT, UPDATE, DELETE ON state_resources, state_holds, module_rows TO %s",
          "GRANT EXECUTE ON FUNCTION holdfast_expect(bigint, bigint) TO %s"};
}

std::vector<std::string> auditor_grants() {
  return {"GRANT USAGE ON SCHEMA %schema TO %s",
          "GRANT SELECT ON ALL TABLES IN SCHEMA %schema TO %s"};
}

}  // namespace holdfast::postgres
