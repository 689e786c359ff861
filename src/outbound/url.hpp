#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

/// Where a call goes. Pure, safe to call from any thread.
namespace holdfast::outbound {

/// `http[s]://HOST[:PORT][/PATH][?QUERY]`, taken apart.
struct Url {
  bool tls = false;
  std::string host{};  ///< a name in lower case, or an address; IPv6 without its brackets
  /// Set if the host is an address.
  std::optional<boost::asio::ip::address> address{};
  std::uint16_t port = 80;
  std::string target = "/";  ///< path and query

  /// As the `Host` header wants it: brackets around IPv6, no port that goes without saying.
  [[nodiscard]] std::string authority() const;
  /// Scheme, host and port: who shares connections, and who may see secrets.
  [[nodiscard]] std::string origin() const;
};

/// What is wrong with it, otherwise. The text repeats nothing of it.
[[nodiscard]] tl::expected<Url, std::string> parse_url(std::string_view text);

/// Where a `Location` leads, seen from `base` (RFC 3986, 5.2). Its fragment is left out.
[[nodiscard]] tl::expected<Url, std::string> resolve_reference(const Url& base,
                                                               std::string_view reference);

/// The name in lower case, if it can be one: labels of letters, digits, `-` and `_`, the last one
/// no number. Programs disagree on which address such a number is.
[[nodiscard]] std::optional<std::string> valid_host_name(std::string_view text);

}  // namespace holdfast::outbound
