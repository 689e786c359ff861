#pragma once

#include <memory>
#include <mutex>
#include <tl/expected.hpp>
#include <vector>

#include "client/connection.hpp"

namespace holdfast::client {

/// The connections to one server: as many as there are exchanges at once, some of them kept open
/// for the next. Safe to use from any thread.
class Transport {
 public:
  Transport(Url url, std::string key, std::unique_ptr<boost::asio::ssl::context> tls,
            std::size_t connections_kept);

  /// One request, one response. A kept connection that turns out to have been closed meanwhile is
  /// replaced at once: that counts as nothing.
  [[nodiscard]] tl::expected<Response, Lost> exchange(const Request& request,
                                                      const Timeouts& timeouts);

 private:
  [[nodiscard]] std::unique_ptr<Connection> take_idle();
  void keep(std::unique_ptr<Connection> connection);

  // Constant.
  const std::unique_ptr<boost::asio::ssl::context> tls_;
  const Destination to_;
  const std::size_t connections_kept_;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;  ///< guarded by mutex_; the last used is last
};

}  // namespace holdfast::client
