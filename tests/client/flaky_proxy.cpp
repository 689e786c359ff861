#include "client/flaky_proxy.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/assert.hpp"

namespace holdfast::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

}  // namespace

FlakyProxy::FlakyProxy(std::uint16_t to_port, std::size_t bytes_max, std::uint64_t seed)
    : to_port_(to_port), bytes_max_(bytes_max), random_(seeded_random(seed)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  HOLDFAST_ASSERT(::bind(listener_, generic(address), size) == 0);
  HOLDFAST_ASSERT(::listen(listener_, 64) == 0);
  HOLDFAST_ASSERT(::getsockname(listener_, generic(address), &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

FlakyProxy::~FlakyProxy() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (const int each : clients_) ::shutdown(each, SHUT_RDWR);
  for (std::thread& each : threads_) each.join();
  for (const int each : clients_) ::close(each);
  ::close(listener_);
}

std::string FlakyProxy::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::size_t FlakyProxy::connections() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

void FlakyProxy::accept_loop() {
  while (true) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const std::lock_guard lock(mutex_);
    clients_.push_back(client);
    threads_.emplace_back([this, client, bytes = random_bytes()] { forward(client, bytes); });
  }
}

std::size_t FlakyProxy::random_bytes() const {
  std::array<std::uint8_t, 2> bytes{};
  random_->fill(bytes);
  return (std::size_t{bytes[0]} << 8U | bytes[1]) % bytes_max_;
}

void FlakyProxy::forward(int client, std::size_t bytes) const {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(to_port_);
  bool open = ::connect(server, generic(address), sizeof address) == 0;
  while (open && bytes > 0) {
    std::array<pollfd, 2> ends{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    open = ::poll(ends.data(), ends.size(), -1) > 0;
    for (std::size_t i = 0; open && i < ends.size(); ++i) {
      if (ends[i].revents == 0) continue;
      std::array<char, 4096> chunk{};
      const ssize_t size = ::recv(ends[i].fd, chunk.data(), std::min(bytes, chunk.size()), 0);
      open = size > 0;
      if (!open) break;
      const auto part = static_cast<std::size_t>(size);
      open = ::send(ends[1 - i].fd, chunk.data(), part, MSG_NOSIGNAL) == size;
      bytes -= part;
    }
  }
  ::close(server);
  ::shutdown(client, SHUT_RDWR);
}

}  // namespace holdfast::test
