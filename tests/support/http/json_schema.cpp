#include "support/http/json_schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <set>

namespace holdfast::test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;
using Faults = JsonSchema::Faults;

constexpr std::array annotations{"title",  "description", "default",  "examples", "example",
                                 "format", "deprecated",  "$comment", "readOnly", "writeOnly"};
constexpr std::array checked{"type",
                             "enum",
                             "const",
                             "properties",
                             "required",
                             "items",
                             "minItems",
                             "maxItems",
                             "oneOf",
                             "anyOf",
                             "allOf",
                             "$ref",
                             "pattern",
                             "minLength",
                             "maxLength",
                             "minimum",
                             "maximum",
                             "exclusiveMinimum",
                             "additionalProperties"};

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_number(const element& value) {
  return value.type() == element_type::INT64 || value.type() == element_type::UINT64 ||
         value.type() == element_type::DOUBLE;
}

/// Wide enough for every integer there is here.
long double number_of(const element& value) {
  if (value.type() == element_type::INT64)
    return static_cast<long double>(value.get_int64().value());
  if (value.type() == element_type::UINT64)
    return static_cast<long double>(value.get_uint64().value());
  return static_cast<long double>(value.get_double().value());
}

bool has_type(const element& value, std::string_view type) {
  if (type == "integer")
    return is_number(value) && std::trunc(number_of(value)) == number_of(value);
  if (type == "number") return is_number(value);
  switch (value.type()) {
    case element_type::ARRAY:
      return type == "array";
    case element_type::OBJECT:
      return type == "object";
    case element_type::STRING:
      return type == "string";
    case element_type::BOOL:
      return type == "boolean";
    case element_type::NULL_VALUE:
      return type == "null";
    default:
      return false;
  }
}

std::optional<element> member(const object& of, std::string_view name) {
  element value;
  if (of.at_key(name).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

bool equal(const element& a, const element& b);

bool equal(const array& a, const array& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const element& x, const element& y) { return equal(x, y); });
}

bool equal(const object& a, const object& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const auto& field) {
    const auto other = member(b, field.key);
    return other && equal(field.value, *other);
  });
}

bool equal(const element& a, const element& b) {
  if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
  if (a.type() != b.type()) return false;
  if (a.is_array()) return equal(items_of(a), items_of(b));
  if (a.is_object()) return equal(members_of(a), members_of(b));
  if (a.is_string()) return text_of(a) == text_of(b);
  if (a.is_bool()) return a.get_bool().value() == b.get_bool().value();
  return true;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

/// One instance under judgement.
class Judge {
 public:
  explicit Judge(const JsonSchema& schemas) : schemas_(schemas) {}

  void check(const element& schema, const element& value, const std::string& at) {
    bool anything = false;
    if (schema.get(anything) == simdjson::SUCCESS) {
      if (!anything) fault(at, "nothing is allowed here");
      return;
    }
    object keywords;
    if (schema.get(keywords) != simdjson::SUCCESS) return fault(at, "the schema is none");
    for (const auto& [name, argument] : keywords) {
      if (contains(annotations, name)) continue;
      if (!contains(checked, name)) {
        fault(at, fmt::format("the schema's keyword {} is not checked here", name));
      } else {
        check_any(name, argument, value, at);
      }
    }
    if (is_number(value)) check_number(keywords, value, at);
    if (value.is_string()) check_text(keywords, text_of(value), at);
    if (value.is_array()) check_array(keywords, items_of(value), at);
    if (value.is_object()) check_object(keywords, members_of(value), at);
  }

  [[nodiscard]] Faults take() { return std::move(faults_); }

 private:
  void fault(const std::string& at, const std::string& what) {
    faults_.push_back((at.empty() ? "the whole" : at) + ": " + what);
  }

  /// Keywords that apply whatever the instance is.
  void check_any(std::string_view name, const element& argument, const element& value,
                 const std::string& at) {
    if (name == "$ref") {
      check(schemas_.at(text_of(argument)), value, at);
    } else if (name == "type") {
      check_type(argument, value, at);
    } else if (name == "const") {
      if (!equal(argument, value))
        fault(at, fmt::format("{} is not {}", simdjson::minify(value), simdjson::minify(argument)));
    } else if (name == "enum") {
      const array allowed = items_of(argument);
      if (std::none_of(allowed.begin(), allowed.end(),
                       [&](const element& each) { return equal(each, value); }))
        fault(at,
              fmt::format("{} is none of {}", simdjson::minify(value), simdjson::minify(argument)));
    } else if (name == "allOf" || name == "anyOf" || name == "oneOf") {
      check_branches(name, items_of(argument), value, at);
    }
  }

  void check_type(const element& argument, const element& value, const std::string& at) {
    bool sound = false;
    if (argument.is_string()) {
      sound = has_type(value, text_of(argument));
    } else {
      for (const element each : items_of(argument)) sound = sound || has_type(value, text_of(each));
    }
    if (!sound)
      fault(at, fmt::format("{} is not of type {}", simdjson::minify(value),
                            simdjson::minify(argument)));
  }

  void check_branches(std::string_view name, const array& branches, const element& value,
                      const std::string& at) {
    std::size_t valid = 0;
    Faults why;
    for (const element branch : branches) {
      Judge judge(schemas_);
      judge.check(branch, value, at);
      Faults faults = judge.take();
      valid += faults.empty() ? 1U : 0U;
      why.insert(why.end(), faults.begin(), faults.end());
    }
    const bool sound = name == "allOf"   ? valid == branches.size()
                       : name == "anyOf" ? valid > 0
                                         : valid == 1;
    if (sound) return;
    fault(at, fmt::format("{} of {} branches of {} hold", valid, branches.size(), name));
    faults_.insert(faults_.end(), why.begin(), why.end());
  }

  void check_number(const object& keywords, const element& value, const std::string& at) {
    const long double number = number_of(value);
    const auto bound = [&](std::string_view name, auto holds) {
      const auto limit = member(keywords, name);
      if (limit && !holds(number, number_of(*limit)))
        fault(at, fmt::format("{} is outside {} {}", simdjson::minify(value), name,
                              simdjson::minify(*limit)));
    };
    bound("minimum", std::greater_equal<>());
    bound("maximum", std::less_equal<>());
    bound("exclusiveMinimum", std::greater<>());
  }

  void check_text(const object& keywords, std::string_view text, const std::string& at) {
    check_size(keywords, "minLength", "maxLength", characters(text), at);
    const auto pattern = member(keywords, "pattern");
    if (!pattern) return;
    const std::regex expression{std::string(text_of(*pattern))};
    if (!std::regex_search(text.begin(), text.end(), expression))
      fault(at, fmt::format("\"{}\" does not look like {}", text, text_of(*pattern)));
  }

  void check_array(const object& keywords, const array& items, const std::string& at) {
    check_size(keywords, "minItems", "maxItems", items.size(), at);
    const auto schema = member(keywords, "items");
    std::size_t index = 0;
    for (const element item : items) {
      if (schema) check(*schema, item, fmt::format("{}/{}", at, index));
      ++index;
    }
  }

  void check_object(const object& keywords, const object& members, const std::string& at) {
    if (const auto required = member(keywords, "required")) {
      for (const element name : items_of(*required)) {
        if (!member(members, text_of(name))) fault(at, fmt::format("{} is missing", text_of(name)));
      }
    }
    const auto properties = member(keywords, "properties");
    const auto others = member(keywords, "additionalProperties");
    for (const auto& [name, value] : members) {
      const std::string here = fmt::format("{}/{}", at, name);
      const auto schema = properties ? member(members_of(*properties), name) : std::nullopt;
      if (schema) {
        check(*schema, value, here);
      } else if (others) {
        check(*others, value, here);
      }
    }
  }

  void check_size(const object& keywords, std::string_view min, std::string_view max,
                  std::size_t size, const std::string& at) {
    const auto least = member(keywords, min);
    const auto most = member(keywords, max);
    if (least && size < least->get_uint64().value())
      fault(at, fmt::format("{} is below {}", size, min));
    if (most && size > most->get_uint64().value())
      fault(at, fmt::format("{} is above {}", size, max));
  }

  const JsonSchema& schemas_;
  Faults faults_;
};

/// Walks a schema and all it is made of.
class Inspector {
 public:
  explicit Inspector(const JsonSchema& schemas) : schemas_(schemas) {}

  void inspect(const element& schema) {
    if (schema.is_bool()) return;
    object keywords;
    if (schema.get(keywords) != simdjson::SUCCESS) {
      faults.push_back("neither an object nor a truth value: " + simdjson::minify(schema));
      return;
    }
    for (const auto& [name, argument] : keywords) {
      if (contains(annotations, name)) continue;
      if (!contains(checked, name)) faults.push_back(fmt::format("keyword {}", name));
      if (name == "$ref") follow(argument);
      if (name == "items" || name == "additionalProperties") inspect(argument);
      if (name == "properties") {
        for (const auto& [key, each] : members_of(argument)) inspect(each);
      }
      if (name == "oneOf" || name == "anyOf" || name == "allOf") {
        for (const element each : items_of(argument)) inspect(each);
      }
    }
  }

  Faults faults;

 private:
  void follow(const element& reference) {
    const std::string to(text_of(reference));
    if (seen_.insert(to).second) inspect(schemas_.at(to));
  }

  const JsonSchema& schemas_;
  std::set<std::string> seen_;
};

/// That text, parsed once and kept: what a test goes on with after it has failed.
element nothing(const std::string& text) {
  static std::map<std::string, simdjson::dom::parser> parsers;
  return parsers[text].parse(text).value();
}

}  // namespace

simdjson::dom::object members_of(const element& of) {
  object found;
  if (of.get(found) == simdjson::SUCCESS) return found;
  ADD_FAILURE() << "no object: " << simdjson::minify(of);
  return nothing("{}").get_object().value();
}

simdjson::dom::array items_of(const element& of) {
  array found;
  if (of.get(found) == simdjson::SUCCESS) return found;
  ADD_FAILURE() << "no array: " << simdjson::minify(of);
  return nothing("[]").get_array().value();
}

std::string_view text_of(const element& of) {
  std::string_view found;
  EXPECT_EQ(of.get(found), simdjson::SUCCESS) << "no text: " << simdjson::minify(of);
  return found;
}

JsonSchema::JsonSchema(std::string_view document)
    : parser_(std::make_shared<simdjson::dom::parser>()) {
  if (parser_->parse(document.data(), document.size()).get(root_) != simdjson::SUCCESS) {
    ADD_FAILURE() << "not JSON: " << document.substr(0, 200);
    root_ = parser_->parse(std::string_view("{}")).value();
  }
}

JsonSchema::Element JsonSchema::at(std::string_view pointer) const {
  if (pointer.starts_with('#')) pointer.remove_prefix(1);
  Element found;
  if (root_.at_pointer(pointer).get(found) == simdjson::SUCCESS) return found;
  ADD_FAILURE() << "nothing at " << pointer;
  return nothing("null");
}

JsonSchema::Element JsonSchema::resolved(Element element) const {
  std::string_view reference;
  while (element.is_object() &&
         members_of(element).at_key("$ref").get(reference) == simdjson::SUCCESS)
    element = at(reference);
  return element;
}

JsonSchema::Faults JsonSchema::check(const Element& schema, const Element& instance) const {
  Judge judge(*this);
  judge.check(schema, instance, "");
  return judge.take();
}

JsonSchema::Faults JsonSchema::check(const Element& schema, std::string_view text) const {
  simdjson::dom::parser parser;
  Element instance;
  if (parser.parse(text.data(), text.size()).get(instance) != simdjson::SUCCESS)
    return {"not JSON: " + std::string(text)};
  return check(schema, instance);
}

JsonSchema::Faults JsonSchema::check_schema(const Element& schema) const {
  Inspector inspector(*this);
  inspector.inspect(schema);
  return std::move(inspector.faults);
}

}  // namespace holdfast::test
