#include "registry/member.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "settings/setting_sources.hpp"

namespace holdfast::registry {
namespace {

constexpr std::size_t shown_bytes_max = 60;

bool comes_before(const toml::source_position& a, const toml::source_position& b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

}  // namespace

void Problems::note(const toml::source_position& where, std::string text) {
  if (first_) return;
  first_ = RegistryError{file_, std::max<std::size_t>(where.line, 1),
                         std::max<std::size_t>(where.column, 1), std::move(text)};
}

void Problems::note(const toml::table& table, std::string_view member, std::string text) {
  const toml::node* const value = table.get(member);
  note(value == nullptr ? table.source().begin : value->source().begin, std::move(text));
}

std::string shown(std::string_view text) {
  std::string quoted;
  const bool cut = text.size() > shown_bytes_max;
  JsonWriter(quoted).string(to_valid_utf8(text.substr(0, shown_bytes_max)));
  return cut ? quoted + "…" : quoted;
}

std::string shown(const toml::node& value) {
  switch (value.type()) {
    case toml::node_type::string:
      return shown(value.as_string()->get());
    case toml::node_type::integer:
      return std::to_string(value.as_integer()->get());
    case toml::node_type::floating_point:
      return fmt::format("{}", value.as_floating_point()->get());
    case toml::node_type::boolean:
      return value.as_boolean()->get() ? "true" : "false";
    case toml::node_type::table:
      return "that table";
    case toml::node_type::array:
      return "that array";
    default:
      return "a date or time";
  }
}

void refuse_unknown(const toml::table& table, std::string_view what,
                    const std::vector<std::string>& known, Problems& problems) {
  const toml::key* first = nullptr;
  for (const auto& [key, value] : table) {
    const bool found = std::find(known.begin(), known.end(), key.str()) != known.end();
    const bool earlier =
        first == nullptr || comes_before(key.source().begin, first->source().begin);
    if (!found && earlier) first = &key;
  }
  if (first == nullptr) return;
  const std::string_view name = first->str();
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool bare = name.size() <= shown_bytes_max && !name.empty() &&
                    name.find_first_not_of(plain) == std::string_view::npos;
  problems.note(first->source().begin,
                http::unknown_name("member of " + std::string(what),
                                   bare ? std::string(name) : shown(name), known));
}

}  // namespace holdfast::registry
