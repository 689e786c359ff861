#include "client/connection.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include "holdfast/version.hpp"

namespace holdfast::client {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;
using Parser = http::response_parser<http::string_body>;

constexpr std::uint64_t answer_bytes_max = std::uint64_t{64} << 20U;
constexpr std::uint32_t header_bytes_max = 64U << 10U;

std::string text_of(error_code error) {
  return error == beast::error::timeout ? "no answer in time" : error.message();
}

/// What TLS itself objects to (a certificate, a version) it will object to next time, too.
bool is_lasting(error_code error) { return error.category() == asio::error::get_ssl_category(); }

/// The server did not take our certificate, or misses one. With TLS 1.3 it says so when for us the
/// handshake is over and a request may have been sent; it has read none of it.
bool is_refused_certificate(error_code error) {
  if (!is_lasting(error)) return false;
  switch (ERR_GET_REASON(static_cast<unsigned long>(error.value()))) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return true;
    default:
      return false;
  }
}

http::request<http::string_body> message_of(const Destination& to, const Request& request) {
  http::request<http::string_body> message(http::string_to_verb(request.method),
                                           to.url.prefix + request.target, 11);
  message.set(http::field::host, to.url.authority());
  message.set(http::field::user_agent, fmt::format("holdfast/{}", version));
  message.set(http::field::accept, "application/json, application/problem+json");
  if (!to.key.empty()) message.set(http::field::authorization, "Bearer " + to.key);
  for (const auto& [name, value] : request.headers) message.set(name, value);
  if (!request.body.empty()) message.set(http::field::content_type, "application/json");
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

Response response_of(http::response<http::string_body>&& message) {
  const auto header = [&](std::string_view name) { return std::string(message[name]); };
  return {.status = static_cast<int>(message.result_int()),
          .body = std::move(message.body()),
          .replayed = header("Idempotent-Replayed"),
          .token = header("Idempotency-Key"),
          .token_expires = header("Idempotency-Expires"),
          .retry_after = header("Retry-After"),
          .date = header("Date"),
          .location = header("Location")};
}

/// Each connection has an event loop of its own, run by whoever waits: asynchronous operations are
/// the only ones that can be given a deadline.
template <typename Stream>
class StreamConnection final : public Connection {
 public:
  template <typename... Arguments>
  explicit StreamConnection(const Destination& to, Arguments&... arguments)
      : to_(to), stream_(loop_, arguments...) {}

  /// Empty when all went well.
  std::optional<Lost> open(Duration timeout) {
    error_code error;
    asio::ip::tcp::resolver resolver(loop_);
    const auto found = resolver.resolve(to_.url.host, std::to_string(to_.url.port), error);
    if (error) return failed_to_connect(error);
    lowest().expires_after(timeout);
    error = finish([&](auto done) { lowest().async_connect(found, done); });
    if (!error) lowest().socket().set_option(asio::ip::tcp::no_delay(true), error);
    if (!error) error = shake_hands();
    if (error) return failed_to_connect(error);
    return std::nullopt;
  }

  tl::expected<Response, Lost> exchange(const Request& request, Duration timeout) override {
    const auto message = message_of(to_, request);
    const bool used_before = std::exchange(used_, true);
    reusable_ = false;
    lowest().expires_after(timeout);
    const error_code unsent = finish([&](auto done) { http::async_write(stream_, message, done); });
    // A server may refuse and hang up before it has read everything; its answer can still be there.
    std::optional<Parser> parser;
    const error_code unread = unsent == beast::error::timeout ? unsent : read(parser);
    if (unread) {
      if (!used_before && (is_refused_certificate(unread) || is_refused_certificate(unsent))) {
        return tl::unexpected(failed_to_connect(is_refused_certificate(unread) ? unread : unsent));
      }
      const error_code error = unsent ? unsent : unread;
      const bool nothing_came = !parser || !parser->got_some();
      return tl::unexpected(
          Lost{.message = fmt::format("connection lost: {}", text_of(error)),
               .effect = Effect::unknown,
               .stale = used_before && nothing_came && error != beast::error::timeout,
               .lasting = is_lasting(error)});
    }
    lowest().expires_never();
    reusable_ = !unsent && parser->keep_alive() && buffer_.size() == 0;
    return response_of(parser->release());
  }

  [[nodiscard]] bool reusable() const override { return reusable_; }

 private:
  Plain& lowest() { return beast::get_lowest_layer(stream_); }

  /// Passes over what is only announced, such as `100 Continue`.
  error_code read(std::optional<Parser>& parser) {
    error_code error;
    do {
      parser.emplace();
      parser->header_limit(header_bytes_max);
      parser->body_limit(answer_bytes_max);
      error = finish([&](auto done) { http::async_read(stream_, buffer_, *parser, done); });
    } while (!error && parser->get().result_int() < 200);
    return error;
  }

  template <typename Start>
  error_code finish(const Start& start) {
    error_code result = asio::error::operation_aborted;
    start([&result](error_code error, auto&&...) { result = error; });
    loop_.restart();
    loop_.run();
    return result;
  }

  error_code shake_hands() {
    if constexpr (std::is_same_v<Stream, Secure>) {
      const std::string& host = to_.url.host;
      error_code not_an_address;
      asio::ip::make_address(host, not_an_address);
      // Addresses have no place in the name indication. The macro for this casts as C does.
      if (not_an_address) {
        SSL_ctrl(stream_.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(host.c_str()));
      }
      stream_.set_verify_callback(asio::ssl::host_name_verification(host));
      return finish(
          [&](auto done) { stream_.async_handshake(asio::ssl::stream_base::client, done); });
    } else {
      return {};
    }
  }

  Lost failed_to_connect(error_code error) const {
    return {.message = fmt::format("cannot connect to {}: {}", to_.url.authority(), text_of(error)),
            .lasting = is_lasting(error)};
  }

  const Destination& to_;
  asio::io_context loop_{1};
  Stream stream_;
  beast::flat_buffer buffer_;  ///< what was received and not yet understood
  bool used_ = false;
  bool reusable_ = false;
};

template <typename Stream, typename... Arguments>
tl::expected<std::unique_ptr<Connection>, Lost> opened(const Destination& to, Duration timeout,
                                                       Arguments&... arguments) {
  auto connection = std::make_unique<StreamConnection<Stream>>(to, arguments...);
  if (auto lost = connection->open(timeout)) return tl::unexpected(std::move(*lost));
  return connection;
}

}  // namespace

tl::expected<std::unique_ptr<Connection>, Lost> open_connection(const Destination& to,
                                                                Duration timeout) {
  try {
    return to.tls != nullptr ? opened<Secure>(to, timeout, *to.tls) : opened<Plain>(to, timeout);
  } catch (const boost::system::system_error& error) {  // no more files may be open, for instance
    return tl::unexpected(Lost{.message = fmt::format("cannot connect to {}: {}",
                                                      to.url.authority(), text_of(error.code()))});
  }
}

}  // namespace holdfast::client
