#include "outbound/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace holdfast::outbound {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

constexpr std::size_t url_bytes_max = 8192;
constexpr std::size_t host_bytes_max = 253;
constexpr std::size_t label_bytes_max = 63;
constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_label(std::string_view text) {
  if (text.empty() || text.size() > label_bytes_max) return false;
  if (text.front() == '-' || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  });
}

bool is_number(std::string_view label) {
  if (label.starts_with("0x")) return true;
  return std::all_of(label.begin(), label.end(), is_digit);
}

std::optional<std::uint16_t> parse_port_number(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

bool set_host(Url& url, std::string_view text) {
  error_code error;
  if (text.starts_with('[')) {
    if (!text.ends_with(']') || text.find('%') != std::string_view::npos) return false;
    const auto address = ip::make_address_v6(std::string(text.substr(1, text.size() - 2)), error);
    url.address = address;
    url.host = address.to_string();
    return !error;
  }
  if (const auto address = ip::make_address_v4(std::string(text), error); !error) {
    url.address = address;
    url.host = address.to_string();
    return true;
  }
  auto name = valid_host_name(text);
  if (name) url.host = std::move(*name);
  return name.has_value();
}

/// Only what may stand in a request line; this keeps blanks and line ends out.
bool is_target(std::string_view text) {
  constexpr std::string_view excluded = "\"<>\\^`{|}#";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c <= ' ' || c > '~' || excluded.find(c) != std::string_view::npos) return false;
    if (c != '%') continue;
    if (i + 2 >= text.size() || !is_hex_digit(text[i + 1]) || !is_hex_digit(text[i + 2]))
      return false;
  }
  return true;
}

/// The scheme as it stands in front of a colon; empty: there is none.
std::string_view scheme_of(std::string_view text) {
  const std::size_t end = text.find_first_of(":/?#");
  if (end == std::string_view::npos || text[end] != ':') return {};
  return text.substr(0, end);
}

/// RFC 3986, 5.2.4, for a path that begins with a slash.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    if (segment == "/..") {
      out.erase(std::min(out.rfind('/'), out.size()));
    } else if (segment != "/.") {
      out += segment;
      continue;
    }
    if (path.empty()) out += '/';
  }
  return out;
}

}  // namespace

std::string Url::authority() const {
  const bool bracketed = address && address->is_v6();
  std::string text = bracketed ? fmt::format("[{}]", host) : host;
  if (port != (tls ? https_port : http_port)) text += fmt::format(":{}", port);
  return text;
}

std::string Url::origin() const {
  return fmt::format("{}://{}", tls ? "https" : "http", authority());
}

std::optional<std::string> valid_host_name(std::string_view text) {
  if (text.empty() || text.size() > host_bytes_max) return std::nullopt;
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(), lower_letter);
  std::string_view rest = name;
  while (true) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (!is_label(label)) return std::nullopt;
    if (label.size() == rest.size()) return is_number(label) ? std::nullopt : std::optional(name);
    rest.remove_prefix(label.size() + 1);
  }
}

tl::expected<Url, std::string> parse_url(std::string_view text) {
  const auto wrong = [](const char* what) {
    return tl::unexpected(fmt::format("the URL {}", what));
  };
  if (text.size() > url_bytes_max) return wrong("is longer than 8,192 bytes");
  std::string scheme(scheme_of(text));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(), lower_letter);
  Url url;
  url.tls = scheme == "https";
  if (!url.tls && scheme != "http") return wrong("begins with neither http:// nor https://");
  text.remove_prefix(scheme.size() + 1);
  if (!text.starts_with("//")) return wrong("names no host");
  text.remove_prefix(2);
  std::string_view authority = text.substr(0, text.find_first_of("/?#\\"));
  text.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos) return wrong("names a user");
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  url.port = url.tls ? https_port : http_port;
  if (colon != std::string_view::npos) {
    const auto port = parse_port_number(authority.substr(colon + 1));
    if (!port) return wrong("has a port that is not a number from 1 to 65535");
    url.port = *port;
  }
  if (!set_host(url, authority.substr(0, colon))) return wrong("has a host that cannot be one");
  if (!is_target(text)) return wrong("has a character that must be percent-encoded, or a fragment");
  url.target = text.starts_with('/') ? std::string(text) : fmt::format("/{}", text);
  return url;
}

tl::expected<Url, std::string> resolve_reference(const Url& base, std::string_view reference) {
  reference = reference.substr(0, reference.find('#'));
  if (!scheme_of(reference).empty()) return parse_url(reference);
  if (reference.starts_with("//"))
    return parse_url(fmt::format("{}:{}", base.tls ? "https" : "http", reference));
  const std::string_view path = std::string_view(base.target).substr(0, base.target.find('?'));
  std::string target(reference);
  if (reference.empty()) {
    target = base.target;
  } else if (reference.starts_with('?')) {
    target.insert(0, path);
  } else if (!reference.starts_with('/')) {
    target.insert(0, path.substr(0, path.rfind('/') + 1));
  }
  const std::size_t query = std::min(target.find('?'), target.size());
  return parse_url(base.origin() + without_dots(std::string_view(target).substr(0, query)) +
                   target.substr(query));
}

}  // namespace holdfast::outbound
