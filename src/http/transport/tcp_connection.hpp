#pragma once

#include <boost/asio/ip/tcp.hpp>

#include "http/transport/connection.hpp"

namespace holdfast::http {

/// A connection in clear.
class TcpConnection final : public Connection {
 public:
  TcpConnection(Worker& worker, boost::asio::ip::tcp::socket socket, bool loopback);

  void start() override;

 private:
  void start_read(boost::asio::mutable_buffer into) override;
  std::size_t try_write(boost::asio::const_buffer bytes, boost::system::error_code& error) override;
  void start_write(boost::asio::const_buffer bytes) override;
  void shut() override;
  void close() override;

  boost::asio::ip::tcp::socket socket_;
};

}  // namespace holdfast::http
