#include "outbound/resolver.hpp"

#include <netdb.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cstring>
#include <memory>

namespace holdfast::outbound {
namespace {

constexpr std::size_t lookup_threads = 4;
/// Of different names. Names that never answer must not pile up.
constexpr std::size_t lookups_max = 1024;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

/// With its zone, if it has one.
std::string text_of_address(const addrinfo& entry) {
  boost::asio::ip::tcp::endpoint endpoint;
  if (entry.ai_addrlen > endpoint.capacity()) return {};
  std::memcpy(endpoint.data(), entry.ai_addr, entry.ai_addrlen);
  endpoint.resize(entry.ai_addrlen);
  return endpoint.address().to_string();
}

tl::expected<std::vector<std::string>, std::string> system_lookup(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0) return tl::unexpected(std::string(::gai_strerror(error)));
  const std::unique_ptr<addrinfo, FreeAddresses> owned(list);
  std::vector<std::string> out;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next)
    out.push_back(text_of_address(*each));
  return out;
}

tl::expected<Addresses, std::string> addresses_of(const Lookup& lookup, const std::string& host) {
  const auto texts = lookup(host);
  if (!texts) return tl::unexpected(texts.error());
  Addresses out;
  for (const std::string& each : *texts) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(each, error);
    if (!error) out.push_back(address);
  }
  if (out.empty()) return tl::unexpected(std::string("the name has no address"));
  return out;
}

}  // namespace

Resolver::Resolver(boost::asio::io_context& io, Lookup lookup)
    : io_(io), lookup_(lookup ? std::move(lookup) : system_lookup), threads_(lookup_threads) {}

Resolver::~Resolver() {
  threads_.stop();
  threads_.join();
}

void Resolver::look_up(const std::string& host, Told told) {
  const auto known = under_way_.find(host);
  if (known != under_way_.end()) return known->second.push_back(std::move(told));
  if (under_way_.size() >= lookups_max) {
    boost::asio::post(io_, [told = std::move(told)] {
      told(tl::unexpected(std::string("too many names are being looked up")));
    });
    return;
  }
  under_way_[host].push_back(std::move(told));
  boost::asio::post(threads_, [this, host] {
    auto addresses = addresses_of(lookup_, host);
    boost::asio::post(io_,
                      [this, host, addresses = std::move(addresses)] { found(host, addresses); });
  });
}

void Resolver::found(const std::string& host,
                     const tl::expected<Addresses, std::string>& addresses) {
  const auto waiting = under_way_.extract(host);
  if (waiting.empty()) return;
  for (const Told& each : waiting.mapped()) each(addresses);
}

}  // namespace holdfast::outbound
