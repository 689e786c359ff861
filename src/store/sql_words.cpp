#include "store/sql_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/assert.hpp"
#include "domain/kind.hpp"
#include "domain/operation.hpp"

namespace holdfast {
namespace {

std::optional<int> number_of(std::string_view word) {
  for (const KindRow* each : kinds()) {
    if (each->name == word) return static_cast<int>(each->kind);
  }
  if (const auto operation = operation_named(word)) return static_cast<int>(*operation);
  for (const RejectionRow& row : rejection_table) {
    if (row.name == word) return static_cast<int>(row.id);
  }
  return std::nullopt;
}

/// A word in each dialect; $1 and $2 are what follows it.
struct Word {
  std::string_view name;
  std::string_view sqlite;
  std::string_view postgres;
  std::string_view mariadb;
};

constexpr std::string_view period =
    "$1.operation = $2.operation AND $1.from_seq < $3.seq "
    "AND ($1.to_seq IS NULL OR $3.seq <= $1.to_seq)";

constexpr std::string_view seen =
    "CASE WHEN $2.operation {of own windows} THEN ($2.expires_us IS NULL OR $3 < $2.expires_us) "
    "ELSE {within $1 | $2.at_us | $3} END";

/// In MariaDB a text carries the collation it is compared by, and without one of its own that is
/// the session's, which may not care for case or white space.
constexpr std::array words{
    // Seconds are rounded down, also before 1970, so that the fraction is never negative. Instants
    // that have no such text are NULL: a journal may hold any number.
    Word{
        "time",
        "strftime('%Y-%m-%dT%H:%M:%S', ($1 - ($1 % 1000000 + 1000000) % 1000000) / 1000000, "
        "'unixepoch') || printf('.%06dZ', ($1 % 1000000 + 1000000) % 1000000)",
        "CASE WHEN $1 BETWEEN -62135596800000000 AND 253402300799999999 "
        "THEN to_char(timestamp 'epoch' + "
        "make_interval(days => ($1::bigint / 86400000000)::integer, "
        "secs => ($1::bigint % 86400000000) / 1000000.0), 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') END",
        "CONVERT(date_format(timestamp '1970-01-01 00:00:00' + INTERVAL $1 MICROSECOND, "
        "'%Y-%m-%dT%H:%i:%s.%fZ') USING utf8mb4) COLLATE utf8mb4_nopad_bin"},
    Word{"hold",
         "CASE WHEN $1.hold_ordinal <> 0 "
         "THEN printf('h%x-%015x', $1.hold_ordinal, $1.hold_salt) END",
         "CASE WHEN $1.hold_ordinal <> 0 THEN 'h' || to_hex($1.hold_ordinal) || '-' || "
         "lpad(to_hex(coalesce($1.hold_salt, 0)), "
         "greatest(15, length(to_hex($1.hold_salt))), '0') END",
         "CASE WHEN $1.hold_ordinal <> 0 THEN CONVERT(lower(concat('h', hex($1.hold_ordinal), '-', "
         "lpad(hex(coalesce($1.hold_salt, 0)), "
         "greatest(15, length(hex(coalesce($1.hold_salt, 0)))), '0'))) USING utf8mb4) "
         "COLLATE utf8mb4_nopad_bin END"},
    // PostgreSQL refuses to convert what is no UTF-8, so that is looked at first, in hexadecimal.
    Word{"text", "CAST($1 AS TEXT)",
         "CASE WHEN encode($1, 'hex') ~ '^(?:0[1-9a-f]|[1-7][0-9a-f]|(?:c[2-9a-f]|d[0-9a-f]|"
         "e0[ab][0-9a-f]|e[1-9a-cef][89ab][0-9a-f]|ed[89][0-9a-f]|f0[9ab][0-9a-f][89ab][0-9a-f]|"
         "f[1-3][89ab][0-9a-f][89ab][0-9a-f]|f48[0-9a-f][89ab][0-9a-f])[89ab][0-9a-f])*$' "
         "THEN convert_from($1, 'UTF8') ELSE encode($1, 'escape') END",
         "CONVERT($1 USING utf8mb4) COLLATE utf8mb4_nopad_bin"},
    Word{"hex", "lower(hex($1))", "coalesce(encode($1, 'hex'), '')",
         "coalesce(lower(hex($1)), '')"},
    Word{"size", "length(CAST($1 AS BLOB))", "length($1)", "length($1)"},
    Word{"blank", "(coalesce(trim($1, char(32, 9, 10, 11, 12, 13)), '') = '')",
         "(coalesce(length(btrim($1, decode('20090a0b0c0d', 'hex'))), 0) = 0)",
         "(CONVERT(coalesce(hex($1), '') USING utf8mb4) COLLATE utf8mb4_nopad_bin "
         "REGEXP '^(20|09|0A|0B|0C|0D)*$')"},
    Word{"same", "($1 IS $2)", "($1 IS NOT DISTINCT FROM $2)", "($1 <=> $2)"},
    Word{"differ", "($1 IS NOT $2)", "($1 IS DISTINCT FROM $2)", "(NOT ($1 <=> $2))"},
    // The others refuse a result that is no 64-bit number, where SQLite goes on with a float.
    // Of canonical JSON, a member that is a text, or a number. Nothing that is not one makes them
    // fail. A text is what another is compared with: PostgreSQL leaves the escapes in it.
    Word{"detail text",
         "CASE WHEN json_valid(CAST($1 AS TEXT)) THEN json_extract(CAST($1 AS TEXT), '$.$2') END",
         "substring({text $1} from '[\\x7b,]\"$2\":\"((?:[^\"\\\\]|\\\\.)*)\"')",
         "CONVERT(json_value(CONVERT($1 USING utf8mb4), '$.$2') USING utf8mb4) "
         "COLLATE utf8mb4_nopad_bin"},
    Word{"detail number",
         "CASE WHEN json_valid(CAST($1 AS TEXT)) "
         "THEN CAST(json_extract(CAST($1 AS TEXT), '$.$2') AS INTEGER) END",
         "CAST(substring({text $1} from '[\\x7b,]\"$2\":\"?(-?[0-9]+)') AS numeric)",
         "CAST(json_value(CONVERT($1 USING utf8mb4), '$.$2') AS DECIMAL(20))"},
    Word{"plus", "($1 + $2)", "(CAST($1 AS numeric) + $2)", "(CAST($1 AS DECIMAL(20)) + $2)"},
    Word{"minus", "($1 - $2)", "(CAST($1 AS numeric) - $2)", "(CAST($1 AS DECIMAL(20)) - $2)"},
    // Which window counts for a token of record $2 when record $3 is made; whether it is seen then.
    Word{"period", period, period, period},
    // The same of any token: one of an operation with windows of their own says itself.
    Word{"seen", seen, seen, seen},
    Word{"within",
         "(($1.window_us IS NULL OR $3 - $2 < $1.window_us) "
         "AND ($1.forgotten_us IS NULL OR $2 > $1.forgotten_us))",
         "(($1.window_us IS NULL OR CAST($3 AS numeric) - $2 < $1.window_us) "
         "AND ($1.forgotten_us IS NULL OR $2 > $1.forgotten_us))",
         "(($1.window_us IS NULL OR CAST($3 AS DECIMAL(20)) - $2 < $1.window_us) "
         "AND ($1.forgotten_us IS NULL OR $2 > $1.forgotten_us))"},
    Word{"total", "total($1)", "sum($1)", "sum($1)"},
    Word{"whole", "CAST($1 AS INTEGER)", "$1", "$1"},
    Word{"lookup join", "CROSS JOIN", "JOIN", "STRAIGHT_JOIN"},
    Word{"materialized", "MATERIALIZED", "MATERIALIZED", ""},
    Word{"zero digest", "zeroblob(32)", "decode(repeat('00', 32), 'hex')",
         "unhex(repeat('00', 32))"},
    Word{"of a hold", "IN (SELECT kind FROM kind_traits WHERE subject = 'hold')",
         "IN (SELECT kind FROM kind_traits WHERE subject = 'hold')",
         "IN (SELECT kind FROM kind_traits WHERE subject = 'hold')"},
    Word{"of groups", "IN (SELECT kind FROM kind_traits WHERE subject = 'group')",
         "IN (SELECT kind FROM kind_traits WHERE subject = 'group')",
         "IN (SELECT kind FROM kind_traits WHERE subject = 'group')"},
    Word{"of outcomes", "IN (SELECT kind FROM kind_traits WHERE binds = 1)",
         "IN (SELECT kind FROM kind_traits WHERE binds = 1)",
         "IN (SELECT kind FROM kind_traits WHERE binds = 1)"},
    Word{"of changes", "IN (SELECT kind FROM kind_traits WHERE changes = 1)",
         "IN (SELECT kind FROM kind_traits WHERE changes = 1)",
         "IN (SELECT kind FROM kind_traits WHERE changes = 1)"},
    Word{"meta name", "key", "name", "name"},
    Word{"meta number", "value", "number", "number"},
};

std::string_view spelt(const Word& word, Dialect dialect) {
  switch (dialect) {
    case Dialect::postgres:
      return word.postgres;
    case Dialect::mariadb:
      return word.mariadb;
    default:
      return word.sqlite;
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \n";
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

/// What stands between single bars.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t bar = text.find(" | ");
    parts.push_back(trimmed(text.substr(0, bar)));
    if (bar == std::string_view::npos) return parts;
    text.remove_prefix(bar + 3);
  }
}

std::string with_arguments(std::string_view text, const std::vector<std::string_view>& arguments) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size() || text[i + 1] < '1' || text[i + 1] > '9') {
      out += text[i];
    } else {
      out += arguments.at(static_cast<std::size_t>(text[++i] - '1'));
    }
  }
  return out;
}

std::string say(Dialect dialect, const std::vector<std::string_view>& parts) {
  return dialect == Dialect::mariadb ? fmt::format("concat({})", fmt::join(parts, ", "))
                                     : fmt::format("({})", fmt::join(parts, " || "));
}

/// Among the kinds that the engine makes records of by itself.
std::string of_sweeps() {
  std::string numbers;
  for (const KindRow* each : kinds()) {
    if (each->swept)
      numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", static_cast<int>(each->kind));
  }
  return fmt::format("IN ({})", numbers);
}

/// Among the operations whose tokens say themselves when they are forgotten; 0 is none.
std::string of_own_windows() {
  std::string numbers = "0";
  for (const OperationRow& each : operations()) {
    if (spec_of(each.id).own_window) numbers += fmt::format(", {}", static_cast<int>(each.id));
  }
  return fmt::format("IN ({})", numbers);
}

std::string expand(Dialect dialect, std::string_view word) {
  if (word == "of sweeps") return of_sweeps();
  if (word == "of own windows") return of_own_windows();
  if (word == "quantity max") return std::to_string(quantity_max);
  if (word == "name bytes max") return std::to_string(name_bytes_max);
  if (word.starts_with("say ")) return say(dialect, parts_of(word.substr(4)));
  for (const Word& each : words) {
    if (word == each.name) return std::string(spelt(each, dialect));
    if (!word.starts_with(each.name) || word[each.name.size()] != ' ') continue;
    return with_arguments(spelt(each, dialect), parts_of(word.substr(each.name.size() + 1)));
  }
  const std::optional<int> number = number_of(word);
  HOLDFAST_ASSERT(number.has_value());
  return std::to_string(*number);
}

/// Single quotes doubled: a text of the tables as SQL.
std::string literal(std::string_view text) {
  std::string out = "'";
  for (const char each : text) {
    out += each;
    if (each == '\'') out += each;
  }
  return out + "'";
}

/// A view of nothing but constants: a table that this program has, as SQL.
class ConstantView {
 public:
  ConstantView(std::string_view view, std::vector<std::string_view> columns)
      : sql_(fmt::format("CREATE VIEW {} AS\n", view)), columns_(std::move(columns)) {}

  /// A value for each column.
  void row(const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      sql_ += i > 0 ? ", " : first_ ? "SELECT " : "\nUNION ALL SELECT ";
      sql_ += first_ ? fmt::format("{} AS {}", values.at(i), columns_[i]) : values.at(i);
    }
    first_ = false;
  }
  [[nodiscard]] std::string sql() const { return sql_ + ";\n"; }

 private:
  std::string sql_;
  std::vector<std::string_view> columns_;
  bool first_ = true;
};

template <typename Id>
std::string number(Id id) {
  return std::to_string(static_cast<int>(id));
}

/// What each kind of record is; `kind_names` says only what it is called.
std::string kind_views() {
  ConstantView traits("kind_traits", {"kind", "name", "subject", "binds", "changes", "event"});
  for (const KindRow* each : kinds()) {
    traits.row({number(each->kind), literal(each->name), literal(each->subject),
                number(each->outcome), number(each->changes()), literal(each->event)});
  }
  return traits.sql() + "CREATE VIEW kind_names AS\nSELECT kind, name FROM kind_traits;\n";
}

/// What each operation can end in.
std::string operation_views() {
  ConstantView names("operation_names", {"operation", "name"});
  ConstantView outcomes("operation_outcomes", {"operation", "kind"});
  ConstantView refusals("operation_refusals", {"operation", "rejection"});
  names.row({number(Operation::none), literal(name(Operation::none))});
  for (const OperationRow& row : operations()) {
    const OperationSpec& spec = spec_of(row.id);
    names.row({number(row.id), literal(row.name)});
    outcomes.row({number(row.id), number(spec.done)});
    for (const RecordKind each : spec.done_also) outcomes.row({number(row.id), number(each)});
    outcomes.row({number(row.id), number(RecordKind::rejected)});
    for (const Rejection each : spec.refusals) refusals.row({number(row.id), number(each)});
  }
  return names.sql() + outcomes.sql() + refusals.sql();
}

}  // namespace

std::string with_words(Dialect dialect, std::string_view sql) {
  std::string out(sql);
  // The word that is closed first has no other inside it.
  for (std::size_t close = out.find('}'); close != std::string::npos; close = out.find('}')) {
    const std::size_t open = out.rfind('{', close);
    HOLDFAST_ASSERT(open != std::string::npos);
    const std::string word = out.substr(open + 1, close - open - 1);
    out.replace(open, close - open + 1, expand(dialect, word));
  }
  return out;
}

std::string name_views_sql() {
  ConstantView rejections("rejection_names", {"rejection", "name"});
  for (const RejectionRow& row : rejection_table) {
    rejections.row({number(row.id), literal(row.name)});
  }
  ConstantView reasons("reason_names", {"reason", "name"});
  for (const ReasonRow& row : reason_table) reasons.row({number(row.id), literal(row.text)});
  return kind_views() + operation_views() + rejections.sql() + reasons.sql();
}

}  // namespace holdfast
