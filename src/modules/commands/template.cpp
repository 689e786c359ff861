#include "modules/commands/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "modules/commands/template_parts.hpp"

namespace holdfast::commands {
namespace {

constexpr std::array<std::string_view, 6> methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

template <typename Headers>
bool has_header(const Headers& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& each) { return lower(each.first) == lower(name); });
}

tl::unexpected<TemplateError> wrong(std::string member, std::string text) {
  return tl::unexpected(TemplateError{std::move(member), std::move(text)});
}

void add_secrets(const TemplatePieces& pieces, std::set<std::string>& names) {
  for (const TemplatePiece& each : pieces) {
    if (each.placeholder && each.placeholder->source == PlaceholderSource::secret)
      names.insert(each.placeholder->path.front());
  }
}

std::optional<TemplateError> method_error(const RequestTemplate& request) {
  if (std::find(methods.begin(), methods.end(), request.method) == methods.end())
    return TemplateError{"method", "must be one of GET, HEAD, POST, PUT, PATCH and DELETE"};
  if (!request.body.empty() && !has_body(request.method))
    return TemplateError{
        "body", fmt::format("cannot be sent with {}; leave it out, or choose a method that has one",
                            request.method)};
  return std::nullopt;
}

}  // namespace

bool has_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

tl::expected<std::shared_ptr<const ParsedRequest>, TemplateError> ParsedRequest::parse(
    const RequestTemplate& request, std::string_view key_header) {
  auto parsed = std::make_shared<ParsedRequest>();
  if (auto error = method_error(request)) return tl::unexpected(std::move(*error));
  parsed->method_ = request.method;
  if (!request.url.empty()) {
    auto url = parse_url(request.url);
    if (!url) return wrong("url", std::move(url.error()));
    parsed->url_ = std::move(*url);
  }

  std::set<std::string> names;
  if (!key_header.empty()) {
    parsed->headers_.push_back({std::string(key_header), *parse_pieces("{key}")});
    names.insert(lower(key_header));
  }
  for (const auto& [name, text] : request.headers) {
    const std::string member = "headers." + name;
    if (!is_header_name(name))
      return wrong(member, "cannot be set: it is not a header's name, or the connection's own");
    if (!names.insert(lower(name)).second)
      return wrong(member, "is set twice; keep one of the two");
    auto value = parse_header(text);
    if (!value) return wrong(member, std::move(value.error()));
    parsed->headers_.push_back({name, std::move(*value)});
  }
  parsed->args_are_body_ = request.body.empty() && has_body(request.method);
  auto body = parse_body(request.body);
  if (!body) return wrong("body", std::move(body.error()));
  parsed->body_ = std::move(*body);
  return parsed;
}

tl::expected<RenderedRequest, std::string> ParsedRequest::render(
    const TemplateValues& values, const SecretLookup& secrets, const TemplateLimits& limits) const {
  Fields fields(values, secrets);
  RenderedRequest made{.method = method_, .url = {}, .headers = {}, .body = {}};
  auto url = render_url(url_, fields, limits.url_bytes_max);
  if (!url) return refuse("url: " + url.error());
  made.url = std::move(*url);
  for (const Header& each : headers_) {
    auto value = render_header(each.value, fields, limits.header_bytes_max);
    if (!value) return refuse(fmt::format("header {}: {}", each.name, value.error()));
    made.headers.emplace_back(each.name, std::move(*value));
  }
  if (args_are_body_) {
    if (values.envelope.args.size() > limits.body_bytes_max)
      return refuse("body: " + too_long(limits.body_bytes_max).value());
    made.body = values.envelope.args;
  } else {
    auto body = render_body(body_, fields, limits.body_bytes_max);
    if (!body) return refuse("body: " + body.error());
    made.body = std::move(*body);
  }
  if (!made.body.empty() && !has_header(made.headers, "Content-Type"))
    made.headers.emplace_back("Content-Type", "application/json");
  return made;
}

std::vector<std::string> ParsedRequest::secrets() const {
  std::set<std::string> names;
  add_secrets(url_, names);
  for (const Header& each : headers_) add_secrets(each.value, names);
  add_secrets(body_, names);
  return {names.begin(), names.end()};
}

}  // namespace holdfast::commands
