#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"

namespace holdfast::cli {

struct Cell {
  std::string text;
  Colour colour = Colour::plain;
};

struct Column {
  std::string_view title{};  ///< a table whose columns have none has no row of titles
  bool right = false;        ///< numbers line up on the right
};

/// Rows in aligned columns. Cells are made printable here, so names can be given as they are. A
/// long list may be printed in parts: the titles come once, and columns only grow wider.
class Table {
 public:
  explicit Table(std::vector<Column> columns, std::string_view indent = {});
  void add(std::vector<Cell> row);
  /// Prints what was added since the last time.
  void print(Output& out);

 private:
  [[nodiscard]] std::string laid_out(const std::vector<Cell>& row, const Output& out) const;

  std::vector<Column> columns_;
  std::string indent_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace holdfast::cli
