// What a schema says about a value itself.

#include <algorithm>

#include "schema/code_points.hpp"
#include "schema/run.hpp"

namespace holdfast::schema {
namespace {

unsigned types_of(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return types::null;
    case Kind::boolean:
      return types::boolean;
    case Kind::number:
      return value.number.is_integer() ? types::number | types::integer : types::number;
    case Kind::string:
      return types::string;
    case Kind::array:
      return types::array;
    case Kind::object:
      return types::object;
  }
  return 0;
}

std::string type_names(unsigned bits) {
  constexpr std::string_view names[] = {"null",     "a boolean", "an integer", "a number",
                                        "a string", "an array",  "an object"};
  std::string text;
  for (unsigned i = 0; i < std::size(names); ++i) {
    if ((bits & 1U << i) == 0) continue;
    if (!text.empty()) text += " or ";
    text += names[i];
  }
  return text;
}

bool comes_before(const Value* choice, const Value* value) { return compare(*choice, *value) < 0; }

}  // namespace

bool Run::type_and_choice(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  bool fit = true;
  if (node.types != 0 && (node.types & types_of(value)) == 0) {
    fit = misfit(frame, "type", [&] { return "is not " + type_names(node.types); });
  }
  if (node.constant != nullptr && goes_on(fit)) {
    if (!spend(std::min(value.weight, node.constant->weight))) return false;
    if (compare(*node.constant, value) != 0) {
      fit = misfit(frame, "const", "is not the one value that is allowed");
    }
  }
  if (!node.choices || !goes_on(fit)) return fit;
  std::uint64_t steps = 1;
  for (std::size_t n = node.choices->size(); n > 0; n /= 2) ++steps;
  if (!spend(value.weight * steps)) return false;
  const auto at =
      std::lower_bound(node.choices->begin(), node.choices->end(), &value, comes_before);
  if (at != node.choices->end() && compare(**at, value) == 0) return fit;
  return misfit(frame, "enum", "is none of the values that are allowed");
}

bool Run::number(const Frame& frame) {
  if (frame.value.kind != Kind::number) return true;
  const Node& node = frame.node;
  const Decimal& number = frame.value.number;
  const auto bound = [&](const Bound& limit, std::string_view keyword, std::string_view text,
                         auto&& holds) {
    if (!limit || holds(number, *limit)) return true;
    return misfit(frame, keyword, [&] { return std::string(text) + to_text(*limit); });
  };
  const auto at_least = [](const Decimal& a, const Decimal& b) { return a >= b; };
  const auto at_most = [](const Decimal& a, const Decimal& b) { return a <= b; };
  const auto above = [](const Decimal& a, const Decimal& b) { return a > b; };
  const auto below = [](const Decimal& a, const Decimal& b) { return a < b; };
  bool fit = bound(node.minimum, "minimum", "is less than ", at_least);
  fit = bound(node.maximum, "maximum", "is more than ", at_most) && fit;
  fit = bound(node.above, "exclusiveMinimum", "is not more than ", above) && fit;
  fit = bound(node.below, "exclusiveMaximum", "is not less than ", below) && fit;
  return bound(node.multiple_of, "multipleOf", "is not a multiple of ", is_multiple) && fit;
}

bool Run::string(const Frame& frame) {
  if (frame.value.kind != Kind::string) return true;
  const Node& node = frame.node;
  const Value& value = frame.value;
  bool fit = true;
  if (node.length_min || node.length_max) {
    if (!spend(value.weight)) return false;
    const std::size_t length = code_point_count(value.text);
    if (node.length_min && length < *node.length_min) {
      fit = misfit(frame, "minLength",
                   [&] { return "is shorter than " + std::to_string(*node.length_min); });
    }
    if (node.length_max && length > *node.length_max) {
      fit = misfit(frame, "maxLength",
                   [&] { return "is longer than " + std::to_string(*node.length_max); });
    }
  }
  if (node.pattern && goes_on(fit)) {
    const auto found = node.pattern->search(value.text, work_);
    if (!found) return spend(work_);  // which gives up
    if (!*found) fit = misfit(frame, "pattern", "does not match the pattern");
  }
  if (node.format == nullptr || !goes_on(fit)) return fit;
  if (!spend(value.weight)) return false;
  if (node.format->fits(value.text)) return fit;
  return misfit(frame, "format", [&] { return "is no " + std::string(node.format->name); });
}

}  // namespace holdfast::schema
