#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "outbound/client.hpp"

namespace holdfast::outbound {

using Addresses = std::vector<boost::asio::ip::address>;

/// Looks up names on a few threads of its own, so that a name that takes long holds up few others.
/// Whoever asks for a name that is being looked up shares the result; none is kept for later.
/// Belongs to the thread of `io`, on which results are told.
class Resolver {
 public:
  using Told = std::function<void(const tl::expected<Addresses, std::string>&)>;

  /// Without a lookup: the system's.
  Resolver(boost::asio::io_context& io, Lookup lookup);
  /// Waits for what is under way. Nobody is told any more.
  ~Resolver();

  /// Tells later, never at once. Whoever does not care any more ignores it.
  void look_up(const std::string& host, Told told);

 private:
  void found(const std::string& host, const tl::expected<Addresses, std::string>& addresses);

  boost::asio::io_context& io_;
  const Lookup lookup_;
  std::map<std::string, std::vector<Told>> under_way_;
  boost::asio::thread_pool threads_;
};

}  // namespace holdfast::outbound
