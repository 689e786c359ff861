#include "client/json.hpp"

#include <fmt/format.h>

#include "base/hex.hpp"
#include "base/time_text.hpp"

namespace holdfast::client {
namespace {

namespace dom = simdjson::dom;

template <typename T>
std::optional<T> value_of(dom::element object, std::string_view name) {
  T value{};
  if (object[name].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Json> Json::member(std::string_view name) const {
  const auto value = value_of<dom::element>(value_, name);
  return value ? std::optional(Json(*value)) : std::nullopt;
}

std::optional<std::string> Json::text(std::string_view name) const {
  const auto value = value_of<std::string_view>(value_, name);
  return value ? std::optional(std::string(*value)) : std::nullopt;
}

std::optional<std::int64_t> Json::integer(std::string_view name) const {
  return value_of<std::int64_t>(value_, name);
}

std::optional<bool> Json::truth(std::string_view name) const {
  return value_of<bool>(value_, name);
}

std::optional<Instant> Json::instant(std::string_view name) const {
  const auto value = value_of<std::string_view>(value_, name);
  return value ? parse_rfc3339(*value) : std::nullopt;
}

std::optional<std::string> Json::bytes(std::string_view name) const {
  const auto hex = text(fmt::format("{}_hex", name));
  if (!hex) return text(name);
  std::string bytes(hex->size() / 2, '\0');
  return from_hex(*hex, bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<std::vector<Json>> Json::array(std::string_view name) const {
  const auto values = value_of<dom::array>(value_, name);
  if (!values) return std::nullopt;
  std::vector<Json> elements;
  elements.reserve(values->size());
  for (const dom::element each : *values) elements.emplace_back(each);
  return elements;
}

std::optional<std::vector<std::uint64_t>> Json::numbers(std::string_view name) const {
  const auto values = value_of<dom::array>(value_, name);
  if (!values) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const dom::element each : *values) {
    if (each.get(numbers.emplace_back()) != simdjson::SUCCESS) return std::nullopt;
  }
  return numbers;
}

Document::Document(std::string_view text) {
  dom::element root;
  if (parser_.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS) root_ = Json(root);
}

}  // namespace holdfast::client
