#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "http/transport/connection.hpp"

namespace holdfast::http {

/// A connection over TLS.
class TlsConnection final : public Connection {
 public:
  TlsConnection(Worker& worker, boost::asio::ip::tcp::socket socket,
                boost::asio::ssl::context& context, bool loopback);

  void start() override;

 private:
  void start_read(boost::asio::mutable_buffer into) override;
  std::size_t try_write(boost::asio::const_buffer bytes, boost::system::error_code& error) override;
  void start_write(boost::asio::const_buffer bytes) override;
  void shut() override;
  void close() override;

  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
};

}  // namespace holdfast::http
