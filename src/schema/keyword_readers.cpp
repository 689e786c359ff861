#include <algorithm>
#include <array>

#include "schema/keywords.hpp"

namespace holdfast::schema {
namespace {

using Keyword = Compiler::Keyword;

unsigned type_bit(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 7> names{{{"null", types::null},
                                                                        {"boolean", types::boolean},
                                                                        {"integer", types::integer},
                                                                        {"number", types::number},
                                                                        {"string", types::string},
                                                                        {"array", types::array},
                                                                        {"object", types::object}}};
  for (const auto& [known, bit] : names) {
    if (known == name) return bit;
  }
  return 0;
}

bool less(const Value* left, const Value* right) { return compare(*left, *right) < 0; }

/// An array of strings, each there once.
std::vector<std::string_view> names_of(Compiler& compiler, const Keyword& keyword,
                                       const Value& value) {
  constexpr std::string_view wanted = "must be an array of strings, each of them once";
  std::vector<std::string_view> names;
  if (value.kind != Kind::array) compiler.fail(keyword, wanted);
  for (const Value& name : value.children) {
    if (name.kind != Kind::string) compiler.fail(keyword, wanted);
    names.push_back(name.text);
  }
  std::vector<std::string_view> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    compiler.fail(keyword, wanted);
  }
  return names;
}

bool is_object(Compiler& compiler, const Keyword& keyword) {
  if (keyword.value.kind == Kind::object) return true;
  compiler.fail(keyword, "must be an object");
  return false;
}

}  // namespace

void read_type(Compiler& compiler, const Keyword& keyword) {
  const auto add = [&](const Value& name) {
    const unsigned bit = name.kind == Kind::string ? type_bit(name.text) : 0;
    if (bit == 0 || (keyword.node.types & bit) != 0) {
      compiler.fail(keyword,
                    "must be null, boolean, integer, number, string, array, object or an array of "
                    "some of them");
    }
    keyword.node.types |= bit;
  };
  if (keyword.value.kind != Kind::array) return add(keyword.value);
  for (const Value& name : keyword.value.children) add(name);
  if (keyword.value.children.empty()) compiler.fail(keyword, "must name a type");
}

void read_enum(Compiler& compiler, const Keyword& keyword) {
  if (keyword.value.kind != Kind::array) return compiler.fail(keyword, "must be an array");
  std::vector<const Value*> choices;
  for (const Value& choice : keyword.value.children) choices.push_back(&choice);
  std::sort(choices.begin(), choices.end(), less);
  keyword.node.choices = std::move(choices);
}

Bound bound_of(Compiler& compiler, const Keyword& keyword) {
  if (keyword.value.kind != Kind::number) compiler.fail(keyword, "must be a number");
  return keyword.value.number;
}

Count count_of(Compiler& compiler, const Keyword& keyword) {
  const Count count =
      keyword.value.kind == Kind::number ? to_count(keyword.value.number) : std::nullopt;
  if (!count) compiler.fail(keyword, "must be an integer that is not negative");
  return count;
}

void read_multiple_of(Compiler& compiler, const Keyword& keyword) {
  const Bound unit = bound_of(compiler, keyword);
  if (unit->digits == 0 || unit->negative) return compiler.fail(keyword, "must be above 0");
  keyword.node.multiple_of = unit;
}

void read_pattern(Compiler& compiler, const Keyword& keyword) {
  if (keyword.value.kind != Kind::string) return compiler.fail(keyword, "must be a string");
  keyword.node.pattern = compiler.regex(keyword, keyword.value.text);
}

void read_format(Compiler& compiler, const Keyword& keyword) {
  if (keyword.value.kind != Kind::string) return compiler.fail(keyword, "must be a string");
  const Format* const format = find_format(keyword.value.text);
  if (format == nullptr && compiler.options().strict) {
    return compiler.fail(keyword, "is no format of draft 2020-12");
  }
  const bool asserted = format != nullptr && format->fits != nullptr;
  if (asserted && compiler.options().assert_format) keyword.node.format = format;
}

void read_unique(Compiler& compiler, const Keyword& keyword) {
  if (keyword.value.kind != Kind::boolean) compiler.fail(keyword, "must be true or false");
  keyword.node.unique = keyword.value.truth;
}

void read_required(Compiler& compiler, const Keyword& keyword) {
  keyword.node.required = names_of(compiler, keyword, keyword.value);
}

void read_dependent_required(Compiler& compiler, const Keyword& keyword) {
  if (!is_object(compiler, keyword)) return;
  for (const Value& member : keyword.value.children) {
    keyword.node.dependent_required.push_back({member.name, names_of(compiler, keyword, member)});
  }
}

void read_definitions(Compiler& compiler, const Keyword& keyword) {
  (void)named_of(compiler, keyword);
}

void read_pattern_properties(Compiler& compiler, const Keyword& keyword) {
  if (!is_object(compiler, keyword)) return;
  for (const Value& member : keyword.value.children) {
    auto pattern = compiler.regex(keyword, member.name);
    if (!pattern) return;
    const NodeId node = compiler.add_child(keyword, member, member.name);
    keyword.node.patterns.push_back({std::move(*pattern), node});
  }
}

std::vector<NodeId> list_of(Compiler& compiler, const Keyword& keyword) {
  std::vector<NodeId> list;
  if (keyword.value.kind != Kind::array || keyword.value.children.empty()) {
    compiler.fail(keyword, "must be an array with at least one schema");
  }
  if (keyword.value.kind != Kind::array) return list;
  for (const Value& child : keyword.value.children) {
    list.push_back(compiler.add_child(keyword, child, std::to_string(list.size())));
  }
  return list;
}

NamedNodes named_of(Compiler& compiler, const Keyword& keyword) {
  NamedNodes named;
  if (!is_object(compiler, keyword)) return named;
  for (const Value& member : keyword.value.children) {
    named.emplace_back(member.name, compiler.add_child(keyword, member, member.name));
  }
  return named;
}

}  // namespace holdfast::schema
