#include "evidence/strict_json.hpp"

#include "domain/canonical.hpp"

namespace holdfast::evidence {

bool StrictJson::parse(std::string_view text) {
  auto canonical = canonicalize(text, {.depth = depth_max, .bytes = text.size()});
  if (!canonical) return false;
  text_ = std::move(*canonical);
  return parser_.parse(text_).get(root_) == simdjson::SUCCESS;
}

bool StrictJson::descend(std::string_view name) {
  const auto found = member(root_, name);
  return found && parse(simdjson::minify(*found));
}

std::optional<Element> member(const Element& object, std::string_view name) {
  const auto found = object[name];
  if (found.error() != simdjson::SUCCESS) return std::nullopt;
  return found.value_unsafe();
}

std::size_t members_of(const Element& value) {
  simdjson::dom::object object;
  return value.get(object) == simdjson::SUCCESS ? object.size() : 0;
}

std::optional<Digest> digest_in(const std::optional<Element>& value) {
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return std::nullopt;
  return Digest::from_hex(text);
}

std::optional<std::uint64_t> number_in(const std::optional<Element>& value) {
  std::uint64_t number = 0;
  if (!value || value->get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

}  // namespace holdfast::evidence
