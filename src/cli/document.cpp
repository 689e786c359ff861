#include "cli/document.hpp"

#include <simdjson.h>

#include <algorithm>

namespace holdfast::cli {

void add_members(Table& table, const std::string& document) {
  simdjson::dom::parser parser;
  simdjson::dom::object members;
  if (parser.parse(document).get(members) != simdjson::SUCCESS) return;
  for (const auto& [name, value] : members) {
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    std::string_view text;
    const bool is_text = value.get(text) == simdjson::SUCCESS;
    table.add({{std::move(words)}, {is_text ? std::string(text) : simdjson::minify(value)}});
  }
}

}  // namespace holdfast::cli
