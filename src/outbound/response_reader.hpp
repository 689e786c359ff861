#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>

#include "outbound/call.hpp"

namespace holdfast::outbound {

/// Makes one answer out of bytes, however they are cut. What announces an answer (1xx) is passed
/// over. All of it is bounded: header, trailers, body, and what frames a body in chunks.
class ResponseReader {
 public:
  enum class Progress : std::uint8_t { more, complete, broken, too_large };

  /// What `header_bytes_max` may be. Beast throws on fields of 64 KiB, and reads trailers as a
  /// whole.
  static constexpr std::size_t header_bytes_least = std::size_t{1} << 10U;
  static constexpr std::size_t header_bytes_most = std::size_t{48} << 10U;

  /// An answer to HEAD has no body.
  ResponseReader(std::size_t header_bytes_max, std::size_t body_bytes_max, bool head);

  /// Takes what it understands off the front of `in`. To be called again with more behind it.
  [[nodiscard]] Progress read(boost::beast::flat_buffer& in);
  /// The peer sends nothing more. `more`: something is missing.
  [[nodiscard]] Progress end();

  /// How much there may be in `in` at most: if it is full, `read` is not `more`.
  [[nodiscard]] std::size_t buffer_bytes_max() const { return header_bytes_max_ + slack_bytes; }

  /// What is wrong, after `broken` or `too_large`.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// After `complete`: whether the peer keeps the connection.
  [[nodiscard]] bool keep_alive() const { return keep_alive_; }
  [[nodiscard]] Response take();

 private:
  using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;
  static constexpr std::size_t slack_bytes = std::size_t{8} << 10U;

  void begin();
  [[nodiscard]] Progress step(boost::beast::flat_buffer& in);
  [[nodiscard]] std::size_t put(boost::asio::const_buffer bytes, boost::system::error_code& error);
  [[nodiscard]] Progress header_done();
  [[nodiscard]] Progress give_up(const boost::system::error_code& error);
  [[nodiscard]] Progress give_up(Progress progress, const char* fault);

  const std::size_t header_bytes_max_;
  const std::size_t body_bytes_max_;
  const bool head_;
  std::optional<Parser> parser_;
  Response response_;
  bool header_done_ = false;
  bool keep_alive_ = false;
  int interim_ = 0;             ///< answers that were passed over
  std::size_t wire_bytes_ = 0;  ///< understood so far
  std::string fault_;
};

}  // namespace holdfast::outbound
