#include "support/servers/server_wire.hpp"

#include <sys/socket.h>

#include <csignal>

#include "base/assert.hpp"

namespace holdfast::test {

ServerTls make_server_tls(const Certificate& certificate, int version_max) {
  ServerTls tls(SSL_CTX_new(TLS_server_method()));
  HOLDFAST_ASSERT(SSL_CTX_use_certificate_chain_file(tls.get(), certificate.certificate.c_str()) ==
                  1);
  HOLDFAST_ASSERT(
      SSL_CTX_use_PrivateKey_file(tls.get(), certificate.key.c_str(), SSL_FILETYPE_PEM) == 1);
  SSL_CTX_set_security_level(tls.get(), 0);  // old versions are for clients to refuse
  if (version_max != 0) {
    SSL_CTX_set_min_proto_version(tls.get(), version_max);
    SSL_CTX_set_max_proto_version(tls.get(), version_max);
  }
  return tls;
}

ServerWire::ServerWire(int socket, SSL_CTX* tls)
    : socket_(socket), ssl_(tls == nullptr ? nullptr : SSL_new(tls)) {
  if (ssl_ == nullptr) return;
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes as one writes to files
  SSL_set_fd(ssl_.get(), socket_);
  open_ = SSL_accept(ssl_.get()) == 1;
}

std::size_t ServerWire::receive(char* into, std::size_t size) const {
  if (!open_) return 0;
  const ssize_t got = ssl_ != nullptr ? SSL_read(ssl_.get(), into, static_cast<int>(size))
                                      : ::recv(socket_, into, size, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool ServerWire::send(std::string_view bytes) const {
  if (!open_) return false;
  if (bytes.empty()) return true;
  const ssize_t sent = ssl_ != nullptr
                           ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                           : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent > 0;
}

}  // namespace holdfast::test
