#include "registry/toml_json.hpp"

#include <charconv>
#include <cmath>

#include "base/json_writer.hpp"

namespace holdfast::registry {
namespace {

void write(const toml::node& value, JsonWriter& json, Problems& problems) {
  switch (value.type()) {
    case toml::node_type::table:
      json.begin_object();
      for (const auto& [key, node] : *value.as_table()) {
        json.key(key.str());
        write(node, json, problems);
      }
      return json.end_object();
    case toml::node_type::array:
      json.begin_array();
      for (const toml::node& each : *value.as_array()) write(each, json, problems);
      return json.end_array();
    case toml::node_type::string:
      return json.string(value.as_string()->get());
    case toml::node_type::integer:
      return json.integer(value.as_integer()->get());
    case toml::node_type::boolean:
      return json.boolean(value.as_boolean()->get());
    case toml::node_type::floating_point:
      if (std::isfinite(value.as_floating_point()->get()))
        return json.number(value.as_floating_point()->get());
      problems.note(value.source().begin, "JSON has no nan and no inf; write a number");
      break;
    default:
      problems.note(value.source().begin, "JSON has no dates and times; write it in quotes");
      break;
  }
  json.null();
}

const toml::node* child(const toml::node& parent, const std::string& step) {
  if (const toml::table* const table = parent.as_table()) return table->get(step);
  const toml::array* const array = parent.as_array();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (array == nullptr || error != std::errc() || end != step.data() + step.size()) return nullptr;
  return array->get(index);
}

std::string unescaped(std::string_view step) {
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    if (escape) ++i;
    text += escape ? (step[i] == '1' ? '/' : '~') : step[i];
  }
  return text;
}

}  // namespace

std::string json_of(const toml::node& value, Problems& problems) {
  std::string text;
  JsonWriter json(text);
  write(value, json, problems);
  return text;
}

const toml::node& node_at(const toml::node& root, std::string_view pointer) {
  const toml::node* node = &root;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    const toml::node* const next = child(*node, unescaped(step));
    if (next == nullptr) break;
    node = next;
    pointer.remove_prefix(step.size());
  }
  return *node;
}

}  // namespace holdfast::registry
