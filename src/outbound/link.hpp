#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "outbound/url.hpp"

namespace holdfast::outbound {

/// A connection, with TLS or without. Belongs to the thread of its `io_context`. Operations keep it
/// alive, and end with an error when it is closed.
class Link : public std::enable_shared_from_this<Link> {
 public:
  using Opened = std::function<void(const boost::system::error_code&)>;
  using Moved = std::function<void(const boost::system::error_code&, std::size_t bytes)>;

  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void connect(const boost::asio::ip::tcp::endpoint& to, Opened opened);
  /// What comes after `connect`. Without TLS there is nothing to do.
  virtual void shake_hands(Opened opened) = 0;
  /// Why the peer's certificate was not taken; empty if that was not it.
  [[nodiscard]] virtual std::string objection() const { return {}; }

  /// Writes as much as goes without waiting, and says how much that was: nothing more than this has
  /// left. Nothing where that cannot be known, as in TLS.
  virtual std::size_t write_some(boost::asio::const_buffer bytes,
                                 boost::system::error_code& error) = 0;
  /// Writes all of it.
  virtual void write(boost::asio::const_buffer bytes, Moved done) = 0;
  virtual void read(boost::asio::mutable_buffer into, Moved done) = 0;

  /// Whether it can be used again: it is open, and nothing came that nobody asked for.
  [[nodiscard]] virtual bool quiet();
  void close();

  /// What was read and not yet understood.
  [[nodiscard]] boost::beast::flat_buffer& in() { return in_; }

 protected:
  Link() = default;
  [[nodiscard]] virtual boost::asio::ip::tcp::socket& socket() = 0;

 private:
  boost::beast::flat_buffer in_;
};

/// For a peer at `url`, not yet connected. `tls` must outlive it.
[[nodiscard]] std::shared_ptr<Link> make_link(boost::asio::io_context& io,
                                              boost::asio::ssl::context& tls, const Url& url);

/// How to speak TLS: see `Client`. Otherwise says why the certificates cannot be used.
[[nodiscard]] tl::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> make_tls(
    const std::string& ca_file);

}  // namespace holdfast::outbound
