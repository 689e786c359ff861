#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast::outbound {

/// What an address is good for.
enum class Reach : std::uint8_t {
  global,   ///< anybody's, on the Internet
  special,  ///< this machine, its networks, documentation, reserved, and whatever stands for those
  nobody,   ///< unspecified, broadcast, multicast: no single peer
};

/// IPv6 addresses that carry an IPv4 address (mapped, NAT64, 6to4) are what that one is. IPv6
/// addresses that nobody was assigned, the deprecated compatible ones and Teredo are `special`.
[[nodiscard]] Reach reach_of(const boost::asio::ip::address& address);

/// Which addresses may be called. Never changes: safe to use from any thread.
class AddressPolicy {
 public:
  /// Global addresses and these: networks in CIDR notation, addresses, and names of hosts.
  /// Otherwise says which of them is none.
  [[nodiscard]] static tl::expected<AddressPolicy, std::string> make(
      const std::vector<std::string>& allowed);

  /// Whether `address` may be connected to, given that it was found as the address of `host`, which
  /// is in lower case.
  [[nodiscard]] bool allows(const std::string& host, const boost::asio::ip::address& address) const;

 private:
  bool add(std::string_view text);
  [[nodiscard]] bool lists(const boost::asio::ip::address& address) const;

  std::vector<boost::asio::ip::network_v4> networks_v4_;
  std::vector<boost::asio::ip::network_v6> networks_v6_;
  std::set<std::string> hosts_;
};

}  // namespace holdfast::outbound
