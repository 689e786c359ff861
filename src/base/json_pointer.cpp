#include "base/json_pointer.hpp"

#include <simdjson.h>

#include <charconv>

namespace holdfast {
namespace {

using Pointed = simdjson::dom::element;

/// The first step of a pointer, unescaped; nothing if it is none. The pointer goes on behind it.
std::optional<std::string> take_step(std::string_view& pointer) {
  if (!pointer.starts_with('/')) return std::nullopt;
  pointer.remove_prefix(1);
  const std::string_view text = pointer.substr(0, pointer.find('/'));
  pointer.remove_prefix(text.size());
  std::string step;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') {
      step += text[i];
      continue;
    }
    if (++i == text.size() || (text[i] != '0' && text[i] != '1')) return std::nullopt;
    step += text[i] == '0' ? '~' : '/';
  }
  return step;
}

std::optional<Pointed> member_at(const simdjson::dom::object& object, const std::string& name) {
  std::optional<Pointed> found;
  for (const auto& each : object) {
    if (each.key != name) continue;
    if (found) return std::nullopt;  // readers differ in which of two they take
    found = each.value;
  }
  return found;
}

std::optional<Pointed> item_at(const simdjson::dom::array& array, const std::string& step) {
  std::size_t index = 0;
  const char* const end = step.data() + step.size();
  const auto [rest, error] = std::from_chars(step.data(), end, index);
  if (error != std::errc() || rest != end || (step.size() > 1 && step[0] == '0'))
    return std::nullopt;
  const auto found = array.at(index);
  if (found.error() != simdjson::SUCCESS) return std::nullopt;
  return found.value_unsafe();
}

std::optional<Pointed> step_to(const Pointed& element, const std::string& step) {
  simdjson::dom::object object;
  if (element.get(object) == simdjson::SUCCESS) return member_at(object, step);
  simdjson::dom::array array;
  if (element.get(array) == simdjson::SUCCESS) return item_at(array, step);
  return std::nullopt;
}

}  // namespace

bool is_json_pointer(std::string_view pointer) {
  if (pointer.empty()) return false;
  while (!pointer.empty()) {
    if (!take_step(pointer)) return false;
  }
  return true;
}

std::optional<std::string> scalar_at(std::string_view json, std::string_view pointer) {
  if (!is_json_pointer(pointer)) return std::nullopt;
  simdjson::dom::parser parser;
  Pointed root;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS) return std::nullopt;
  std::optional<Pointed> at = root;
  while (at && !pointer.empty()) {
    const auto step = take_step(pointer);
    at = step ? step_to(*at, *step) : std::nullopt;
  }
  if (!at) return std::nullopt;
  if (std::string_view text; at->get(text) == simdjson::SUCCESS) return std::string(text);
  if (std::int64_t number = 0; at->get(number) == simdjson::SUCCESS) return std::to_string(number);
  if (std::uint64_t number = 0; at->get(number) == simdjson::SUCCESS) return std::to_string(number);
  return std::nullopt;
}

}  // namespace holdfast
