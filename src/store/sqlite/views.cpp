// What a store's file shows to people with `sqlite3` and nothing else.

#include "store/sqlite/schema.hpp"
#include "store/sqlite/sql_words.hpp"

namespace holdfast::sqlite {
namespace {

constexpr std::string_view reading_views = R"sql(
CREATE VIEW token_windows AS
SELECT o.operation, o.name, m.value AS window_us  -- NULL: for ever
FROM operation_names o LEFT JOIN meta m ON m.key = 'window_us.' || o.name
WHERE o.operation <> 0;

CREATE VIEW records AS
SELECT j.seq, k.name AS kind, {time j.at_us} AS at, j.tenant, j.principal, o.name AS operation,
       CAST(j.token AS TEXT) AS token, lower(hex(j.token)) AS token_hex,
       CAST(j.nonce AS TEXT) AS nonce, lower(hex(j.digest)) AS digest, x.name AS rejection, y.name AS reason, {hold j} AS hold,
       j.resource, j.requester, j.quantity, {time j.expires_us} AS expires_at, j.capacity,
       j.ref, j.times, {time j.first_us} AS first_at, j.at_us, j.expires_us, j.first_us
FROM journal j
LEFT JOIN kind_names k ON k.kind = j.kind
LEFT JOIN operation_names o ON o.operation = coalesce(j.operation, 0)
LEFT JOIN rejection_names x ON x.rejection = j.rejection
LEFT JOIN reason_names y ON y.reason = j.reason AND j.reason <> 0;

-- A hold as it was placed, and the first record that resolved it.
CREATE VIEW holds AS
SELECT {hold p} AS id, p.tenant, p.resource, p.requester, p.quantity,
       coalesce(k.name, 'held') AS state,
       {time p.at_us} AS placed_at, {time p.expires_us} AS expires_at,
       CASE r.kind WHEN {confirmed} THEN {time r.at_us} END AS confirmed_at,
       CASE r.kind WHEN {released} THEN {time r.at_us} END AS released_at,
       CASE r.kind WHEN {expired} THEN {time r.at_us} END AS expired_at,
       CAST(p.token AS TEXT) AS token, lower(hex(p.token)) AS token_hex,
       p.at_us AS placed_us, p.expires_us,
       CASE r.kind WHEN {confirmed} THEN r.at_us END AS confirmed_us,
       CASE r.kind WHEN {released} THEN r.at_us END AS released_us,
       CASE r.kind WHEN {expired} THEN r.at_us END AS expired_us,
       p.hold_ordinal AS ordinal, p.seq AS placed_seq, r.seq AS resolved_seq
FROM journal p
LEFT JOIN (SELECT hold_ordinal, min(seq) AS seq, kind, at_us FROM journal
           WHERE kind IN ({confirmed}, {released}, {expired}) GROUP BY hold_ordinal) r
       ON r.hold_ordinal = p.hold_ordinal
LEFT JOIN kind_names k ON k.kind = r.kind
WHERE p.kind = {placed};

-- Every recording of every token, also of those that are forgotten by now.
CREATE VIEW token_results AS
SELECT tenant, token, token_hex, principal, operation, digest, outcome, reason, hold,
       recorded_at, {time expires_us} AS expires_at, recorded_us, expires_us, seq
FROM (SELECT j.tenant, CAST(j.token AS TEXT) AS token, lower(hex(j.token)) AS token_hex,
             j.principal, o.name AS operation, lower(hex(j.digest)) AS digest,
             CASE WHEN j.kind = {rejected} THEN x.name ELSE 'ok' END AS outcome,
             y.name AS reason,
             CASE WHEN j.rejection IS NOT {not-known} THEN {hold j} END AS hold,
             {time j.at_us} AS recorded_at, j.at_us AS recorded_us,
             j.at_us + w.window_us AS expires_us, j.seq
      FROM journal j
      LEFT JOIN operation_names o ON o.operation = coalesce(j.operation, 0)
      LEFT JOIN rejection_names x ON x.rejection = j.rejection
      LEFT JOIN reason_names y ON y.reason = j.reason AND j.reason <> 0
      LEFT JOIN token_windows w ON w.operation = j.operation
      WHERE j.token IS NOT NULL AND j.kind BETWEEN {placed} AND {rejected});

-- As of the last record: what had lapsed by then is not in use.
CREATE VIEW resources AS
SELECT tenant, resource AS name, coalesce(capacity, 1) AS capacity, sum(quantity) AS in_use,
       max(declared_seq) IS NOT NULL AS declared
FROM (SELECT tenant, resource, seq AS declared_seq, capacity, 0 AS quantity
      FROM journal WHERE kind = {declared}
      UNION ALL
      SELECT tenant, resource, NULL, NULL,
             CASE WHEN state = 'confirmed'
                    OR (state = 'held'
                        AND expires_us > (SELECT at_us FROM journal ORDER BY seq DESC LIMIT 1))
                  THEN quantity ELSE 0 END
      FROM holds)
GROUP BY tenant, resource;
)sql";

}  // namespace

std::string views_sql() { return name_views_sql() + with_words(reading_views) + audit_views_sql(); }

}  // namespace holdfast::sqlite
