#include "modules/commands/placeholder.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "domain/canonical.hpp"

namespace holdfast::commands {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t path_max = 16;
constexpr std::size_t name_bytes_max = 64;
constexpr const char* forms =
    "{args.NAME}, {target}, {target.NAME}, {key}, {command_id}, {tenant}, {actor_id}, "
    "{effective_actor_id}, {correlation_id} or {secret.NAME}";

struct SourceRow {
  PlaceholderSource source;
  std::string_view name;
};

constexpr std::array source_rows{
    SourceRow{PlaceholderSource::args, "args"},
    SourceRow{PlaceholderSource::target, "target"},
    SourceRow{PlaceholderSource::key, "key"},
    SourceRow{PlaceholderSource::command_id, "command_id"},
    SourceRow{PlaceholderSource::tenant, "tenant"},
    SourceRow{PlaceholderSource::actor_id, "actor_id"},
    SourceRow{PlaceholderSource::effective_actor_id, "effective_actor_id"},
    SourceRow{PlaceholderSource::correlation_id, "correlation_id"},
    SourceRow{PlaceholderSource::secret, "secret"}};

bool is_name(std::string_view text) {
  constexpr std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !text.empty() && text.size() <= name_bytes_max &&
         text.find_first_not_of(allowed) == std::string_view::npos;
}

/// The text as an error shows it: on one line, and short.
std::string printable(std::string_view text) {
  std::string shown(text.substr(0, name_bytes_max));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return shown;
}

std::vector<std::string> split_by_dots(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    parts.emplace_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.emplace_back(text);
  return parts;
}

/// Whether a source may have so many names after it.
bool fits(PlaceholderSource source, std::size_t names) {
  switch (source) {
    case PlaceholderSource::args:
    case PlaceholderSource::target:
      return names <= path_max;
    case PlaceholderSource::secret:
      return names == 1;
    default:
      return names == 0;
  }
}

tl::unexpected<std::string> because(const Placeholder& placeholder, std::string_view what) {
  return refuse(placeholder.text + " " + std::string(what));
}

FieldValue text_value(std::string_view text) { return {FieldValue::Kind::text, std::string(text)}; }

/// Numbers as RFC 8785 writes them, whatever their parser makes of them.
FieldValue value_of(const dom::element& value) {
  using Kind = FieldValue::Kind;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return text_value(text);
  auto json = canonicalize(simdjson::minify(value), {.depth = 512, .bytes = SIZE_MAX});
  HOLDFAST_ASSERT(json.has_value());
  const bool composite = value.is_object() || value.is_array();
  const Kind plain = value.is_bool() ? Kind::boolean : value.is_null() ? Kind::null : Kind::number;
  return {composite ? Kind::composite : plain, std::move(*json)};
}

}  // namespace

tl::expected<Placeholder, std::string> parse_placeholder(std::string_view text) {
  std::vector<std::string> parts = split_by_dots(text);
  const auto* const row =
      std::find_if(source_rows.begin(), source_rows.end(),
                   [&](const SourceRow& each) { return each.name == parts.front(); });
  parts.erase(parts.begin());
  if (row == source_rows.end() || !fits(row->source, parts.size()) ||
      !std::all_of(parts.begin(), parts.end(), is_name))
    return refuse("{" + printable(text) + "} stands for nothing; write " + forms);
  return Placeholder{row->source, std::move(parts), std::string(text)};
}

Fields::Fields(const TemplateValues& values, const SecretLookup& secrets)
    : values_(values), secrets_(secrets) {}

tl::expected<FieldValue, std::string> Fields::at(const Placeholder& placeholder) {
  const Envelope& envelope = values_.envelope;
  switch (placeholder.source) {
    case PlaceholderSource::args:
      return in_json(envelope.args, placeholder);
    case PlaceholderSource::target:
      return in_json(envelope.target, placeholder);
    case PlaceholderSource::key:
      return text_value(values_.key);
    case PlaceholderSource::command_id:
      return text_value(values_.command_id);
    case PlaceholderSource::tenant:
      return text_value(values_.tenant);
    case PlaceholderSource::actor_id:
      return text_value(envelope.actor);
    case PlaceholderSource::effective_actor_id:
      return text_value(envelope.effective_actor);
    case PlaceholderSource::correlation_id:
      return text_value(envelope.correlation_id);
    case PlaceholderSource::secret:
      break;
  }
  auto secret = secrets_ ? secrets_(placeholder.path.front()) : std::nullopt;
  if (!secret) return because(placeholder, "is not in the file of secrets");
  return FieldValue{FieldValue::Kind::text, std::move(*secret)};
}

tl::expected<FieldValue, std::string> Fields::in_json(const std::string& json,
                                                      const Placeholder& placeholder) {
  if (json.empty()) return because(placeholder, "is missing");
  dom::element value;
  if (parser_.parse(json).get(value) != simdjson::SUCCESS)
    return because(placeholder, "cannot be read: it is not JSON");
  for (const std::string& each : placeholder.path) {
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS || object.at_key(each).get(value))
      return because(placeholder, "is missing");
  }
  return value_of(value);
}

}  // namespace holdfast::commands
