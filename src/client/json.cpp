#include "client/json.hpp"

#include <fmt/format.h>

#include <charconv>

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

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (; !text.empty(); text.remove_prefix(2)) {
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 2, byte, 16);
    if (error != std::errc() || end != text.data() + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
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
  if (const auto hex = text(fmt::format("{}_hex", name))) return from_hex(*hex);
  return text(name);
}

std::optional<std::vector<Json>> Json::array(std::string_view name) const {
  const auto values = value_of<dom::array>(value_, name);
  if (!values) return std::nullopt;
  std::vector<Json> elements;
  elements.reserve(values->size());
  for (const dom::element each : *values) elements.emplace_back(each);
  return elements;
}

Document::Document(std::string_view text) {
  dom::element root;
  if (parser_.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS) root_ = Json(root);
}

}  // namespace holdfast::client
