#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <unordered_set>

#include "outbound/address_policy.hpp"
#include "outbound/client.hpp"
#include "outbound/pool.hpp"
#include "outbound/resolver.hpp"

namespace holdfast::outbound {

class Exchange;

/// What the calls of one client have in common. But for `io` and what is constant, it belongs to
/// the client's own thread.
struct Shared {
  Shared(Options given, AddressPolicy allowed, std::unique_ptr<boost::asio::ssl::context> how)
      : options(std::move(given)), policy(std::move(allowed)), tls(std::move(how)) {}

  const Options options;
  const AddressPolicy policy;
  const std::unique_ptr<boost::asio::ssl::context> tls;
  boost::asio::io_context io{1};
  Resolver resolver{io, options.lookup};
  Pool pool{io, options};
  std::unordered_set<std::shared_ptr<Exchange>> under_way{};
  bool closed = false;  ///< nothing new begins
};

}  // namespace holdfast::outbound
