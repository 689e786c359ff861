// What a store's database shows to people with the database's own tools and nothing else.

#include "store/views.hpp"

#include <fmt/format.h>

#include <string_view>

#include "domain/digest.hpp"
#include "domain/module.hpp"
#include "domain/record_layout.hpp"
#include "store/sql_words.hpp"

namespace holdfast {
namespace {

constexpr std::string_view windows_view = R"sql(
CREATE VIEW token_windows AS
SELECT o.operation, o.name, m.{meta number} AS window_us,  -- NULL: for ever
       CASE WHEN p.{meta name} IS NULL AND m.{meta number} = d.{meta number} THEN 1 ELSE 0 END
         AS follows  -- the store's window, when that is changed
FROM operation_names o
LEFT JOIN meta m ON m.{meta name} = {say 'window_us.' | o.name}
LEFT JOIN meta d ON d.{meta name} = 'window_us'
LEFT JOIN meta p ON p.{meta name} = {say 'own_window.' | o.name}
WHERE o.operation <> 0;

-- Each change of the store's window. Tokens that were recorded up to `forgotten_us` were forgotten.
CREATE VIEW window_changes AS
SELECT seq, at_us, before_us, window_us,
       {minus at_us | CASE WHEN before_us < window_us THEN before_us ELSE window_us END}
         AS forgotten_us
FROM (SELECT seq, at_us, {detail number detail | before_us} AS before_us,
             {detail number detail | window_us} AS window_us
      FROM journal WHERE kind = {window-changed}) c
WHERE before_us >= 1 AND window_us >= 1;

-- How long tokens of an operation were recognised by the records after `from_seq`, up to `to_seq`.
CREATE VIEW token_periods AS
SELECT o.operation, p.from_seq, CASE WHEN o.follows = 1 THEN p.to_seq END AS to_seq,
       CASE WHEN o.follows = 1 THEN coalesce(p.window_us, b.{meta number}, o.window_us)
            ELSE o.window_us END AS window_us,
       p.forgotten_us
FROM token_windows o
LEFT JOIN meta b ON b.{meta name} = 'made_window_us'
JOIN (SELECT 0 AS from_seq, min(seq) AS to_seq, NULL AS window_us, NULL AS forgotten_us
      FROM window_changes
      UNION ALL
      SELECT seq, lead(seq) OVER (ORDER BY seq), window_us,
             max(forgotten_us) OVER (ORDER BY seq)
      FROM window_changes) p ON p.from_seq = 0 OR o.follows = 1;
)sql";

/// A column of the journal as people read it.
std::string in_words(const layout::Column& column, std::string_view shown_as) {
  switch (column.type) {
    case layout::Type::code:
      return fmt::format("{0}_names.name AS {0}", column.name);
    case layout::Type::instant:
      return fmt::format("{{time j.{}}} AS {}", column.name, shown_as);
    case layout::Type::name:
    case layout::Type::opaque:
    case layout::Type::json:
      return fmt::format("{{text j.{0}}} AS {0}", column.name);
    case layout::Type::digest:
      return fmt::format("{{hex j.{0}}} AS {0}", column.name);
    default:
      return fmt::format("j.{}", column.name);
  }
}

/// Every record. At the end are its instants as numbers.
std::string records_view() {
  std::string select;
  std::string instants;
  layout::for_each_member([&](auto at) {
    constexpr const auto& entry = layout::entry<at()>;
    const layout::Column& column = entry.columns[0];
    const bool hold = entry.leaf.form == layout::Form::hold;
    select += hold ? "{hold j} AS hold" : in_words(column, entry.leaf.name);
    if (column.name == "token") select += ", {hex j.token} AS token_hex";
    select += ",\n       ";
    if (column.type == layout::Type::instant)
      instants += fmt::format("{}j.{}", instants.empty() ? "" : ", ", column.name);
  });
  return "\nCREATE VIEW records AS\nSELECT " + select + instants + R"sql(
FROM journal j
LEFT JOIN kind_names ON kind_names.kind = j.kind
LEFT JOIN operation_names ON operation_names.operation = coalesce(j.operation, 0)
LEFT JOIN rejection_names ON rejection_names.rejection = j.rejection
LEFT JOIN reason_names ON reason_names.reason = j.reason AND j.reason <> 0;
)sql";
}

constexpr std::string_view reading_views = R"sql(
-- A hold as it stands: as it was placed, the first record that resolved it, and what changed it.
CREATE VIEW holds AS
SELECT {hold p} AS id, {text p.tenant} AS tenant, {text p.resource} AS resource,
       {text p.requester} AS requester, p.quantity,
       coalesce(k.name, 'held') AS state,
       {time p.at_us} AS placed_at, {time f.due_us} AS expires_at,
       CASE r.kind WHEN {confirmed} THEN {time r.at_us} END AS confirmed_at,
       CASE r.kind WHEN {released} THEN {time r.at_us} END AS released_at,
       CASE r.kind WHEN {expired} THEN {time r.at_us} END AS expired_at,
       {text p.token} AS token, {hex p.token} AS token_hex,
       p.at_us AS placed_us, f.due_us AS expires_us,
       CASE r.kind WHEN {confirmed} THEN r.at_us END AS confirmed_us,
       CASE r.kind WHEN {released} THEN r.at_us END AS released_us,
       CASE r.kind WHEN {expired} THEN r.at_us END AS expired_us,
       p.hold_ordinal AS ordinal, p.seq AS placed_seq, r.seq AS resolved_seq,
       {whole coalesce(f.parts, 0)
          + CASE WHEN r.kind = {confirmed}
                 THEN coalesce(r.quantity, p.quantity - coalesce(f.parts, 0)) ELSE 0 END}
         AS quantity_confirmed,
       {whole coalesce(f.cancelled, 0)} AS quantity_cancelled
FROM journal p
LEFT JOIN (SELECT hold_ordinal,
                  min(CASE WHEN kind IN ({confirmed}, {released}, {expired}) THEN seq END) AS seq,
                  max(CASE WHEN kind IN ({placed}, {extended}) THEN expires_us END) AS due_us,
                  {total CASE WHEN kind = {partly-confirmed} THEN quantity END} AS parts,
                  {total CASE WHEN kind = {cancelled} THEN quantity END} AS cancelled
           FROM journal WHERE kind {of a hold} GROUP BY hold_ordinal) f
       ON f.hold_ordinal = p.hold_ordinal
LEFT JOIN journal r ON r.seq = f.seq
LEFT JOIN kind_names k ON k.kind = r.kind
WHERE p.kind = {placed};

-- Every recording of every token, also of those that are forgotten by now.
CREATE VIEW token_results AS
SELECT tenant, token, token_hex, principal, operation, digest, outcome, reason, hold,
       recorded_at, {time expires_us} AS expires_at, recorded_us, expires_us, seq
FROM (SELECT {text j.tenant} AS tenant, {text j.token} AS token, {hex j.token} AS token_hex,
             {text j.principal} AS principal, o.name AS operation, {hex j.digest} AS digest,
             CASE WHEN j.kind = {rejected} THEN x.name ELSE 'ok' END AS outcome,
             y.name AS reason,
             CASE WHEN {differ j.rejection | {not-known}} THEN {hold j} END AS hold,
             {time j.at_us} AS recorded_at, j.at_us AS recorded_us,
             CASE WHEN j.operation {of own windows} THEN j.expires_us
                  WHEN w.follows = 0 OR c.seq IS NULL THEN {plus j.at_us | w.window_us}
                  WHEN {plus j.at_us | c.before_us} < c.at_us THEN {plus j.at_us | c.before_us}
                  ELSE c.at_us END AS expires_us, j.seq
      FROM journal j
      LEFT JOIN operation_names o ON o.operation = coalesce(j.operation, 0)
      LEFT JOIN rejection_names x ON x.rejection = j.rejection
      LEFT JOIN reason_names y ON y.reason = j.reason AND j.reason <> 0
      LEFT JOIN token_windows w ON w.operation = j.operation
      LEFT JOIN (SELECT t.seq, min(x.seq) AS ended_seq
                 FROM journal t JOIN window_changes x
                   ON x.seq > t.seq AND x.forgotten_us >= t.at_us
                 GROUP BY t.seq) e ON e.seq = j.seq
      LEFT JOIN window_changes c ON c.seq = e.ended_seq
      WHERE j.token IS NOT NULL AND j.kind {of outcomes}
        AND (coalesce(j.ref, 0) < j.seq OR j.kind = {rejected})) t;

-- As of the last record: what had lapsed by then is not in use.
CREATE VIEW resources AS
SELECT {text r.tenant} AS tenant, {text r.resource} AS name, coalesce(d.capacity, 1) AS capacity,
       r.in_use, r.declared_seq IS NOT NULL AS declared
FROM (SELECT tenant, resource, max(declared_seq) AS declared_seq, sum(quantity) AS in_use
      FROM (SELECT tenant, resource, seq AS declared_seq, 0 AS quantity
            FROM journal WHERE kind = {declared}
            UNION ALL
            SELECT p.tenant, p.resource, NULL,
                   CASE WHEN h.state = 'held'
                          AND h.expires_us
                              > (SELECT at_us FROM journal ORDER BY seq DESC LIMIT 1)
                        THEN h.quantity ELSE h.quantity_confirmed END - h.quantity_cancelled
            FROM holds h {lookup join} journal p ON p.seq = h.placed_seq) u
      GROUP BY tenant, resource) r
LEFT JOIN journal d ON d.seq = r.declared_seq;
)sql";

/// At the ends of lines; there are no semicolons at the ends of comments.
std::vector<std::string> split(const std::string& script) {
  constexpr std::string_view end_mark = ";\n";
  std::vector<std::string> statements;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = script.find(end_mark, from)) != std::string::npos;) {
    statements.push_back(script.substr(from, end + end_mark.size() - from));
    from = end + end_mark.size();
  }
  return statements;
}

}  // namespace

std::string views_sql(Dialect dialect) {
  std::string sql =
      std::string(windows_view) + records_view() + std::string(reading_views) + audit_views_sql();
  for (const Module* each : modules()) sql += each->views;
  return name_views_sql() + with_words(dialect, sql);
}

std::vector<std::string> view_statements(Dialect dialect) { return split(views_sql(dialect)); }

std::string views_mark(Dialect dialect) { return sha256(views_sql(dialect)).hex(); }

std::vector<std::string> view_names() {
  constexpr std::string_view create = "CREATE VIEW ";
  std::vector<std::string> names;
  for (const std::string& each : view_statements(Dialect::sqlite)) {
    const std::size_t at = each.find(create) + create.size();
    names.push_back(each.substr(at, each.find_first_of(" (\n", at) - at));
  }
  return names;
}

}  // namespace holdfast
