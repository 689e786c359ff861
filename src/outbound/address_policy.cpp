#include "outbound/address_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "outbound/url.hpp"

namespace holdfast::outbound {
namespace {

namespace ip = boost::asio::ip;

template <typename Network>
bool contains(const Network& network, const decltype(network.address())& address) {
  const auto ours = network.network().to_bytes();
  const auto theirs = address.to_bytes();
  std::size_t bits = network.prefix_length();
  for (std::size_t i = 0; bits > 0; ++i) {
    const unsigned compared = bits >= 8 ? 8 : static_cast<unsigned>(bits);
    const unsigned mask = 0xffU & (0xffU << (8 - compared));
    if (((ours[i] ^ theirs[i]) & mask) != 0) return false;
    bits -= compared;
  }
  return true;
}

bool in_any(const std::vector<ip::network_v4>& networks, const ip::address_v4& address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& each) { return contains(each, address); });
}

bool in_any(const std::vector<ip::network_v6>& networks, const ip::address_v6& address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& each) { return contains(each, address); });
}

std::vector<ip::network_v4> networks_v4(std::initializer_list<const char*> texts) {
  std::vector<ip::network_v4> out;
  for (const char* each : texts) out.push_back(ip::make_network_v4(each));
  return out;
}

std::vector<ip::network_v6> networks_v6(std::initializer_list<const char*> texts) {
  std::vector<ip::network_v6> out;
  for (const char* each : texts) out.push_back(ip::make_network_v6(each));
  return out;
}

Reach reach_of_v4(const ip::address_v4& address) {
  static const auto nobody = networks_v4({"0.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32"});
  // RFC 6890 and the registry of special-purpose addresses.
  static const auto special =
      networks_v4({"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
                   "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
                   "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"});
  if (in_any(nobody, address)) return Reach::nobody;
  return in_any(special, address) ? Reach::special : Reach::global;
}

/// The IPv4 address within an IPv6 address of a kind that is routed to it.
std::optional<ip::address_v4> embedded_v4(const ip::address_v6& address) {
  static const auto nat64 = ip::make_network_v6("64:ff9b::/96");
  static const auto six_to_four = ip::make_network_v6("2002::/16");
  const auto bytes = address.to_bytes();
  const auto four_at = [&](std::size_t i) {
    return ip::address_v4({bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]});
  };
  if (address.is_v4_mapped() || contains(nat64, address)) return four_at(12);
  if (contains(six_to_four, address)) return four_at(2);
  return std::nullopt;
}

Reach reach_of_v6(const ip::address_v6& address) {
  static const auto assigned = networks_v6({"2000::/3"});
  // Protocol assignments (Teredo is one), documentation twice, and what once was the 6bone.
  static const auto special = networks_v6({"2001::/23", "2001:db8::/32", "3fff::/20", "3ffe::/16"});
  if (address.is_unspecified() || address.is_multicast()) return Reach::nobody;
  if (const auto v4 = embedded_v4(address)) return reach_of_v4(*v4);
  const bool global = in_any(assigned, address) && !in_any(special, address);
  return global ? Reach::global : Reach::special;
}

/// A mapped address is the IPv4 address: the system connects to that.
ip::address unmapped(const ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

}  // namespace

Reach reach_of(const ip::address& address) {
  return address.is_v4() ? reach_of_v4(address.to_v4()) : reach_of_v6(address.to_v6());
}

tl::expected<AddressPolicy, std::string> AddressPolicy::make(
    const std::vector<std::string>& allowed) {
  AddressPolicy policy;
  for (const std::string& each : allowed) {
    if (policy.add(each)) continue;
    return tl::unexpected(
        fmt::format("{} is no network such as 10.1.0.0/16, no address and no host name", each));
  }
  return policy;
}

bool AddressPolicy::add(std::string_view text) {
  boost::system::error_code error;
  const std::string whole(text);
  if (const auto v4 = ip::make_network_v4(whole, error); !error) {
    networks_v4_.push_back(v4);
    return true;
  }
  if (const auto v6 = ip::make_network_v6(whole, error); !error) {
    networks_v6_.push_back(v6);
    return true;
  }
  if (const auto address = ip::make_address(whole, error); !error) {
    if (address.is_v4()) networks_v4_.emplace_back(address.to_v4(), 32);
    if (address.is_v6()) networks_v6_.emplace_back(address.to_v6(), 128);
    return true;
  }
  const auto host = valid_host_name(text);
  if (host) hosts_.insert(*host);
  return host.has_value();
}

bool AddressPolicy::lists(const ip::address& address) const {
  return address.is_v4() ? in_any(networks_v4_, address.to_v4())
                         : in_any(networks_v6_, address.to_v6());
}

bool AddressPolicy::allows(const std::string& host, const ip::address& address) const {
  const Reach reach = reach_of(address);
  if (reach == Reach::global || lists(unmapped(address))) return true;
  return reach == Reach::special && hosts_.contains(host);
}

}  // namespace holdfast::outbound
