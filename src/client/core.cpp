#include "client/core.hpp"

#include <algorithm>

namespace holdfast::client {

Core::Core(ClientOptions given, Url url, std::unique_ptr<boost::asio::ssl::context> tls)
    : options(std::move(given)),
      transport_(std::move(url), options.key, std::move(tls), options.connections_kept) {}

tl::expected<Response, Lost> Core::exchange(const Request& request, Duration left) {
  return transport_.exchange(request, {.connect = std::min(options.connect_timeout, left),
                                       .answer = std::min(options.answer_timeout, left)});
}

}  // namespace holdfast::client
