#include "outbound/tls_link.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace holdfast::outbound {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// Names whose certificate to expect, and tells the name to the peer. Addresses are not told: they
/// have no place in the name indication, whose macro casts as C does.
bool expect_peer(SSL* ssl, const Url& url) {
  if (url.address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), url.host.c_str()) == 1;
  SSL_set_hostflags(ssl,
                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return SSL_set1_host(ssl, url.host.c_str()) == 1 &&
         SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(url.host.c_str())) == 1;
}

}  // namespace

TlsLink::TlsLink(asio::io_context& io, asio::ssl::context& tls, const Url& url)
    : stream_(io, tls), prepared_(expect_peer(stream_.native_handle(), url)) {}

void TlsLink::shake_hands(Opened opened) {
  if (!prepared_) {
    asio::post(stream_.get_executor(), [opened = std::move(opened)] {
      opened(asio::error::make_error_code(asio::error::no_memory));
    });
    return;
  }
  stream_.async_handshake(asio::ssl::stream_base::client,
                          [self = shared_from_this(),
                           opened = std::move(opened)](const error_code& error) { opened(error); });
}

std::string TlsLink::objection() const {
  const long verdict = SSL_get_verify_result(stream_.native_handle());
  return verdict == X509_V_OK ? "" : X509_verify_cert_error_string(verdict);
}

std::size_t TlsLink::write_some(asio::const_buffer, error_code&) { return 0; }

void TlsLink::write(asio::const_buffer bytes, Moved done) {
  asio::async_write(stream_, bytes,
                    [self = shared_from_this(), done = std::move(done)](
                        const error_code& error, std::size_t count) { done(error, count); });
}

void TlsLink::read(asio::mutable_buffer into, Moved done) {
  stream_.async_read_some(into,
                          [self = shared_from_this(), done = std::move(done)](
                              const error_code& error, std::size_t count) { done(error, count); });
}

/// What OpenSSL has received and not yet looked at may be the peer's farewell.
bool TlsLink::quiet() {
  char byte = 0;
  SSL* const ssl = stream_.native_handle();
  const int got = SSL_peek(ssl, &byte, 1);
  const bool waits = got <= 0 && SSL_get_error(ssl, got) == SSL_ERROR_WANT_READ;
  ERR_clear_error();
  return waits && Link::quiet();
}

tl::expected<std::unique_ptr<asio::ssl::context>, std::string> make_tls(
    const std::string& ca_file) {
  auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX* const context = tls->native_handle();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  error_code error;
  tls->set_verify_mode(asio::ssl::verify_peer, error);
  if (!error && ca_file.empty()) {
    tls->set_default_verify_paths(error);
  } else if (!error) {
    tls->load_verify_file(ca_file, error);
  }
  if (!error) return tls;
  const std::string whose = ca_file.empty() ? "of the system" : fmt::format("in {}", ca_file);
  return tl::unexpected(fmt::format("cannot use the certificates {}: {}", whose, error.message()));
}

}  // namespace holdfast::outbound
