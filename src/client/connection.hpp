#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "client/message.hpp"
#include "client/url.hpp"

namespace holdfast::client {

/// Where a connection goes, and how. Shared by all connections of a client; never changes.
struct Destination {
  Url url;
  std::string key{};                         ///< the credential; empty: none
  boost::asio::ssl::context* tls = nullptr;  ///< for https
};

/// One connection to the server, for one thread at a time. Errors are values: nothing is thrown.
class Connection {
 public:
  virtual ~Connection() = default;

  /// Sends a request and waits for the whole response, no longer than `timeout` for both.
  [[nodiscard]] virtual tl::expected<Response, Lost> exchange(const Request& request,
                                                              Duration timeout) = 0;
  /// Whether another exchange may follow: the last one ended well, the server keeps the connection,
  /// and nothing came that was not asked for.
  [[nodiscard]] virtual bool reusable() const = 0;
};

/// Connects, within `timeout` once the name is looked up. What fails here had no effect.
/// `to` must outlive the connection.
[[nodiscard]] tl::expected<std::unique_ptr<Connection>, Lost> open_connection(const Destination& to,
                                                                              Duration timeout);

}  // namespace holdfast::client
