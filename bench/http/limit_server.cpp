#include "limit_server.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <charconv>
#include <cstdio>
#include <memory>

namespace holdfast::bench {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

/// How long the first request in the buffer is; 0 while it is not whole.
std::size_t request_size(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  constexpr std::string_view name = "Content-Length: ";
  const std::size_t at = bytes.substr(0, end).find(name);
  std::size_t length = 0;
  if (at != std::string_view::npos)
    std::from_chars(bytes.data() + at + name.size(), bytes.data() + end, length);
  return bytes.size() >= end + 4 + length ? end + 4 + length : 0;
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const std::string& answer)
      : socket_(std::move(socket)), answer_(answer) {
    socket_.set_option(tcp::no_delay(true));
    socket_.non_blocking(true);
  }

  void read() {
    socket_.async_read_some(
        boost::asio::buffer(bytes_.data() + used_, bytes_.size() - used_),
        [self = shared_from_this(), this](const error_code& error, std::size_t count) {
          if (error) return;
          used_ += count;
          while (const std::size_t size = request_size({bytes_.data(), used_})) {
            std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(size),
                      bytes_.begin() + static_cast<std::ptrdiff_t>(used_), bytes_.begin());
            used_ -= size;
            error_code ignored;
            socket_.write_some(boost::asio::buffer(answer_), ignored);
          }
          read();
        });
  }

 private:
  tcp::socket socket_;
  const std::string& answer_;
  std::array<char, 65536> bytes_{};
  std::size_t used_ = 0;
};

void accept(tcp::acceptor& acceptor, const std::string& answer) {
  acceptor.async_accept([&](const error_code& error, tcp::socket socket) {
    if (!error) std::make_shared<Session>(std::move(socket), answer)->read();
    accept(acceptor, answer);
  });
}

}  // namespace

void serve_limit(std::size_t answer_bytes) {
  const auto head = [](std::size_t body) {
    return fmt::format(
        "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body);
  };
  const std::size_t shortest = head(100).size();  // of three digits, as answers are
  const std::size_t body = answer_bytes > shortest ? answer_bytes - shortest : 0;
  const std::string answer = head(body) + std::string(body, 'x');
  boost::asio::io_context io(1);
  tcp::acceptor acceptor(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  std::printf("http://127.0.0.1:%u\n", static_cast<unsigned>(acceptor.local_endpoint().port()));
  std::fflush(stdout);
  accept(acceptor, answer);
  io.run();
  std::exit(0);
}

}  // namespace holdfast::bench
