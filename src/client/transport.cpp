#include "client/transport.hpp"

namespace holdfast::client {

Transport::Transport(Url url, std::string key, std::unique_ptr<boost::asio::ssl::context> tls,
                     std::size_t connections_kept)
    : tls_(std::move(tls)),
      to_{.url = std::move(url), .key = std::move(key), .tls = tls_.get()},
      connections_kept_(connections_kept) {}

tl::expected<Response, Lost> Transport::exchange(const Request& request, const Timeouts& timeouts) {
  bool stale = false;
  if (auto idle = take_idle()) {
    auto response = idle->exchange(request, timeouts.answer);
    stale = !response && response.error().stale;
    keep(std::move(idle));
    if (!stale) return response;
  }
  auto fresh = open_connection(to_, timeouts.connect);
  if (!fresh) {
    if (stale) fresh.error().effect = Effect::unknown;
    return tl::unexpected(std::move(fresh.error()));
  }
  auto response = (*fresh)->exchange(request, timeouts.answer);
  if (response) response->sent_twice = stale;
  keep(std::move(*fresh));
  return response;
}

std::unique_ptr<Connection> Transport::take_idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  auto connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void Transport::keep(std::unique_ptr<Connection> connection) {
  if (!connection->reusable()) return;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < connections_kept_) idle_.push_back(std::move(connection));
}

}  // namespace holdfast::client
