// The invariants as queries. Each `audit_*` view is empty when all is well, and otherwise names
// the record that shows the breach. They say what `domain/invariants` says, in another language,
// so that an auditor needs the database's own tools and nothing of ours.
//
// They count on no index of the journal but its sequence, so every view is a few scans and sorts:
// what came before is found by grouping or by a window of two columns, and looked up by its number.

#include "store/sql_words.hpp"

namespace holdfast {
namespace {

/// What the audits share. A hold's records in order, each with the one that placed the hold and the
/// one that first resolved it, up to then; a token's repeated use; a resource's use over time.
constexpr std::string_view shared_views = R"sql(
CREATE VIEW hold_steps AS
SELECT s.seq, s.kind, s.at_us, s.tenant, s.operation, s.rejection, s.hold_ordinal, s.hold_salt,
       s.resource, s.requester, s.quantity, s.expires_us,
       CASE WHEN h.placed_seq <= s.seq THEN h.placed_seq END AS placed_seq,
       CASE WHEN h.resolved_seq <= s.seq THEN h.resolved_seq END AS resolved_seq,
       s.due_us, coalesce(s.parts, 0) AS parts, coalesce(s.cancelled, 0) AS cancelled
FROM (SELECT j.*,
             max(CASE WHEN kind IN ({placed}, {extended}) THEN expires_us END) OVER past AS due_us,
             {total CASE WHEN kind = {partly-confirmed} THEN quantity END} OVER past AS parts,
             {total CASE WHEN kind = {cancelled} THEN quantity END} OVER past AS cancelled
      FROM journal j
      WHERE kind {of a hold} OR (kind = {rejected} AND hold_ordinal IS NOT NULL)
      WINDOW past AS (PARTITION BY coalesce(hold_ordinal, 0) ORDER BY seq
                      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) s
LEFT JOIN (SELECT coalesce(hold_ordinal, 0) AS ordinal,
                  min(CASE WHEN kind = {placed} THEN seq END) AS placed_seq,
                  min(CASE WHEN kind IN ({confirmed}, {released}, {expired}) THEN seq END)
                    AS resolved_seq
           FROM journal WHERE kind {of a hold}
           GROUP BY coalesce(hold_ordinal, 0)) h ON h.ordinal = coalesce(s.hold_ordinal, 0);

-- Before each record about a hold that was placed: how much of it was held, and how much confirmed
-- and not cancelled.
CREATE VIEW hold_parts AS
SELECT s.seq, s.kind, s.operation, s.rejection, s.tenant, s.hold_ordinal, s.hold_salt, s.quantity,
       p.seq AS placed_seq, p.hold_salt AS placed_salt, p.tenant AS placed_tenant,
       CASE WHEN r.seq IS NULL THEN p.quantity - s.parts ELSE 0 END AS held,
       s.parts - s.cancelled
         + CASE WHEN r.kind = {confirmed} THEN coalesce(r.quantity, p.quantity - s.parts) ELSE 0 END
         AS confirmed
FROM hold_steps s
{lookup join} journal p ON p.seq = s.placed_seq
LEFT JOIN journal r ON r.seq = s.resolved_seq AND r.seq < s.seq;

-- A token recorded again while its first recording (f) was within its window.
CREATE VIEW token_reuse AS
SELECT s.seq, s.kind, s.operation, {hold s} AS hold, s.hold_ordinal, f.seq AS first_seq,
       f.kind AS first_kind, f.hold_ordinal AS first_ordinal,
       {same s.operation | f.operation} AND {same s.digest | f.digest}
         AND {same s.principal | f.principal} AS same_request,
       s.kind = f.kind AND {same s.rejection | f.rejection} AND {same s.reason | f.reason}
         AND {same s.hold_ordinal | f.hold_ordinal} AS same_answer,
       {same s.rejection | {not-known}} OR {same f.rejection | {not-known}} AS no_hold
FROM (SELECT seq, lag(seq) OVER (PARTITION BY tenant, token ORDER BY seq) AS first_seq
      FROM journal
      WHERE token IS NOT NULL AND kind {of outcomes}
        AND (coalesce(ref, 0) < seq OR kind = {rejected})) u
{lookup join} journal f ON f.seq = u.first_seq
{lookup join} journal s ON s.seq = u.seq
LEFT JOIN token_periods w ON {period w | f | s}
WHERE {seen w | f | s.at_us};

-- Every replay and collision, with the outcome (f) it refers to. A replay is written down a little
-- after it was given, so its own instant is the first one.
CREATE VIEW token_repeats AS
SELECT r.seq, r.kind, r.operation, f.seq AS first_seq,
       {seen w | f
          | CASE r.kind WHEN {replayed} THEN coalesce(r.first_us, 0) ELSE r.at_us END}
         AS within_window,
       {same r.operation | f.operation} AND {same r.digest | f.digest}
         AND {same r.principal | f.principal} AS same_request
FROM journal r
LEFT JOIN journal f
       ON f.seq = r.ref AND f.seq < r.seq AND f.kind {of outcomes}
      AND f.token = r.token AND {same f.tenant | r.tenant}
LEFT JOIN token_periods w ON {period w | f | r}
WHERE r.kind = {collided}
   OR (r.kind = {replayed} AND (coalesce(r.ref, 0) <> 0 OR r.token IS NOT NULL));

-- Everything that bears on a resource, in order, with what was in use and the capacity right after
-- it. A hold that lapses lets go at its expiry, before anything else recorded at that instant.
CREATE VIEW resource_steps AS
WITH lives AS {materialized} (
  SELECT p.seq AS placed_seq, p.at_us AS placed_us, p.tenant, p.resource, h.ordinal, h.due_us,
         CASE WHEN p.quantity BETWEEN 1 AND {quantity max} THEN p.quantity ELSE 0 END
           - coalesce(h.parts, 0) AS rest,
         CASE WHEN p.quantity BETWEEN 1 AND {quantity max} THEN p.quantity ELSE 0 END AS quantity,
         r.seq, r.kind, r.at_us, r.quantity AS last_part,
         coalesce(r.at_us < h.due_us, FALSE) AS in_time
  FROM (SELECT hold_ordinal AS ordinal, min(CASE WHEN kind = {placed} THEN seq END) AS placed_seq,
               min(CASE WHEN kind IN ({confirmed}, {released}, {expired}) THEN seq END)
                 AS resolved_seq,
               max(CASE WHEN kind IN ({placed}, {extended}) THEN expires_us END) AS due_us,
               {total CASE WHEN kind = {partly-confirmed} THEN quantity END} AS parts
        FROM journal WHERE kind {of a hold} GROUP BY hold_ordinal) h
  {lookup join} journal p ON p.seq = h.placed_seq AND p.at_us < p.expires_us
  LEFT JOIN journal r ON r.seq = h.resolved_seq AND r.seq > p.seq),
steps(seq, kind, at_us, place, tenant, resource, taken, capacity_change, rejection, asked) AS (
  SELECT seq, kind, at_us, seq, tenant, resource, 0, 0, rejection,
         coalesce(CASE rejection WHEN {capacity-in-use} THEN capacity ELSE quantity END, 0)
  FROM journal
  WHERE kind = {rejected} AND rejection IN ({resource-unavailable}, {capacity-in-use})
  UNION ALL
  SELECT placed_seq, {placed}, placed_us, placed_seq, tenant, resource, quantity, 0, NULL, NULL
  FROM lives
  UNION ALL
  SELECT NULL, NULL, CASE WHEN in_time THEN at_us ELSE due_us END,
         CASE WHEN in_time THEN seq ELSE 0 END, tenant, resource,
         CASE WHEN kind <> {confirmed} OR NOT in_time THEN 0
              WHEN last_part < rest THEN last_part ELSE rest END - rest,
         0, NULL, NULL
  FROM lives
  UNION ALL  -- wrong, but from here on it keeps its resource
  SELECT seq, kind, at_us, seq, tenant, resource,
         CASE WHEN last_part < rest THEN last_part ELSE rest END, 0, NULL, NULL
  FROM lives WHERE kind = {confirmed} AND NOT in_time
  UNION ALL
  SELECT NULL, NULL, c.at_us, c.seq, l.tenant, l.resource, -c.quantity, 0, NULL, NULL
  FROM (SELECT seq, at_us, hold_ordinal, quantity FROM journal
        WHERE kind = {cancelled} AND quantity BETWEEN 1 AND {quantity max}) c
  JOIN lives l ON l.ordinal = c.hold_ordinal
  UNION ALL
  SELECT seq, kind, at_us, seq, tenant, resource, 0,
         {minus coalesce(capacity, 0)
           | coalesce(lag(coalesce(capacity, 0)) OVER (PARTITION BY tenant, resource ORDER BY seq),
                      1)},
         NULL, NULL
  FROM journal WHERE kind = {declared})
SELECT seq, kind, at_us, tenant, resource, rejection, asked,
       {total taken} OVER sofar AS occupied, 1 + {total capacity_change} OVER sofar AS capacity
FROM steps
WINDOW sofar AS (PARTITION BY tenant, resource ORDER BY at_us, place ROWS UNBOUNDED PRECEDING);
)sql";

constexpr std::string_view commitment_views = R"sql(
-- PC-1: a hold is in exactly one state.
CREATE VIEW audit_pc_1 AS
SELECT s.seq, {hold s} AS hold, {say a.name | ' and ' | b.name | ' as well'} AS problem
FROM hold_steps s {lookup join} journal f ON f.seq = s.resolved_seq
LEFT JOIN kind_names a ON a.kind = f.kind
LEFT JOIN kind_names b ON b.kind = s.kind
WHERE s.kind IN ({confirmed}, {released}, {expired}) AND s.kind <> f.kind;

-- PC-2: a hold is held from placing until it is resolved.
CREATE VIEW audit_pc_2 AS
SELECT seq, {hold s} AS hold, 'changed, but no record before this one placed it' AS problem
FROM hold_steps s
WHERE kind NOT IN ({placed}, {rejected}) AND placed_seq IS NULL;

-- PC-3: confirmed, released and expired absorb: no other state follows them.
CREATE VIEW audit_pc_3 AS
SELECT seq, {hold s} AS hold, {say 'already resolved by record ' | resolved_seq} AS problem
FROM hold_steps s
WHERE kind NOT IN ({placed}, {cancelled}, {rejected}) AND resolved_seq < seq;

-- PC-4: a hold's id never changes.
CREATE VIEW audit_pc_4 AS
SELECT s.seq, {hold s} AS hold, {say 'placed as ' | {hold p}} AS problem
FROM hold_steps s {lookup join} journal p ON p.seq = s.placed_seq
WHERE s.kind <> {rejected} AND {differ s.hold_salt | p.hold_salt}
UNION ALL
SELECT seq, {hold j}, 'a hold was placed under something that is no id'
FROM journal j
WHERE kind = {placed}
  AND (hold_ordinal >= 1 AND hold_salt BETWEEN 0 AND 1152921504606846975) IS NOT TRUE;

-- PC-5: a hold's names and quantity never change, its expiry only to a later one, by an extension.
CREATE VIEW audit_pc_5 AS
SELECT s.seq, {hold s} AS hold, {say 'not as record ' | p.seq | ' placed it'} AS problem
FROM hold_steps s {lookup join} journal p ON p.seq = s.placed_seq
WHERE s.kind <> {rejected} AND s.seq <> p.seq
  AND ({differ s.tenant | p.tenant}
       OR {differ coalesce(s.resource, p.resource) | p.resource}
       OR {differ coalesce(s.requester, p.requester) | p.requester}
       OR (s.kind = {placed} AND {differ s.quantity | p.quantity})
       OR (s.kind <> {extended}
           AND {differ coalesce(s.expires_us, p.expires_us) | p.expires_us})
       OR (s.kind = {extended} AND (s.expires_us >= s.due_us) IS NOT TRUE));

-- PC-6: a hold is placed before it expires.
CREATE VIEW audit_pc_6 AS
SELECT seq, {hold j} AS hold,
       {say 'placed at ' | coalesce({time at_us}, '?')
          | ', to expire at ' | coalesce({time expires_us}, '?')}
         AS problem
FROM journal j
WHERE kind = {placed} AND (at_us < expires_us) IS NOT TRUE;

-- PC-7: no confirm, release or extension at or after the expiry, no expiry before it.
CREATE VIEW audit_pc_7 AS
SELECT seq, {hold s} AS hold,
       {say 'changed at ' | coalesce({time at_us}, '?')
          | ', expiry at ' | coalesce({time due_us}, '?')}
         AS problem
FROM hold_steps s
WHERE placed_seq IS NOT NULL AND kind NOT IN ({placed}, {cancelled}, {rejected})
  AND (at_us >= coalesce(due_us, 0)) <> (kind = {expired});

-- PC-8: instants are in order: nothing is resolved before it was placed.
CREATE VIEW audit_pc_8 AS
SELECT seq, {hold j} AS hold, {say 'recorded before ' | coalesce({time before_us}, '?')} AS problem
FROM (SELECT seq, at_us, hold_ordinal, hold_salt, lag(at_us) OVER (ORDER BY seq) AS before_us
      FROM journal) j
WHERE at_us < before_us
UNION ALL
SELECT s.seq, {hold s}, {say 'resolved before it was placed at ' | coalesce({time p.at_us}, '?')}
FROM hold_steps s {lookup join} journal p ON p.seq = s.placed_seq
WHERE s.kind IN ({confirmed}, {released}, {expired}) AND s.at_us < p.at_us
UNION ALL
SELECT seq, NULL, {say 'replayed first at ' | coalesce({time first_us}, '?')}
FROM journal WHERE kind = {replayed} AND first_us > at_us;

-- PC-9: an id is never used for a second hold.
CREATE VIEW audit_pc_9 AS
SELECT seq, {hold s} AS hold, {say 'already placed by record ' | placed_seq} AS problem
FROM hold_steps s WHERE kind = {placed} AND placed_seq < seq;

-- PC-10: records never vanish.
CREATE VIEW audit_pc_10 AS
SELECT seq, {hold j} AS hold, {say 'records are missing after record ' | before_seq} AS problem
FROM (SELECT seq, hold_ordinal, hold_salt, coalesce(lag(seq) OVER (ORDER BY seq), 0) AS before_seq
      FROM journal) j
WHERE {minus seq | 1} <> before_seq
UNION ALL
SELECT seq, {hold j}, {say 'what the record said is lost: there is no kind ' | kind}
FROM journal j WHERE kind NOT IN (SELECT kind FROM kind_traits)
UNION ALL
SELECT seq, NULL, 'what the record said is lost: it names no two windows'
FROM journal WHERE kind = {window-changed} AND seq NOT IN (SELECT seq FROM window_changes)
UNION ALL
SELECT c.seq, NULL, 'changes a window that was not the one in force: a change is missing'
FROM (SELECT seq, before_us, lag(window_us) OVER (ORDER BY seq) AS was_us FROM window_changes) c
LEFT JOIN meta d ON d.{meta name} = 'window_us'
LEFT JOIN meta b ON b.{meta name} = 'made_window_us'
WHERE c.before_us <> coalesce(c.was_us, b.{meta number}, d.{meta number})
UNION ALL
SELECT (SELECT max(seq) FROM journal), NULL, 'the window of the store is not that of its records'
FROM meta d
LEFT JOIN meta b ON b.{meta name} = 'made_window_us'
LEFT JOIN (SELECT max(seq) AS seq FROM window_changes) l ON l.seq IS NOT NULL
LEFT JOIN window_changes c ON c.seq = l.seq
WHERE d.{meta name} = 'window_us'
  AND d.{meta number} <> coalesce(c.window_us, b.{meta number}, d.{meta number});
)sql";

constexpr std::string_view duplicate_prevention_views = R"sql(
-- DP-1: a recorded token is seen within its window, and only a recorded one.
CREATE VIEW audit_dp_1 AS
SELECT seq, hold,
       {say 'its token was not seen, though record ' | first_seq | ' recorded it'} AS problem
FROM token_reuse
UNION ALL
SELECT seq, NULL, 'its token was seen, but the record referred to is not its outcome'
FROM token_repeats WHERE first_seq IS NULL
UNION ALL
SELECT seq, NULL, 'replayed not even once'
FROM journal WHERE kind = {replayed} AND coalesce(times, 0) < 1;

-- DP-2: at the end of its window, and after, a token is not seen.
CREATE VIEW audit_dp_2 AS
SELECT seq, NULL AS hold,
       {say 'its token was seen after the window of record ' | first_seq} AS problem
FROM token_repeats WHERE first_seq IS NOT NULL AND NOT within_window;

-- DP-3: a token is recorded once per window.
CREATE VIEW audit_dp_3 AS
SELECT seq, hold, {say 'its token was recorded within the window of record ' | first_seq} AS problem
FROM token_reuse;

-- DP-4: seeing a token changes nothing.
CREATE VIEW audit_dp_4 AS
SELECT seq, {hold j} AS hold, 'seeing a token left more behind than that' AS problem
FROM journal j
WHERE kind IN ({collided}, {replayed})
  AND (coalesce(hold_ordinal, hold_salt, quantity, capacity, expires_us) IS NOT NULL
       OR coalesce(resource, requester) IS NOT NULL
       OR {differ rejection | CASE kind WHEN {collided} THEN {token-collision} END});
)sql";

constexpr std::string_view composition_views = R"sql(
-- IR-1: same token, same parameters, within the window: same answer to a place.
CREATE VIEW audit_ir_1 AS
SELECT seq, NULL AS hold, 'replayed from a record that is not the outcome of its token' AS problem
FROM token_repeats
WHERE kind = {replayed} AND first_seq IS NULL
  AND coalesce(operation, 0) IN ({hold.place}, {group.place})
UNION ALL
SELECT seq, hold, {say 'another answer than record ' | first_seq | ' gave the same request'}
FROM token_reuse
WHERE coalesce(operation, 0) IN ({hold.place}, {group.place}) AND same_request AND NOT same_answer;

-- IR-2: likewise for every other operation.
CREATE VIEW audit_ir_2 AS
SELECT seq, NULL AS hold, 'replayed from a record that is not the outcome of its token' AS problem
FROM token_repeats
WHERE kind = {replayed} AND first_seq IS NULL
  AND coalesce(operation, 0) NOT IN ({hold.place}, {group.place})
UNION ALL
SELECT seq, hold, {say 'another answer than record ' | first_seq | ' gave the same request'}
FROM token_reuse
WHERE coalesce(operation, 0) NOT IN ({hold.place}, {group.place}) AND same_request
  AND NOT same_answer;

-- IR-3: a token is bound to at most one hold, or one group of holds, within its window.
CREATE VIEW audit_ir_3 AS
SELECT seq, hold,
       {say 'its token is bound to the hold of record ' | first_seq | ' as well'} AS problem
FROM token_reuse WHERE NOT no_hold AND hold_ordinal <> first_ordinal
UNION ALL
SELECT j.seq, {hold j}, {say 'a part of record ' | j.ref | ', which is not the outcome of its token'}
FROM journal j
LEFT JOIN journal o ON o.seq = j.ref AND o.kind {of groups} AND {same o.tenant | j.tenant}
                   AND o.token = j.token
WHERE j.ref > j.seq AND j.kind {of changes} AND o.seq IS NULL;

-- IR-4: a token is bound to one operation, one set of parameters and one principal.
CREATE VIEW audit_ir_4 AS
SELECT seq, hold, {say 'its token is bound to another request by record ' | first_seq} AS problem
FROM token_reuse WHERE NOT same_request
UNION ALL
SELECT seq, NULL,
       {say CASE kind WHEN {replayed} THEN 'replayed for a request other than that of record '
                      ELSE 'called a collision, but the request is that of record ' END | first_seq}
FROM token_repeats
WHERE first_seq IS NOT NULL AND same_request <> (kind = {replayed})
UNION ALL
SELECT seq, {hold j}, 'its token is bound to no parameters, or to an operation that it is not'
FROM journal j
WHERE token IS NOT NULL AND kind {of outcomes} AND (coalesce(ref, 0) < seq OR kind = {rejected})
  AND (coalesce({size digest}, 0) <> 32
       OR digest = {zero digest}
       OR operation IS NULL
       OR NOT EXISTS (SELECT 1 FROM operation_outcomes o
                      WHERE o.operation = j.operation AND o.kind = j.kind));

-- IR-6: Duplicate Prevention's invariants hold.
CREATE VIEW audit_ir_6 AS
SELECT seq, hold, {say 'DP-1: ' | problem} AS problem FROM audit_dp_1
UNION ALL SELECT seq, hold, {say 'DP-2: ' | problem} FROM audit_dp_2
UNION ALL SELECT seq, hold, {say 'DP-3: ' | problem} FROM audit_dp_3
UNION ALL SELECT seq, hold, {say 'DP-4: ' | problem} FROM audit_dp_4;

-- IR-7: outcome and guard of a token come and go together.
CREATE VIEW audit_ir_7 AS
SELECT seq, NULL AS hold,
       {say 'the outcome in record ' | first_seq | ' outlived its window'} AS problem
FROM token_repeats WHERE first_seq IS NOT NULL AND NOT within_window
UNION ALL
SELECT seq, {hold j}, CASE WHEN token IS NULL THEN 'an outcome was recorded without a token'
                                              ELSE 'the token was recorded without an outcome' END
FROM journal j
WHERE kind = {rejected}
  AND (token IS NULL OR coalesce(rejection, 0) NOT IN (SELECT rejection FROM rejection_names));

-- IR-8: one intended change takes effect once.
CREATE VIEW audit_ir_8 AS
SELECT seq, hold, {say 'its token had already taken effect in record ' | first_seq} AS problem
FROM token_reuse WHERE kind <> {rejected} AND first_kind <> {rejected}
UNION ALL
SELECT seq, {hold j}, 'done by a caller, but without a token'
FROM journal j
WHERE token IS NULL AND kind {of changes}
  AND NOT (kind {of sweeps} AND coalesce(operation, 0) = 0);
)sql";

constexpr std::string_view refusals_views = R"sql(
-- IR-5: Provisional Commitment's invariants hold, and its refusals were true.
CREATE VIEW audit_ir_5 AS
SELECT seq, {hold j} AS hold, 'placed or declared what cannot be' AS problem
FROM journal j
WHERE kind IN ({placed}, {declared})
  AND ({blank resource}
       OR {size resource} > {name bytes max}
       OR rejection IS NOT NULL
       OR (kind = {declared} AND (capacity BETWEEN 1 AND {quantity max}) IS NOT TRUE)
       OR (kind = {placed}
           AND ({blank requester}
                OR {size requester} > {name bytes max}
                OR (quantity BETWEEN 1 AND {quantity max}) IS NOT TRUE)))
UNION ALL
SELECT seq, {hold j}, 'this operation is never refused for that'
FROM journal j
WHERE kind = {rejected} AND rejection IS NOT NULL AND rejection <> {nonce-replay}
  AND NOT EXISTS (SELECT 1 FROM operation_refusals r
                  WHERE r.operation = coalesce(j.operation, 0) AND r.rejection = j.rejection)
UNION ALL
SELECT seq, NULL, 'refused, but there was room'
FROM resource_steps
WHERE kind = {rejected}
  AND CASE rejection WHEN {resource-unavailable} THEN occupied + asked <= capacity
                     ELSE occupied <= asked END
UNION ALL
SELECT s.seq, {hold s}, {say 'refused as ' | x.name | ', which was not so'}
FROM hold_steps s
LEFT JOIN journal p ON p.seq = s.placed_seq AND p.hold_salt = s.hold_salt
                   AND {same p.tenant | s.tenant}
LEFT JOIN rejection_names x ON x.rejection = s.rejection
WHERE s.kind = {rejected}
  AND CASE s.rejection
        WHEN {not-known} THEN p.seq IS NOT NULL
        WHEN {not-held} THEN p.seq IS NULL OR s.resolved_seq IS NULL
        WHEN {window-elapsed}
          THEN p.seq IS NULL OR s.resolved_seq IS NOT NULL OR s.at_us < s.due_us
        WHEN {window-not-elapsed}
          THEN p.seq IS NULL OR s.resolved_seq IS NOT NULL OR s.at_us >= s.due_us
        WHEN {lifetime-exceeded}
          THEN p.seq IS NULL OR s.resolved_seq IS NOT NULL OR s.at_us >= s.due_us
        WHEN {not-confirmed} THEN p.seq IS NULL
        WHEN {quantity-exceeded} THEN p.seq IS NULL
        ELSE FALSE END
UNION ALL
SELECT s.seq, {hold s}, {say 'refused as ' | x.name | ', which was not so'}
FROM hold_parts s
LEFT JOIN rejection_names x ON x.rejection = s.rejection
WHERE s.kind = {rejected}
  AND CASE s.rejection
        WHEN {not-confirmed} THEN s.confirmed > 0
        WHEN {quantity-exceeded}
          THEN s.quantity <= CASE s.operation WHEN {hold.cancel} THEN s.confirmed ELSE s.held END
        ELSE FALSE END
UNION ALL
SELECT seq, NULL, 'refused for a hold it does not name'
FROM journal
WHERE kind = {rejected} AND hold_ordinal IS NULL
  AND rejection IN ({not-held}, {window-elapsed}, {window-not-elapsed}, {not-confirmed},
                    {quantity-exceeded}, {lifetime-exceeded})
UNION ALL SELECT seq, hold, {say 'PC-1: ' | problem} FROM audit_pc_1
UNION ALL SELECT seq, hold, {say 'PC-2: ' | problem} FROM audit_pc_2
UNION ALL SELECT seq, hold, {say 'PC-3: ' | problem} FROM audit_pc_3
UNION ALL SELECT seq, hold, {say 'PC-4: ' | problem} FROM audit_pc_4
UNION ALL SELECT seq, hold, {say 'PC-5: ' | problem} FROM audit_pc_5
UNION ALL SELECT seq, hold, {say 'PC-6: ' | problem} FROM audit_pc_6
UNION ALL SELECT seq, hold, {say 'PC-7: ' | problem} FROM audit_pc_7
UNION ALL SELECT seq, hold, {say 'PC-8: ' | problem} FROM audit_pc_8
UNION ALL SELECT seq, hold, {say 'PC-9: ' | problem} FROM audit_pc_9
UNION ALL SELECT seq, hold, {say 'PC-10: ' | problem} FROM audit_pc_10;

-- CAP-1: at every instant, held (not lapsed) plus confirmed quantity is within the capacity.
CREATE VIEW audit_cap_1 AS
SELECT s.seq, {hold j} AS hold,
       {say {whole occupied} | ' held or confirmed of a capacity of ' | {whole s.capacity}}
         AS problem
FROM resource_steps s {lookup join} journal j ON j.seq = s.seq
WHERE s.kind IN ({placed}, {confirmed}, {declared}) AND occupied > s.capacity;

-- CAP-2: each part of a hold is confirmed once at most, and returned once at most.
CREATE VIEW audit_cap_2 AS
SELECT seq, {hold s} AS hold, 'returns a quantity that was not held any more' AS problem
FROM hold_steps s
WHERE kind IN ({released}, {expired}) AND (placed_seq IS NULL OR resolved_seq < seq)
UNION ALL
SELECT seq, {hold s}, 'confirms or cancels a quantity that was not there'
FROM hold_parts s
WHERE (kind = {partly-confirmed} AND (quantity >= 1 AND quantity < held) IS NOT TRUE)
   OR (kind = {confirmed} AND quantity IS NOT NULL AND held > 0
       AND (quantity >= 1 AND quantity <= held) IS NOT TRUE)
   OR (kind = {cancelled} AND (quantity >= 1 AND quantity <= confirmed) IS NOT TRUE);

-- NG-1: a nonce is spent by one call while it is remembered, and refused only then.
CREATE VIEW audit_ng_1 AS
SELECT j.seq, {hold j} AS hold, {say 'its nonce was spent by record ' | f.seq} AS problem
FROM (SELECT seq, lag(seq) OVER (PARTITION BY tenant, nonce ORDER BY seq) AS first_seq
      FROM journal WHERE nonce IS NOT NULL AND token IS NOT NULL
                     AND kind {of outcomes}) u
{lookup join} journal f ON f.seq = u.first_seq
{lookup join} journal j ON j.seq = u.seq
LEFT JOIN token_periods w ON {period w | f | j}
WHERE {seen w | f | j.at_us}
UNION ALL
SELECT r.seq, NULL, {say 'refused for a nonce that record ' | coalesce(r.ref, 0) | ' had not spent'}
FROM journal r
LEFT JOIN journal s ON s.seq = r.ref AND s.seq < r.seq AND s.nonce IS NOT NULL
                   AND {same s.tenant | r.tenant}
LEFT JOIN token_periods w ON {period w | s | r}
WHERE r.kind = {rejected} AND r.rejection = {nonce-replay}
  AND (s.seq IS NULL OR NOT {seen w | s | r.at_us});
)sql";

}  // namespace

std::string audit_views_sql() {
  std::string sql;
  for (const std::string_view part : {shared_views, commitment_views, duplicate_prevention_views,
                                      composition_views, refusals_views}) {
    sql += part;
  }
  return sql;
}

}  // namespace holdfast
