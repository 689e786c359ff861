#include "modules/webhooks/source.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/json_writer.hpp"
#include "domain/canonical.hpp"
#include "domain/digest.hpp"

namespace holdfast::webhooks {
namespace {

constexpr std::string_view names[] = {"command", "forward", "pull"};
constexpr std::size_t args_bytes_max = std::size_t{16} << 20U;

/// Of both, so that no other pair has the same.
std::string digest_of(std::string_view source, std::string_view event_id) {
  return sha256(fmt::format("{}\n{}{}", source.size(), source, event_id)).hex();
}

using Values = std::vector<std::pair<std::string, std::string>>;

/// What stands at the pointers, or the name of the first where nothing does.
tl::expected<Values, std::string> values_at(const Source& source, std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element body;
  Values values;
  if (parser.parse(json.data(), json.size()).get(body) != simdjson::SUCCESS) return values;
  for (const auto& [member, pointer] : source.args) {
    simdjson::dom::element value;
    if (body.at_pointer(pointer).get(value) != simdjson::SUCCESS)
      return tl::unexpected(fmt::format("the body has nothing at {}", pointer));
    values.emplace_back(member, simdjson::minify(value));
  }
  return values;
}

}  // namespace

std::string_view name(Follows follows) { return names[static_cast<std::size_t>(follows)]; }

std::optional<Follows> follows_named(std::string_view name) {
  for (const Follows each : all_follows) {
    if (webhooks::name(each) == name) return each;
  }
  return std::nullopt;
}

std::pair<std::string, std::string> Source::intent() const {
  const std::size_t dot = std::min(target.find('.'), target.size());
  return {target.substr(0, dot), dot == target.size() ? "" : target.substr(dot + 1)};
}

std::string event_token(std::string_view source, std::string_view event_id) {
  return "\xff"
         "webhook " +
         digest_of(source, event_id);
}

std::string command_key(std::string_view source, std::string_view event_id) {
  return "wh1-" + digest_of(source, event_id);
}

std::string principal_of(std::string_view source) { return fmt::format("webhook:{}", source); }

tl::expected<std::string, std::string> arguments_of(const Source& source, std::string_view body) {
  auto json = canonicalize(body, {.bytes = args_bytes_max});
  if (!json) return tl::unexpected("the body is not JSON: " + json.error().message);
  if (source.args.empty()) {
    if (!json->starts_with('{')) return tl::unexpected(std::string("the body is not an object"));
    return std::move(*json);
  }
  const auto values = values_at(source, *json);
  if (!values) return tl::unexpected(values.error());
  std::string text;
  JsonWriter writer(text);
  writer.begin_object();
  for (const auto& [member, value] : *values) {
    writer.key(member);
    writer.raw(value);
  }
  writer.end_object();
  auto args = canonicalize(text, {.bytes = args_bytes_max});
  if (!args) return tl::unexpected("the arguments are not JSON: " + args.error().message);
  return std::move(*args);
}

}  // namespace holdfast::webhooks
