#pragma once

#include <boost/asio/ssl/stream.hpp>

#include "outbound/link.hpp"

namespace holdfast::outbound {

/// A connection over TLS, to a peer whose certificate is good for the host of the URL.
class TlsLink final : public Link {
 public:
  TlsLink(boost::asio::io_context& io, boost::asio::ssl::context& tls, const Url& url);

  void shake_hands(Opened opened) override;
  [[nodiscard]] std::string objection() const override;
  std::size_t write_some(boost::asio::const_buffer bytes,
                         boost::system::error_code& error) override;
  void write(boost::asio::const_buffer bytes, Moved done) override;
  void read(boost::asio::mutable_buffer into, Moved done) override;
  [[nodiscard]] bool quiet() override;

 private:
  boost::asio::ip::tcp::socket& socket() override { return stream_.next_layer(); }

  mutable boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  bool prepared_ = false;  ///< it knows whose certificate to expect
};

}  // namespace holdfast::outbound
