#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/types.hpp"

/// What goes over a connection and what comes back, without the library that carries it.
namespace holdfast::client {

struct Request {
  std::string_view method = "GET";  ///< a literal
  std::string target;               ///< path and query, behind the prefix of the server's address
  std::string body{};               ///< JSON, or empty
  std::vector<std::pair<std::string_view, std::string>> headers{};
};

/// The parts of a response that mean something to us.
struct Response {
  int status = 0;
  std::string body{};
  std::string replayed{};       ///< `Idempotent-Replayed`
  std::string token{};          ///< `Idempotency-Key`, as it was written
  std::string token_expires{};  ///< `Idempotency-Expires`
  std::string retry_after{};
  std::string date{};
  std::string location{};
  /// The same request had been sent on another connection just before, and may have arrived.
  bool sent_twice = false;
};

/// Why there is no response.
struct Lost {
  std::string message{};
  Effect effect = Effect::none;  ///< `none` only if nothing of the request was sent
  /// The connection had been used before and was closed before it brought anything: that says
  /// nothing about the server, only that it does not keep connections for ever.
  bool stale = false;
  bool lasting = false;  ///< trying again will not help
};

/// How long each step may take.
struct Timeouts {
  Duration connect{};
  Duration answer{};
};

}  // namespace holdfast::client
