#pragma once

#include "client/message.hpp"
#include "client/transport.hpp"
#include "holdfast/client.hpp"

namespace holdfast::client {

/// What all calls of a client share. Safe to use from any thread.
struct Core {
  const ClientOptions options;
  Transport transport;

  /// One attempt, within what is left of the caller's patience.
  [[nodiscard]] tl::expected<Response, Lost> exchange(const Request& request, Duration left);
};

}  // namespace holdfast::client

struct holdfast::Client::Impl {
  client::Core core;
};
