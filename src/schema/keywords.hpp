#pragma once

#include "schema/compiler.hpp"

/// Keywords that are more than a line; the table of all of them is in keywords.cpp. Each reads its
/// keyword into the node, or tells the compiler what is wrong with it.
namespace holdfast::schema {

void read_type(Compiler& compiler, const Compiler::Keyword& keyword);
void read_enum(Compiler& compiler, const Compiler::Keyword& keyword);
void read_multiple_of(Compiler& compiler, const Compiler::Keyword& keyword);
void read_pattern(Compiler& compiler, const Compiler::Keyword& keyword);
void read_format(Compiler& compiler, const Compiler::Keyword& keyword);
void read_unique(Compiler& compiler, const Compiler::Keyword& keyword);
void read_required(Compiler& compiler, const Compiler::Keyword& keyword);
void read_dependent_required(Compiler& compiler, const Compiler::Keyword& keyword);
void read_definitions(Compiler& compiler, const Compiler::Keyword& keyword);
void read_pattern_properties(Compiler& compiler, const Compiler::Keyword& keyword);

/// A number.
[[nodiscard]] Bound bound_of(Compiler& compiler, const Compiler::Keyword& keyword);
/// An integer that is not negative.
[[nodiscard]] Count count_of(Compiler& compiler, const Compiler::Keyword& keyword);
/// An array with at least one schema.
[[nodiscard]] std::vector<NodeId> list_of(Compiler& compiler, const Compiler::Keyword& keyword);
/// An object of schemas.
[[nodiscard]] NamedNodes named_of(Compiler& compiler, const Compiler::Keyword& keyword);

template <auto member>
void read_bound(Compiler& compiler, const Compiler::Keyword& keyword) {
  keyword.node.*member = bound_of(compiler, keyword);
}

template <auto member>
void read_count(Compiler& compiler, const Compiler::Keyword& keyword) {
  keyword.node.*member = count_of(compiler, keyword);
}

template <auto member>
void read_child(Compiler& compiler, const Compiler::Keyword& keyword) {
  keyword.node.*member = compiler.add_only_child(keyword);
}

template <auto member>
void read_list(Compiler& compiler, const Compiler::Keyword& keyword) {
  keyword.node.*member = list_of(compiler, keyword);
}

template <auto member>
void read_named(Compiler& compiler, const Compiler::Keyword& keyword) {
  keyword.node.*member = named_of(compiler, keyword);
}

}  // namespace holdfast::schema
