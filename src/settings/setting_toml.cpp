#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "settings/setting_sources.hpp"

namespace holdfast::http {
namespace {

/// Every name of the table, and every section: `limits`, `policies`, `policies.hold_place`, …
std::vector<std::string> known_names(bool sections) {
  std::set<std::string> names;
  std::vector<std::string> ordered;
  for (const Setting& each : setting_table()) {
    std::size_t dot = sections ? each.name.find('.') : std::string::npos;
    for (; dot != std::string::npos; dot = each.name.find('.', dot + 1)) {
      if (names.insert(each.name.substr(0, dot)).second)
        ordered.push_back(each.name.substr(0, dot));
    }
    ordered.push_back(each.name);
  }
  return ordered;
}

bool is_section(const std::string& name) {
  const auto& table = setting_table();
  return std::any_of(table.begin(), table.end(),
                     [&](const Setting& each) { return each.name.starts_with(name + "."); });
}

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::floating_point:
      return "a number with a point";
    default:
      return "a date or time";
  }
}

class Reader {
 public:
  Reader(const std::string& file, Errors& errors) : file_(file), errors_(errors) {}

  std::vector<Given> read(const toml::table& root) {
    visit(root, {});
    // The tree is sorted by name; a file is read from top to bottom.
    const auto by_place = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(wrong_.begin(), wrong_.end(), by_place);
    std::stable_sort(given_.begin(), given_.end(), by_place);
    for (auto& [place, error] : wrong_) errors_.push_back(std::move(error));
    std::vector<Given> all;
    for (auto& [place, given] : given_) all.push_back(std::move(given));
    return all;
  }

 private:
  using Place = std::pair<toml::source_index, toml::source_index>;

  void visit(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      const bool quoted_dot = key.str().find('.') != std::string_view::npos;
      const Setting* setting = quoted_dot ? nullptr : setting_named(name);
      if (setting != nullptr) {
        take(*setting, node);
      } else if (node.is_table() && !quoted_dot && is_section(name)) {
        visit(*node.as_table(), name + ".");
      } else {
        const std::string written = quoted_dot ? fmt::format("\"{}\"", name) : name;
        const bool section = !quoted_dot && is_section(name);
        refuse(key.source().begin,
               section ? section_text(name)
                       : unknown_name("setting", written, known_names(node.is_table())));
      }
    }
  }

  void take(const Setting& setting, const toml::node& node) {
    Given given{.setting = &setting,
                .form = Form::other,
                .text = std::string(kind_of(node)),
                .from = at(node.source().begin)};
    if (const auto* text = node.as_string()) {
      given.form = Form::string;
      given.text = text->get();
    } else if (const auto* number = node.as_integer()) {
      given.form = Form::integer;
      given.text = std::to_string(number->get());
    } else if (const auto* truth = node.as_boolean()) {
      given.form = Form::boolean;
      given.text = truth->get() ? "true" : "false";
    }
    given_.emplace_back(place_of(node.source().begin), std::move(given));
  }

  static std::string section_text(const std::string& name) {
    return fmt::format("{0} is a section and has no value; write [{0}], and its settings below it",
                       name);
  }

  void refuse(const toml::source_position& where, const std::string& why) {
    wrong_.emplace_back(Place{where.line, where.column}, fmt::format("{}: {}", at(where), why));
  }

  static Place place_of(const toml::source_position& where) { return {where.line, where.column}; }

  [[nodiscard]] std::string at(const toml::source_position& where) const {
    return fmt::format("{}:{}:{}", file_, where.line, where.column);
  }

  const std::string& file_;
  Errors& errors_;
  std::vector<std::pair<Place, Given>> given_;
  std::vector<std::pair<Place, std::string>> wrong_;
};

}  // namespace

std::vector<Given> given_by_toml(std::string_view text, const std::string& file, Errors& errors) {
  if (text.size() > toml_bytes_max) {
    errors.push_back(fmt::format("{} is larger than {} bytes", file, toml_bytes_max));
    return {};
  }
  try {
    return Reader(file, errors).read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const toml::source_position where = error.source().begin;
    errors.push_back(
        fmt::format("{}:{}:{}: {}", file, where.line, where.column, error.description()));
    return {};
  }
}

}  // namespace holdfast::http
