#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <tl/expected.hpp>

namespace holdfast::client {

/// Files in PEM; empty: not given.
struct TlsFiles {
  std::string ca;  ///< whom to trust; empty: whom the system trusts
  std::string certificate;
  std::string key;
};

/// How to speak TLS: version 1.2 or later, and only with a server whose certificate is good for its
/// name. Says which file cannot be used, otherwise.
[[nodiscard]] tl::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> make_tls(
    const TlsFiles& files);

}  // namespace holdfast::client
