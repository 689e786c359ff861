#include "http/transport/tls_connection.hpp"

namespace holdfast::http {

using boost::asio::ip::tcp;
using boost::system::error_code;

TlsConnection::TlsConnection(Worker& worker, tcp::socket socket, boost::asio::ssl::context& context,
                             bool loopback)
    : Connection(worker, loopback), stream_(std::move(socket), context) {}

void TlsConnection::start() {
  error_code ignored;
  stream_.next_layer().set_option(tcp::no_delay(true), ignored);
  SSL_set_mode(stream_.native_handle(), SSL_MODE_RELEASE_BUFFERS);
  stream_.async_handshake(boost::asio::ssl::stream_base::server,
                          [self = shared_from_this(), this](const error_code& error) {
                            if (error) return abort();
                            begin();
                          });
}

void TlsConnection::start_read(boost::asio::mutable_buffer into) {
  stream_.async_read_some(into,
                          [self = shared_from_this(), this](error_code error, std::size_t count) {
                            // A peer that closes without saying so in TLS has closed all the same.
                            if (error == boost::asio::ssl::error::stream_truncated)
                              error = boost::asio::error::eof;
                            read_done(error, count);
                          });
}

std::size_t TlsConnection::try_write(boost::asio::const_buffer, error_code&) { return 0; }

void TlsConnection::start_write(boost::asio::const_buffer bytes) {
  stream_.async_write_some(
      bytes, [self = shared_from_this(), this](const error_code& error, std::size_t count) {
        write_done(error, count);
      });
}

void TlsConnection::shut() {
  // TLS's own farewell, so that nobody takes this for an answer that was cut off. OpenSSL would
  // wait for the peer's, too, and fail for good on anything else that comes; it is told that it has
  // come, and what comes is read on.
  SSL* const ssl = stream_.native_handle();
  const int before = SSL_get_shutdown(ssl);
  SSL_set_shutdown(ssl, before | SSL_RECEIVED_SHUTDOWN);
  stream_.async_shutdown([self = shared_from_this(), this](const error_code&) {
    error_code ignored;
    stream_.next_layer().shutdown(tcp::socket::shutdown_send, ignored);
  });
  SSL_set_shutdown(ssl, before | SSL_SENT_SHUTDOWN);
}

void TlsConnection::close() {
  error_code ignored;
  stream_.next_layer().close(ignored);
}

}  // namespace holdfast::http
