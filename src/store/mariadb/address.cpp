#include "store/mariadb/address.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/percent.hpp"

namespace holdfast::mariadb {
namespace {

constexpr std::string_view example =
    "write it as in mariadb://holdfast:secret@127.0.0.1:3306/holdfast";
constexpr std::string_view options =
    "ssl, ssl_ca, ssl_cert, ssl_key, socket, connect_timeout, read_timeout, write_timeout";
constexpr std::uint16_t seconds_max = 3'600;

/// What is wrong; nothing if all is well.
using Wrong = std::optional<std::string>;

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// What stands before the first such character, which is taken away with it.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

/// The library takes strings that end with a zero byte, so none may be inside.
std::optional<std::string> decoded(std::string_view text) {
  auto bytes = percent_decoded(text);
  if (bytes && bytes->find('\0') != std::string::npos) return std::nullopt;
  return bytes;
}

std::optional<std::uint16_t> parse_number(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

/// The library reads more into a host than its name, so only names and addresses go there.
bool is_host(std::string_view text) {
  constexpr std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:";
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

Wrong parse_user(std::string_view text, Address& address) {
  const auto user = decoded(take_until(text, ':'));
  const auto password = decoded(text);
  if (!user || !password) return "has a user or a password that is not percent-encoded rightly";
  if (user->empty()) return "names no user";
  address.user = *user;
  address.password = *password;
  return std::nullopt;
}

Wrong parse_host(std::string_view text, Address& address) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = text.find(bracketed ? ']' : ':');
  std::string_view host = text.substr(0, end);
  text.remove_prefix(host.size());
  if (bracketed) {
    if (!take_prefix(text, "]")) return "has a bracket that is not closed";
    host.remove_prefix(1);
  }
  if (!is_host(host)) return "has a host that is neither a name nor an address";
  address.host = host;
  if (text.empty()) return std::nullopt;
  const auto port = text.front() == ':' ? parse_number(text.substr(1)) : std::nullopt;
  if (!port) return "has a port that is not a number from 1 to 65535";
  address.port = *port;
  return std::nullopt;
}

Wrong parse_tls(std::string_view value, Address::Tls& tls) {
  if (value == "off")
    tls = Address::Tls::off;
  else if (value == "required")
    tls = Address::Tls::required;
  else if (value == "verified")
    tls = Address::Tls::verified;
  else
    return "has an ssl that is none of off, required, verified";
  return std::nullopt;
}

Wrong parse_seconds(std::string_view name, std::string_view value, std::chrono::seconds& out) {
  const auto number = parse_number(value);
  if (!number || *number > seconds_max)
    return fmt::format("has a {} that is not a number of seconds from 1 to {}", name, seconds_max);
  out = std::chrono::seconds(*number);
  return std::nullopt;
}

Wrong parse_option(std::string_view text, Address& address) {
  const std::string_view name = take_until(text, '=');
  const auto value = decoded(text);
  if (!value || value->empty())
    return fmt::format("has no value for {}, or one that is not percent-encoded rightly", name);
  if (name == "ssl") return parse_tls(*value, address.tls);
  if (name == "connect_timeout") return parse_seconds(name, *value, address.connect_timeout);
  if (name == "read_timeout") return parse_seconds(name, *value, address.read_timeout);
  if (name == "write_timeout") return parse_seconds(name, *value, address.write_timeout);
  if (name == "socket")
    address.socket = *value;
  else if (name == "ssl_ca")
    address.tls_ca = *value;
  else if (name == "ssl_cert")
    address.tls_certificate = *value;
  else if (name == "ssl_key")
    address.tls_key = *value;
  else
    return fmt::format("has the option {}, which there is not; there are {}", name, options);
  return std::nullopt;
}

/// What does not go together.
Wrong check(const Address& address) {
  if (address.database.empty()) return "names no database";
  if (address.host.empty() && address.socket.empty()) return "names no host";
  const bool certificates =
      !address.tls_ca.empty() || !address.tls_certificate.empty() || !address.tls_key.empty();
  if (certificates && address.tls == Address::Tls::off)
    return "names certificates, but does not ask for ssl=required or ssl=verified";
  return std::nullopt;
}

Wrong parse(std::string_view text, Address& address) {
  if (!take_prefix(text, "mariadb://") && !take_prefix(text, "mysql://"))
    return "begins with neither mariadb:// nor mysql://";
  std::string_view path = take_until(text, '?');
  std::string_view authority = take_until(path, '/');
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return "names no user";
  if (auto wrong = parse_user(authority.substr(0, at), address)) return wrong;
  if (auto wrong = parse_host(authority.substr(at + 1), address)) return wrong;
  const auto database = decoded(path);
  if (!database) return "has a database that is not percent-encoded rightly";
  address.database = *database;
  while (!text.empty()) {
    if (auto wrong = parse_option(take_until(text, '&'), address)) return wrong;
  }
  return check(address);
}

}  // namespace

std::string Address::name() const {
  std::string where = host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
  if (socket.empty()) where += fmt::format(":{}", port);
  return fmt::format("mariadb://{}@{}/{}", percent_encoded(user), where, percent_encoded(database));
}

tl::expected<Address, std::string> parse_address(std::string_view url) {
  Address address;
  const Wrong wrong = parse(url, address);
  if (!wrong) return address;
  return tl::unexpected(fmt::format("the store's address {}; {}", *wrong, example));
}

}  // namespace holdfast::mariadb
