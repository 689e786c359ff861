#include "outbound/link.hpp"

#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>

#include "outbound/tls_link.hpp"

namespace holdfast::outbound {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

class PlainLink final : public Link {
 public:
  explicit PlainLink(asio::io_context& io) : socket_(io) {}

  void shake_hands(Opened opened) override { opened({}); }

  std::size_t write_some(asio::const_buffer bytes, error_code& error) override {
    const std::size_t count = socket_.write_some(bytes, error);
    if (error == asio::error::would_block || error == asio::error::try_again) error = {};
    return count;
  }
  void write(asio::const_buffer bytes, Moved done) override {
    asio::async_write(socket_, bytes,
                      [self = shared_from_this(), done = std::move(done)](
                          const error_code& error, std::size_t count) { done(error, count); });
  }
  void read(asio::mutable_buffer into, Moved done) override {
    socket_.async_read_some(
        into, [self = shared_from_this(), done = std::move(done)](
                  const error_code& error, std::size_t count) { done(error, count); });
  }

 private:
  tcp::socket& socket() override { return socket_; }

  tcp::socket socket_;
};

}  // namespace

void Link::connect(const tcp::endpoint& to, Opened opened) {
  error_code error;
  socket().open(to.protocol(), error);
  if (!error) socket().set_option(tcp::no_delay(true), error);
  if (!error) socket().non_blocking(true, error);
  if (error) {
    asio::post(socket().get_executor(), [opened = std::move(opened), error] { opened(error); });
    return;
  }
  socket().async_connect(to, [self = shared_from_this(), opened = std::move(opened)](
                                 const error_code& result) { opened(result); });
}

bool Link::quiet() {
  char byte = 0;
  if (in_.size() > 0 || !socket().is_open()) return false;
  const auto got = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Link::close() {
  error_code ignored;
  socket().close(ignored);
}

std::shared_ptr<Link> make_link(asio::io_context& io, asio::ssl::context& tls, const Url& url) {
  if (url.tls) return std::make_shared<TlsLink>(io, tls, url);
  return std::make_shared<PlainLink>(io);
}

}  // namespace holdfast::outbound
