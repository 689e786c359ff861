#pragma once

#include "client/message.hpp"
#include "client/transport.hpp"
#include "holdfast/client.hpp"

namespace holdfast::client {

/// What all calls of a client share. Safe to use from any thread.
class Core {
 public:
  Core(ClientOptions given, Url url, std::unique_ptr<boost::asio::ssl::context> tls);

  /// One attempt, within what is left of the caller's patience.
  [[nodiscard]] tl::expected<Response, Lost> exchange(const Request& request, Duration left);

  const ClientOptions options;

 private:
  Transport transport_;
};

}  // namespace holdfast::client

struct holdfast::Client::Impl : client::Core {
  using Core::Core;
};
