#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string_view>

#include "support/http/certificates.hpp"

namespace holdfast::test {

struct FreeTls {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using ServerTls = std::unique_ptr<SSL_CTX, FreeTls>;

/// How a server shows this certificate. No version of TLS above `version_max`; 0: any.
[[nodiscard]] ServerTls make_server_tls(const Certificate& certificate, int version_max = 0);

/// The server's end of a connection, over TLS or without. It does not close the socket.
class ServerWire {
 public:
  /// Shakes hands if there is a `tls`; without success nothing can be received.
  ServerWire(int socket, SSL_CTX* tls);

  /// How many bytes came; 0: none will.
  [[nodiscard]] std::size_t receive(char* into, std::size_t size) const;
  /// False: the peer has gone.
  bool send(std::string_view bytes) const;

 private:
  const int socket_;
  const std::unique_ptr<SSL, FreeTls> ssl_;
  bool open_ = true;
};

}  // namespace holdfast::test
