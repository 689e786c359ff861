#include "http/transport/tcp_connection.hpp"

namespace holdfast::http {

using boost::asio::ip::tcp;
using boost::system::error_code;

TcpConnection::TcpConnection(Worker& worker, tcp::socket socket, bool loopback)
    : Connection(worker, loopback), socket_(std::move(socket)) {}

void TcpConnection::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  begin();
}

void TcpConnection::start_read(boost::asio::mutable_buffer into) {
  socket_.async_read_some(
      into, [self = shared_from_this(), this](const error_code& error, std::size_t count) {
        read_done(error, count);
      });
}

std::size_t TcpConnection::try_write(boost::asio::const_buffer bytes, error_code& error) {
  const std::size_t count = socket_.write_some(bytes, error);
  if (error == boost::asio::error::would_block) error = {};
  return count;
}

void TcpConnection::start_write(boost::asio::const_buffer bytes) {
  socket_.async_write_some(
      bytes, [self = shared_from_this(), this](const error_code& error, std::size_t count) {
        write_done(error, count);
      });
}

void TcpConnection::shut() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void TcpConnection::close() {
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace holdfast::http
