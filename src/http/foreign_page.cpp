#include "http/foreign_page.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

namespace holdfast::http {
namespace {

using boost::beast::iequals;

/// `localhost` of `localhost:8420`, `::1` of `[::1]:8420`.
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, std::min(host.find(']'), host.size()) - 1);
  return host.substr(0, host.rfind(':'));
}

bool is_this_machine(std::string_view host, std::string_view listen) {
  if (iequals(host, "localhost") || iequals(host, without_port(listen))) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_loopback();
}

/// The page was served from where it asks now.
bool is_own(std::string_view origin, std::string_view host) {
  const std::size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && iequals(origin.substr(scheme + 3), host);
}

}  // namespace

std::optional<std::string> foreign_page(const Request& request, const Settings& settings) {
  const std::string_view host = request.field(Field::host);
  if (request.count(Field::host) > 0 && !is_this_machine(without_port(host), settings.listen)) {
    return "Without keys the service answers only to names of this machine, such as localhost or "
           "127.0.0.1, and the Host is another. With keys it answers to any.";
  }
  const bool looks = request.method == "GET" || request.method == "HEAD";
  const bool foreign =
      request.count(Field::origin) > 1 || !is_own(request.field(Field::origin), host);
  if (looks || request.count(Field::origin) == 0 || !foreign) return std::nullopt;
  return "Without keys the service takes changes only from programs on this machine and from its "
         "own pages; the Origin is another. With keys it takes them from whoever has one.";
}

bool may_be_json(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return type.empty() || iequals(type, "application/json") ||
         iequals(type, "application/x-www-form-urlencoded");
}

}  // namespace holdfast::http
