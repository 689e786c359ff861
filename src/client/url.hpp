#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/percent.hpp"

/// Addresses: where the server is, and what is asked of it.
namespace holdfast::client {

/// `http[s]://HOST[:PORT][/PREFIX]`, taken apart.
struct Url {
  bool tls = false;
  std::string host;  ///< a name or an address; an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string prefix{};  ///< empty, or `/…` without a slash at the end

  /// As the `Host` header wants it: brackets around IPv6, no port that goes without saying.
  [[nodiscard]] std::string authority() const;
  friend bool operator==(const Url&, const Url&) = default;
};

/// What is wrong with it, otherwise, and what would be right.
[[nodiscard]] tl::expected<Url, std::string> parse_url(std::string_view text);

/// Adds `name=value`, percent-encoded, behind the `?` or `&` that is due.
void add_query(std::string& target, std::string_view name, std::string_view value);

}  // namespace holdfast::client
