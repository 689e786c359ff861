#include "store/sqlite/sql_words.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/assert.hpp"
#include "domain/record.hpp"

namespace holdfast::sqlite {
namespace {

constexpr int kind_count = 8;

static_assert(!name(static_cast<RecordKind>(kind_count)).empty() &&
              name(static_cast<RecordKind>(kind_count + 1)).empty());

std::optional<int> number_of(std::string_view word) {
  for (int i = 1; i <= kind_count; ++i) {
    if (name(static_cast<RecordKind>(i)) == word) return i;
  }
  if (const auto operation = operation_named(word)) return static_cast<int>(*operation);
  for (const RejectionRow& row : rejection_table) {
    if (row.name == word) return static_cast<int>(row.id);
  }
  return std::nullopt;
}

/// Seconds are rounded down, also before 1970, so that the fraction is never negative.
std::string time_sql(std::string_view column) {
  return fmt::format(
      "strftime('%Y-%m-%dT%H:%M:%S', ({0} - ({0} % 1000000 + 1000000) % 1000000) / 1000000, "
      "'unixepoch') || printf('.%06dZ', ({0} % 1000000 + 1000000) % 1000000)",
      column);
}

std::string hold_sql(std::string_view row) {
  return fmt::format(
      "CASE WHEN {0}.hold_ordinal <> 0 "
      "THEN printf('h%x-%015x', {0}.hold_ordinal, {0}.hold_salt) END",
      row);
}

std::string expand(std::string_view word) {
  if (word == "quantity max") return std::to_string(quantity_max);
  if (word == "name bytes max") return std::to_string(name_bytes_max);
  if (word.starts_with("time ")) return time_sql(word.substr(5));
  if (word.starts_with("hold ")) return hold_sql(word.substr(5));
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

class NameView {
 public:
  NameView(std::string_view view, std::string_view columns)
      : sql_(fmt::format("CREATE VIEW {}({}) AS VALUES\n  ", view, columns)) {}

  template <typename Id>
  void row(Id id, std::string_view name) {
    const int number = static_cast<int>(id);
    sql_ += fmt::format("{}({}, {})", first_ ? "" : ",\n  ", number, literal(name));
    first_ = false;
  }
  [[nodiscard]] std::string sql() const { return sql_ + ";\n"; }

 private:
  std::string sql_;
  bool first_ = true;
};

}  // namespace

std::string with_words(std::string_view sql) {
  std::string out;
  while (true) {
    const std::size_t open = sql.find('{');
    out += sql.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = sql.find('}', open);
    HOLDFAST_ASSERT(close != std::string_view::npos);
    out += expand(sql.substr(open + 1, close - open - 1));
    sql.remove_prefix(close + 1);
  }
}

std::string name_views_sql() {
  NameView kinds("kind_names", "kind, name");
  for (int i = 1; i <= kind_count; ++i) kinds.row(i, name(static_cast<RecordKind>(i)));

  NameView operations("operation_names", "operation, name");
  operations.row(Operation::none, name(Operation::none));
  for (const OperationRow& row : operation_table) operations.row(row.id, row.name);

  NameView rejections("rejection_names", "rejection, name");
  for (const RejectionRow& row : rejection_table) rejections.row(row.id, row.name);

  NameView reasons("reason_names", "reason, name");
  for (const ReasonRow& row : reason_table) reasons.row(row.id, row.text);

  return kinds.sql() + operations.sql() + rejections.sql() + reasons.sql();
}

}  // namespace holdfast::sqlite
