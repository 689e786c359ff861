#include "support/http/raw_connection.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Everything before the empty line.
Answered parse_head(std::string_view head) {
  Answered answered;
  const std::string_view first = head.substr(0, head.find("\r\n"));
  if (first.size() >= 12) std::from_chars(first.data() + 9, first.data() + 12, answered.status);
  head.remove_prefix(std::min(head.size(), first.size() + 2));
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    // The space is usual, and not all servers send it.
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    answered.headers[lower_case(line.substr(0, colon))] = line.substr(value);
  }
  return answered;
}

}  // namespace

RawConnection::RawConnection(std::uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(std::exchange(socket_, -1));
  }
}

RawConnection::~RawConnection() {
  if (socket_ >= 0) ::close(socket_);
}

RawConnection::RawConnection(RawConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), read_(std::move(other.read_)) {}

bool RawConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawConnection::finish_sending() const { ::shutdown(socket_, SHUT_WR); }

void RawConnection::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(std::exchange(socket_, -1));
}

bool RawConnection::fill(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd wanted{socket_, POLLIN, 0};
  if (socket_ < 0 || left <= 0 || ::poll(&wanted, 1, static_cast<int>(left)) <= 0) return false;
  std::array<char, 65536> bytes{};
  const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  read_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<Answered> RawConnection::read(std::chrono::milliseconds patience, bool head) {
  const Clock::time_point until = Clock::now() + patience;
  std::size_t end = 0;
  while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill(until)) return std::nullopt;
  }
  Answered answered = parse_head(std::string_view(read_).substr(0, end));
  std::size_t size = 0;
  const std::string length = answered.header("content-length");
  std::from_chars(length.data(), length.data() + length.size(), size);
  if (head) size = 0;
  while (read_.size() < end + 4 + size) {
    if (!fill(until)) return std::nullopt;
  }
  answered.body = read_.substr(end + 4, size);
  read_.erase(0, end + 4 + size);
  return answered;
}

std::string RawConnection::read_to_end(std::chrono::milliseconds patience) {
  const Clock::time_point until = Clock::now() + patience;
  while (fill(until)) {
  }
  if (Clock::now() >= until) ADD_FAILURE() << "the peer did not close";
  return std::exchange(read_, {});
}

std::string RawConnection::read_until(std::string_view wanted, std::chrono::milliseconds patience) {
  const Clock::time_point until = Clock::now() + patience;
  while (read_.find(wanted) == std::string::npos && fill(until)) {
  }
  return read_;
}

}  // namespace holdfast::test
