#include "client/tls.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace holdfast::client {

namespace ssl = boost::asio::ssl;

tl::expected<std::unique_ptr<ssl::context>, std::string> make_tls(const TlsFiles& files) {
  auto tls = std::make_unique<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  boost::system::error_code error;
  const auto unusable = [&](std::string_view what, const std::string& file) {
    return tl::unexpected(fmt::format("cannot use the {} in {}: {}", what, file, error.message()));
  };
  tls->set_verify_mode(ssl::verify_peer, error);
  if (files.ca.empty()) {
    tls->set_default_verify_paths(error);
    if (error) return unusable("certificates", "the system's own folder");
  } else if (tls->load_verify_file(files.ca, error)) {
    return unusable("certificates", files.ca);
  }
  if (files.certificate.empty() != files.key.empty()) {
    return tl::unexpected(std::string("a client's certificate and its key are given together"));
  }
  if (files.certificate.empty()) return tls;
  if (tls->use_certificate_chain_file(files.certificate, error)) {
    return unusable("certificate", files.certificate);
  }
  if (tls->use_private_key_file(files.key, ssl::context::pem, error)) {
    return unusable("key", files.key);
  }
  return tls;
}

}  // namespace holdfast::client
