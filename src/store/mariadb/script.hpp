#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/clock.hpp"

/// SQL as it is written here: as text, several statements at once, each with many rows, because
/// what takes time is the way to the server and back.
namespace holdfast::mariadb {

class Row;

/// One row of literals: `1,x'6d61',NULL`. Bytes are written as hexadecimal digits, so that there is
/// nothing to escape.
class Values {
 public:
  explicit Values(std::string& sql) : sql_(sql) {}

  Values& number(std::int64_t value);
  Values& number(std::uint64_t value) { return number(static_cast<std::int64_t>(value)); }
  Values& instant(Instant value) { return number(value.time_since_epoch().count()); }
  Values& bytes(std::string_view value);
  Values& null();

  /// NULL for what is zero, or empty.
  Values& number_or_null(std::int64_t value) { return value == 0 ? null() : number(value); }
  Values& bytes_or_null(std::string_view value) { return value.empty() ? null() : bytes(value); }

 private:
  void next();

  std::string& sql_;
  bool first_ = true;
};

/// Bytes as a literal.
[[nodiscard]] std::string literal(std::string_view bytes);

/// A statement around many rows: `INSERT INTO t VALUES` (…),(…) `ON DUPLICATE KEY …`.
struct Frame {
  std::string_view before;
  std::string_view after;
  std::uint64_t count_each = 1;  ///< what the server counts for a row that was changed as it should
};

/// Statements for one trip to the server, or as few as they fit in.
class Script {
 public:
  using Take = std::function<void(const Row&)>;

  struct Statement {
    std::string sql;
    std::optional<std::uint64_t> changes{};  ///< how many rows it has to change
    Take take{};                             ///< is given every row it reads
  };

  void run(std::string sql) { statements_.push_back({std::move(sql)}); }
  void change(std::string sql, std::uint64_t rows) {
    statements_.push_back({std::move(sql), rows});
  }
  void read(std::string sql, Take take) {
    statements_.push_back({std::move(sql), std::nullopt, std::move(take)});
  }

  /// A row for each item, written by `write(values, item)`: in several statements, if one would
  /// be too long. Nothing at all if there are no items.
  template <typename Items, typename Write>
  void run_rows(const Frame& frame, const Items& items, Write write) {
    in_pieces(frame, items, write, [&](std::string sql, std::uint64_t) { run(std::move(sql)); });
  }
  /// Each of which has to change exactly one row in the database.
  template <typename Items, typename Write>
  void change_rows(const Frame& frame, const Items& items, Write write) {
    in_pieces(frame, items, write, [&](std::string sql, std::uint64_t rows) {
      change(std::move(sql), rows * frame.count_each);
    });
  }
  template <typename Items, typename Write>
  void read_rows(const Frame& frame, const Items& items, Write write, const Take& take) {
    in_pieces(frame, items, write,
              [&](std::string sql, std::uint64_t) { read(std::move(sql), take); });
  }

  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }

 private:
  static constexpr std::size_t statement_bytes_max = 256 << 10;

  template <typename Items, typename Write, typename Finish>
  static void in_pieces(const Frame& frame, const Items& items, Write write, Finish finish) {
    std::string sql;
    std::uint64_t rows = 0;
    const auto end_piece = [&] {
      sql += frame.after;
      finish(std::move(sql), std::exchange(rows, 0));
      sql.clear();
    };
    for (const auto& item : items) {
      sql += rows == 0 ? frame.before : ",";
      sql += '(';
      Values values(sql);
      write(values, item);
      sql += ')';
      ++rows;
      if (sql.size() >= statement_bytes_max) end_piece();
    }
    if (rows > 0) end_piece();
  }

  std::vector<Statement> statements_;
};

}  // namespace holdfast::mariadb
