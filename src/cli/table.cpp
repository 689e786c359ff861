#include "cli/table.hpp"

#include <algorithm>

#include "cli/text.hpp"

namespace holdfast::cli {

Table::Table(std::vector<Column> columns, std::string_view indent)
    : columns_(std::move(columns)), indent_(indent) {
  std::vector<Cell> titles;
  bool titled = false;
  for (const Column& column : columns_) {
    widths_.push_back(width_of(column.title));
    titles.push_back({std::string(column.title), Colour::bold});
    titled = titled || !column.title.empty();
  }
  if (titled) rows_.push_back(std::move(titles));
}

void Table::add(std::vector<Cell> row) {
  row.resize(columns_.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i].text = printable(row[i].text);
    widths_[i] = std::max(widths_[i], width_of(row[i].text));
  }
  rows_.push_back(std::move(row));
}

void Table::print(Output& out) {
  for (const std::vector<Cell>& row : rows_) out.line(laid_out(row, out));
  rows_.clear();
}

std::string Table::laid_out(const std::vector<Cell>& row, const Output& out) const {
  std::string line = indent_;
  std::string gap;  // put before the next text, so that no line ends in blanks
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Cell& cell = row[i];
    const std::string padding(widths_[i] - width_of(cell.text), ' ');
    if (columns_[i].right) gap += padding;
    if (!cell.text.empty()) {
      line += gap + out.paint(cell.colour, cell.text);
      gap.clear();
    }
    if (!columns_[i].right) gap += padding;
    gap += "  ";
  }
  return line;
}

}  // namespace holdfast::cli
