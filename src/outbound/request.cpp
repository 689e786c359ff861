#include "outbound/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>

#include "holdfast/version.hpp"

namespace holdfast::outbound {
namespace {

using boost::beast::iequals;

constexpr std::size_t header_bytes_max = std::size_t{64} << 10U;
constexpr int redirects_allowed_max = 20;
constexpr Duration time_max = std::chrono::hours(24);

/// What the client says itself, and what changes how messages travel.
constexpr std::array<std::string_view, 13> own_headers{"Host",
                                                       "Content-Length",
                                                       "Connection",
                                                       "Transfer-Encoding",
                                                       "Accept-Encoding",
                                                       "Expect",
                                                       "TE",
                                                       "Trailer",
                                                       "Upgrade",
                                                       "Keep-Alive",
                                                       "Proxy-Connection",
                                                       "HTTP2-Settings",
                                                       "Max-Forwards"};
constexpr std::array<std::string_view, 3> secret_headers{"Authorization", "Proxy-Authorization",
                                                         "Cookie"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return iequals(each, name); });
}

/// RFC 9110, 5.6.2.
constexpr std::string_view token_marks = "!#$%&'*+-.^_`|~";

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           token_marks.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

/// Nullptr: nothing is wrong.
const char* fault_of_headers(const std::vector<Header>& headers) {
  std::size_t bytes = 0;
  for (const Header& each : headers) {
    if (!is_token(each.name)) return "the name of a header is no token";
    if (!is_field_value(each.value)) return "the value of a header has a control character";
    if (is_one_of(each.name, own_headers)) return "a header is the client's own";
    bytes += each.name.size() + each.value.size();
  }
  return bytes > header_bytes_max ? "the headers are longer than 64 KiB" : nullptr;
}

bool is_time(Duration time) { return time > Duration::zero() && time <= time_max; }

const char* fault_of(const Call& call) {
  if (!is_token(call.method)) return "the method is no token";
  if (call.method == "CONNECT" || call.method == "TRACE") return "the method is not allowed";
  if (!is_time(call.limits.connect) || !is_time(call.limits.total))
    return "a limit of time is not above zero, or longer than a day";
  if (call.limits.redirects_max < 0 || call.limits.redirects_max > redirects_allowed_max)
    return "redirects_max is not from 0 to 20";
  return fault_of_headers(call.headers);
}

/// A request without a body says nothing about one, unless its method usually has one.
bool tells_length(const Request& request) {
  return !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
         request.method == "PATCH";
}

}  // namespace

tl::expected<Request, std::string> checked(Call&& call) {
  if (const char* fault = fault_of(call)) return tl::unexpected(std::string(fault));
  auto url = parse_url(call.url);
  if (!url) return tl::unexpected(std::move(url.error()));
  return Request{.method = std::move(call.method),
                 .url = std::move(*url),
                 .headers = std::move(call.headers),
                 .body = std::move(call.body)};
}

std::string render(const Request& request) {
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{} {} HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: identity\r\n", request.method,
                 request.url.target, request.url.authority());
  if (!find_header(request.headers, "User-Agent"))
    fmt::format_to(to, "User-Agent: holdfast/{}\r\n", version);
  for (const Header& each : request.headers)
    fmt::format_to(to, "{}: {}\r\n", each.name, each.value);
  if (tells_length(request)) fmt::format_to(to, "Content-Length: {}\r\n", request.body.size());
  out += "\r\n";
  out += request.body;
  return out;
}

tl::expected<bool, std::string> redirect(Request& request, const Response& response) {
  const bool any_method = response.status == 307 || response.status == 308;
  const bool get_only = response.status >= 301 && response.status <= 303;
  if (!any_method && !get_only) return false;
  if (get_only && request.method != "GET" && request.method != "HEAD") return false;
  const auto location = find_header(response.headers, "Location");
  if (!location) return false;
  auto url = resolve_reference(request.url, *location);
  if (!url) return tl::unexpected(fmt::format("redirected elsewhere: {}", url.error()));
  if (request.url.tls && !url->tls)
    return tl::unexpected(std::string("redirected from https to http"));
  if (url->origin() != request.url.origin()) {
    std::erase_if(request.headers, [](const Header& each) {
      return each.secret || is_one_of(each.name, secret_headers);
    });
  }
  request.url = std::move(*url);
  return true;
}

}  // namespace holdfast::outbound
