#include "schema/value.hpp"

#include <simdjson.h>

#include <algorithm>
#include <optional>

#include "schema/place.hpp"

namespace holdfast::schema {
namespace {

namespace dom = simdjson::dom;

bool by_name(const Value& left, const Value& right) { return left.name < right.name; }

class ValueMaker {
 public:
  explicit ValueMaker(const ValueLimits& limits) : limits_(limits), left_(limits.size) {}

  tl::expected<Value, Error> make(dom::element element) {
    Value value;
    const Place root;
    if (!fill(value, element, root, 0)) return tl::unexpected(std::move(error_));
    return value;
  }

 private:
  bool fill(Value& out, dom::element element, const Place& place, std::size_t depth) {
    if (left_ == 0) return fail(place, "has too many values");
    --left_;
    switch (element.type()) {
      case dom::element_type::NULL_VALUE:
        break;
      case dom::element_type::BOOL:
        out.kind = Kind::boolean;
        out.truth = element.get_bool().value_unsafe();
        break;
      case dom::element_type::STRING:
        out.kind = Kind::string;
        out.text = element.get_string().value_unsafe();
        out.weight += out.text.size() / 16;
        break;
      case dom::element_type::ARRAY:
        return fill_array(out, element.get_array().value_unsafe(), place, depth + 1);
      case dom::element_type::OBJECT:
        return fill_object(out, element.get_object().value_unsafe(), place, depth + 1);
      default:
        fill_number(out, element);
    }
    return true;
  }

  static void fill_number(Value& out, dom::element element) {
    out.kind = Kind::number;
    if (element.is_int64()) {
      out.number = decimal_of(element.get_int64().value_unsafe());
    } else if (element.is_uint64()) {
      out.number = decimal_of(element.get_uint64().value_unsafe());
    } else {
      out.number = decimal_of(element.get_double().value_unsafe());
    }
  }

  bool fill_array(Value& out, dom::array array, const Place& place, std::size_t depth) {
    out.kind = Kind::array;
    if (depth > limits_.depth) return fail(place, "is nested too deeply");
    for (const dom::element item : array) {
      Value& child = out.children.emplace_back();
      if (!fill(child, item, place.item(out.children.size() - 1), depth)) return false;
      out.weight += child.weight;
    }
    return true;
  }

  bool fill_object(Value& out, dom::object object, const Place& place, std::size_t depth) {
    out.kind = Kind::object;
    if (depth > limits_.depth) return fail(place, "is nested too deeply");
    for (const dom::key_value_pair member : object) {
      Value& child = out.children.emplace_back();
      child.name = member.key;
      if (!fill(child, member.value, place.member(child.name), depth)) return false;
      out.weight += child.weight + child.name.size() / 16;
    }
    std::sort(out.children.begin(), out.children.end(), by_name);
    const auto twice = std::adjacent_find(
        out.children.begin(), out.children.end(),
        [](const Value& left, const Value& right) { return left.name == right.name; });
    if (twice == out.children.end()) return true;
    return fail(place.member(twice->name), "is there twice");
  }

  bool fail(const Place& place, std::string_view text) {
    error_ = {pointer_to(place), std::string(text)};
    return false;
  }

  ValueLimits limits_;
  std::uint64_t left_;
  Error error_;
};

std::strong_ordering compare_children(const Value& left, const Value& right) {
  const std::size_t common = std::min(left.children.size(), right.children.size());
  for (std::size_t i = 0; i < common; ++i) {
    const Value& a = left.children[i];
    const Value& b = right.children[i];
    if (const auto order = a.name <=> b.name; order != 0) return order;
    if (const auto order = compare(a, b); order != 0) return order;
  }
  return left.children.size() <=> right.children.size();
}

}  // namespace

const Value* Value::member(std::string_view wanted) const {
  if (kind != Kind::object) return nullptr;
  const auto at = std::lower_bound(
      children.begin(), children.end(), wanted,
      [](const Value& child, std::string_view other) { return child.name < other; });
  return at != children.end() && at->name == wanted ? &*at : nullptr;
}

tl::expected<Value, Error> to_value(dom::element element, const ValueLimits& limits) {
  return ValueMaker(limits).make(element);
}

std::strong_ordering compare(const Value& left, const Value& right) {
  if (left.kind != right.kind) return left.kind <=> right.kind;
  switch (left.kind) {
    case Kind::null:
      break;
    case Kind::boolean:
      return left.truth <=> right.truth;
    case Kind::number:
      return left.number <=> right.number;
    case Kind::string:
      return left.text <=> right.text;
    case Kind::array:
    case Kind::object:
      return compare_children(left, right);
  }
  return std::strong_ordering::equal;
}

}  // namespace holdfast::schema
