#include "support/servers/loopback_listener.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/assert.hpp"

namespace holdfast::test {
namespace {

sockaddr_in loopback_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

sockaddr* generic_address(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

}  // namespace

LoopbackListener::LoopbackListener(std::function<void(int socket)> serve)
    : serve_(std::move(serve)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback_address(0);
  socklen_t size = sizeof address;
  HOLDFAST_ASSERT(::bind(listener_, generic_address(address), size) == 0);
  HOLDFAST_ASSERT(::listen(listener_, 64) == 0);
  HOLDFAST_ASSERT(::getsockname(listener_, generic_address(address), &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

LoopbackListener::~LoopbackListener() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (const int each : sockets_) ::shutdown(each, SHUT_RDWR);
  for (std::thread& each : threads_) each.join();
  for (const int each : sockets_) ::close(each);
  ::close(listener_);
}

std::string LoopbackListener::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::size_t LoopbackListener::connections() const {
  const std::lock_guard lock(mutex_);
  return sockets_.size();
}

void LoopbackListener::accept_loop() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] { serve_(socket); });
  }
}

void forward_to(std::uint16_t port, int client, const Pass& pass) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback_address(port);
  bool open = ::connect(server, generic_address(address), sizeof address) == 0;
  while (open) {
    std::array<pollfd, 2> ends{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    open = ::poll(ends.data(), ends.size(), -1) > 0;
    for (std::size_t i = 0; open && i < ends.size(); ++i) {
      if (ends[i].revents == 0) continue;
      std::array<char, 65536> chunk{};
      const ssize_t size = ::recv(ends[i].fd, chunk.data(), chunk.size(), 0);
      open = size > 0;
      if (!open) break;
      const std::string_view bytes(chunk.data(), static_cast<std::size_t>(size));
      const std::size_t passed = pass(i == 0, bytes);
      if (passed > 0) (void)::send(ends[1 - i].fd, bytes.data(), passed, MSG_NOSIGNAL);
      open = passed == bytes.size();
    }
  }
  ::close(server);
  ::shutdown(client, SHUT_RDWR);
}

}  // namespace holdfast::test
