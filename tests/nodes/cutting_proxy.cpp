#include "nodes/cutting_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string_view>

namespace holdfast::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void at_once(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

CuttingProxy::CuttingProxy(std::uint16_t server_port, std::string commit)
    : server_port_(server_port), commit_(std::move(commit)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("the proxy cannot listen");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

CuttingProxy::~CuttingProxy() {
  stopping_ = true;
  acceptor_.join();
  for (std::thread& each : carriers_) each.join();
  ::close(listener_);
}

void CuttingProxy::accept_loop() {
  while (!stopping_) {
    pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 50) <= 0) continue;
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const std::lock_guard lock(mutex_);
    carriers_.emplace_back([this, client] { carry(client); });
  }
}

void CuttingProxy::carry(int client) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(server_port_);
  at_once(client);
  at_once(server);
  bool alive = ::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  bool cut_the_answer = false;
  std::string seen;  // the end of what the client sent: a commit may come in two pieces
  std::array<char, 65536> bytes{};
  while (alive && !stopping_) {
    if (hangs_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    std::array<pollfd, 2> waiting{pollfd{.fd = client, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = server, .events = POLLIN, .revents = 0}};
    if (::poll(waiting.data(), waiting.size(), 50) <= 0) continue;
    if (waiting[0].revents != 0) {
      const ssize_t got = ::recv(client, bytes.data(), bytes.size(), 0);
      if (got <= 0) break;
      const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
      seen += text;
      if (seen.find(commit_) != std::string::npos) {
        seen.clear();
        const unsigned every = every_;
        const unsigned number = every == 0 ? 0 : ++commits_;
        if (every != 0 && number % every == 0) {
          if (number / every % 2 == 0) {
            ++cut_before_;
            break;
          }
          cut_the_answer = true;
        }
      }
      if (seen.size() > commit_.size()) seen.erase(0, seen.size() - commit_.size());
      alive = send_all(server, text);
    }
    if (waiting[1].revents != 0) {
      const ssize_t got = ::recv(server, bytes.data(), bytes.size(), 0);
      if (got <= 0) break;
      if (cut_the_answer) {
        ++cut_after_;
        break;
      }
      alive = send_all(client, {bytes.data(), static_cast<std::size_t>(got)});
    }
  }
  ::close(client);
  ::close(server);
}

}  // namespace holdfast::test
