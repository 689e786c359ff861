#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast::mariadb {

/// Where a database is and how to talk to it.
struct Address {
  enum class Tls : std::uint8_t {
    off,
    required,  ///< encrypted, with whoever answers
    verified,  ///< encrypted, with a server whose certificate is good for its name
  };

  std::string host;
  std::uint16_t port = 3306;
  std::string user;
  std::string password;
  std::string database;
  std::string socket;  ///< a path; unset: over the network
  Tls tls = Tls::off;
  std::string tls_ca;  ///< files
  std::string tls_certificate;
  std::string tls_key;
  std::chrono::seconds connect_timeout{5};
  std::chrono::seconds read_timeout{12};  ///< longer than any lock is waited for
  std::chrono::seconds write_timeout{12};

  /// For people: without the password.
  [[nodiscard]] std::string name() const;
};

/// `mariadb://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?OPTION=VALUE&…]`, also as `mysql://`, each part
/// percent-encoded where it has to be. What is wrong with it, otherwise.
[[nodiscard]] tl::expected<Address, std::string> parse_address(std::string_view url);

}  // namespace holdfast::mariadb
