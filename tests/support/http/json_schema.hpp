#pragma once

#include <simdjson.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// What an element holds. Of another type: fails the test and gives nothing.
[[nodiscard]] simdjson::dom::object members_of(const simdjson::dom::element& element);
[[nodiscard]] simdjson::dom::array items_of(const simdjson::dom::element& element);
[[nodiscard]] std::string_view text_of(const simdjson::dom::element& element);

/// A part of JSON Schema 2020-12, enough for our own contract: `type`, `enum`, `const`,
/// `properties`, `required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `oneOf`,
/// `anyOf`, `allOf`,
/// `$ref` within the document, `pattern`, `minLength`, `maxLength`, `minimum`, `maximum`,
/// `exclusiveMinimum`, and the schemas `true` and `false`. Annotations, `format` among them, say
/// nothing of validity. Any other keyword makes every instance invalid, so that nothing is left
/// unchecked in silence.
class JsonSchema {
 public:
  /// What is wrong, each with a pointer into the instance; empty: it is valid.
  using Faults = std::vector<std::string>;
  using Element = simdjson::dom::element;

  /// The document that holds the schemas. It must be JSON.
  explicit JsonSchema(std::string_view document);

  [[nodiscard]] const Element& document() const { return root_; }
  /// What a pointer, or a `$ref` such as `#/components/schemas/Hold`, leads to. Nothing there fails
  /// the test and gives null.
  [[nodiscard]] Element at(std::string_view pointer) const;
  /// The element itself, or what it refers to if it is a reference.
  [[nodiscard]] Element resolved(Element element) const;

  [[nodiscard]] Faults check(const Element& schema, const Element& instance) const;
  /// The same for text. What is not JSON is at fault, too.
  [[nodiscard]] Faults check(const Element& schema, std::string_view text) const;
  /// What is wrong with a schema, wherever it leads: keywords that are not checked here, references
  /// that lead nowhere.
  [[nodiscard]] Faults check_schema(const Element& schema) const;

 private:
  std::shared_ptr<simdjson::dom::parser> parser_;
  Element root_;
};

}  // namespace holdfast::test
