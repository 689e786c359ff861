// What the compiler does with each keyword.

#include "schema/keywords.hpp"

#include <unordered_map>

namespace holdfast::schema {
namespace {

using Handler = void (*)(Compiler& compiler, const Compiler::Keyword& keyword);

void ignore(Compiler& /*compiler*/, const Compiler::Keyword& /*keyword*/) {}

void must_be_text(Compiler& compiler, const Compiler::Keyword& keyword) {
  if (keyword.value.kind != Kind::string) compiler.fail(keyword, "must be a string");
}

/// Other drafts read the same words another way, so they are not guessed at.
void read_draft(Compiler& compiler, const Compiler::Keyword& keyword) {
  std::string_view draft = keyword.value.text;
  if (draft.ends_with('#')) draft.remove_suffix(1);
  if (draft == "https://json-schema.org/draft/2020-12/schema") return;
  compiler.fail(keyword, "must be https://json-schema.org/draft/2020-12/schema");
}

void read_secret(Compiler& compiler, const Compiler::Keyword& keyword) {
  keyword.node.secret = keyword.value.truth;
  if (keyword.value.kind != Kind::boolean) compiler.fail(keyword, "must be true or false");
}

/// Not applied to values, but other schemas may refer to it and to what is in it.
void read_apart(Compiler& compiler, const Compiler::Keyword& keyword) {
  (void)compiler.add_only_child(keyword);
}

const std::unordered_map<std::string_view, Handler>& handlers() {
  static const std::unordered_map<std::string_view, Handler> table{
      {"$schema", read_draft},
      {"$vocabulary", ignore},
      {"$comment", must_be_text},
      {"$id", ignore},  // the compiler has read these before
      {"$anchor", ignore},
      {"$dynamicAnchor", ignore},
      {"$defs", read_definitions},
      {"$ref", [](Compiler& c, const Compiler::Keyword& k) { c.refer_later(k, false); }},
      {"$dynamicRef", [](Compiler& c, const Compiler::Keyword& k) { c.refer_later(k, true); }},
      {"title", must_be_text},
      {"description", must_be_text},
      {"default", ignore},
      {"examples", ignore},
      {"deprecated", ignore},
      {"readOnly", ignore},
      {"writeOnly", ignore},
      {"contentEncoding", must_be_text},
      {"contentMediaType", must_be_text},
      {"contentSchema", read_apart},
      {"secret", read_secret},
      {"type", read_type},
      {"const", [](Compiler&, const Compiler::Keyword& k) { k.node.constant = &k.value; }},
      {"enum", read_enum},
      {"minimum", read_bound<&Node::minimum>},
      {"maximum", read_bound<&Node::maximum>},
      {"exclusiveMinimum", read_bound<&Node::above>},
      {"exclusiveMaximum", read_bound<&Node::below>},
      {"multipleOf", read_multiple_of},
      {"minLength", read_count<&Node::length_min>},
      {"maxLength", read_count<&Node::length_max>},
      {"pattern", read_pattern},
      {"format", read_format},
      {"minItems", read_count<&Node::items_min>},
      {"maxItems", read_count<&Node::items_max>},
      {"minContains", read_count<&Node::contains_min>},
      {"maxContains", read_count<&Node::contains_max>},
      {"uniqueItems", read_unique},
      {"minProperties", read_count<&Node::members_min>},
      {"maxProperties", read_count<&Node::members_max>},
      {"required", read_required},
      {"dependentRequired", read_dependent_required},
      {"prefixItems", read_list<&Node::prefix>},
      {"allOf", read_list<&Node::all_of>},
      {"anyOf", read_list<&Node::any_of>},
      {"oneOf", read_list<&Node::one_of>},
      {"items", read_child<&Node::items>},
      {"contains", read_child<&Node::contains>},
      {"additionalProperties", read_child<&Node::additional>},
      {"propertyNames", read_child<&Node::names>},
      {"not", read_child<&Node::negated>},
      {"if", read_child<&Node::condition>},
      {"then", read_child<&Node::then_do>},
      {"else", read_child<&Node::else_do>},
      {"unevaluatedItems", read_child<&Node::unevaluated_items>},
      {"unevaluatedProperties", read_child<&Node::unevaluated_members>},
      {"properties", read_named<&Node::properties>},
      {"dependentSchemas", read_named<&Node::dependent_schemas>},
      {"patternProperties", read_pattern_properties},
  };
  return table;
}

}  // namespace

bool read_keyword(Compiler& compiler, const Compiler::Keyword& keyword) {
  const auto at = handlers().find(keyword.name);
  if (at == handlers().end()) return false;
  at->second(compiler, keyword);
  return true;
}

}  // namespace holdfast::schema
