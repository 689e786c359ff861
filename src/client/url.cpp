#include "client/url.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace holdfast::client {
namespace {

constexpr std::string_view example = "write it as in http://127.0.0.1:8420";
constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

/// Only what may stand in a request line and a Host header; this also keeps line ends out.
bool is_printable(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

/// Takes the host off the front of an authority; what is left is empty or begins with the colon.
std::string_view take_host(std::string_view& authority) {
  const bool bracketed = authority.starts_with('[');
  const std::size_t end = authority.find(bracketed ? ']' : ':');
  std::string_view host = authority.substr(0, end);
  authority.remove_prefix(host.size());
  if (bracketed && take_prefix(authority, "]")) host.remove_prefix(1);
  return host;
}

}  // namespace

std::string Url::authority() const {
  const bool bare_ipv6 = host.find(':') != std::string::npos;
  std::string text = bare_ipv6 ? fmt::format("[{}]", host) : host;
  if (port != (tls ? https_port : http_port)) text += fmt::format(":{}", port);
  return text;
}

tl::expected<Url, std::string> parse_url(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return tl::unexpected(fmt::format("the server's address {}; {}", what, example));
  };
  if (!is_printable(text)) return wrong("holds a blank or a character that is not ASCII");
  Url url;
  url.tls = take_prefix(text, "https://");
  if (!url.tls && !take_prefix(text, "http://"))
    return wrong("begins with neither http:// nor https://");
  if (text.find_first_of("?#") != std::string_view::npos) return wrong("has a query or a fragment");
  std::string_view authority = text.substr(0, text.find('/'));
  std::string_view prefix = text.substr(authority.size());
  if (authority.find('@') != std::string_view::npos) {
    return wrong("names a user; the credential is given apart from it");
  }
  url.host = take_host(authority);
  if (url.host.empty() || url.host.find_first_of("[]") != std::string::npos) {
    return wrong("names no host");
  }
  url.port = url.tls ? https_port : http_port;
  if (!authority.empty()) {
    const auto port = authority.front() == ':' ? parse_port(authority.substr(1)) : std::nullopt;
    if (!port) return wrong("has a port that is not a number from 1 to 65535");
    url.port = *port;
  }
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  url.prefix = prefix;
  return url;
}

void add_query(std::string& target, std::string_view name, std::string_view value) {
  target += target.find('?') == std::string::npos ? '?' : '&';
  target += fmt::format("{}={}", name, percent_encoded(value));
}

}  // namespace holdfast::client
