#include "store/postgres/schema.hpp"

#include <fmt/format.h>

#include "store/journal_row.hpp"
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
  at_us     bigint NOT NULL,
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
  placed_seq  bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX state_holds_due ON state_holds (expires_us, ordinal) WHERE state = 1;
CREATE INDEX state_holds_lapsed ON state_holds (resource_id, expires_us, ordinal) WHERE state = 1;
CREATE INDEX state_holds_of_resource ON state_holds (resource_id, ordinal);
CREATE INDEX state_holds_of_requester ON state_holds (tenant, requester, ordinal);

-- Stops a transaction whose statement changed another number of rows than it had to.
CREATE FUNCTION holdfast_expect(changed bigint, wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF changed <> wanted THEN
    RAISE EXCEPTION 'somebody else changed the same rows: % of %', changed, wanted
      USING ERRCODE = 'HF001';
  END IF;
END $$;
)sql";

std::string tables_sql() {
  return fmt::format("{}\nCREATE TABLE journal (\n{});\n{}", meta,
                     journal::column_definitions(type_name), state);
}

}  // namespace

std::vector<std::string> migrations() { return {tables_sql(), views_sql(Dialect::postgres)}; }

std::vector<std::string> service_grants() {
  return {"GRANT USAGE ON SCHEMA %schema TO %s",
          "GRANT SELECT ON meta TO %s",
          "GRANT SELECT, INSERT ON journal TO %s",
          "GRANT SELECT, UPDATE ON head TO %s",
          "GRANT SELECT, INSERT, UPDATE, DELETE ON state_tokens, state_nonces TO %s",
          "GRANT SELECT, INSERT, UPDATE, DELETE ON state_resources, state_holds TO %s",
          "GRANT EXECUTE ON FUNCTION holdfast_expect(bigint, bigint) TO %s"};
}

std::vector<std::string> auditor_grants() {
  return {"GRANT USAGE ON SCHEMA %schema TO %s",
          "GRANT SELECT ON ALL TABLES IN SCHEMA %schema TO %s"};
}

}  // namespace holdfast::postgres
