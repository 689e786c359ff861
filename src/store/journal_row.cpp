#include "store/journal_row.hpp"

#include <fmt/format.h>

namespace holdfast::journal {

std::string columns(std::string_view prefix) {
  std::string list;
  for (const Column& each : layout::columns) {
    if (!list.empty()) list += ',';
    list.append(prefix).append(each.name);
  }
  return list;
}

std::string column_definitions(TypeName type_name) {
  std::string lines;
  for (const Column& each : layout::columns) {
    const bool key = &each == layout::columns.data();
    const bool required = !key && each.null == layout::Null::never;
    lines += fmt::format("{}  {:<12} {}{}", lines.empty() ? "" : ",\n", each.name, type_name(each),
                         key        ? " PRIMARY KEY"
                         : required ? " NOT NULL"
                                    : "");
  }
  return lines + "\n";
}

}  // namespace holdfast::journal
