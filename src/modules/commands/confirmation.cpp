#include "modules/commands/confirmation.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>

#include "base/assert.hpp"
#include "base/hex.hpp"

namespace holdfast::commands {
namespace {

constexpr std::size_t seal_bytes = 16;

std::string seal(std::string_view text, const HashKey& secret) {
  std::array<unsigned char, 32> out{};
  unsigned int size = 0;
  const auto* done =
      HMAC(EVP_sha256(), secret.data(), sizeof secret,
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &size);
  HOLDFAST_ASSERT(done != nullptr);
  return to_hex({reinterpret_cast<const char*>(out.data()), seal_bytes});
}

}  // namespace

std::string confirmation_token(const ToConfirm& what, Instant expires, const Rules& rules) {
  const std::string until = fmt::format("{:x}", expires.time_since_epoch().count());
  const std::string bound = fmt::format("holdfast command 1\n{}\n{}{}\n{}\n{}", what.tenant.size(),
                                        what.tenant, what.id, what.fingerprint, until);
  return fmt::format("ct-{}-{}-{}", until, what.fingerprint,
                     seal(bound, rules.confirmation_secret));
}

Reason objection_to(std::string_view token, const ToConfirm& what, Instant now,
                    const Rules& rules) {
  constexpr std::string_view begin = "ct-";
  std::int64_t until_us = 0;
  const std::string_view rest = token.starts_with(begin) ? token.substr(begin.size()) : "";
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), until_us, 16);
  if (error != std::errc()) return Reason::confirmation_invalid;
  const Instant until{Duration(until_us)};
  ToConfirm meant = what;
  if (meant.fingerprint.empty()) {
    const std::string_view sealed = rest.substr(static_cast<std::size_t>(end - rest.data()));
    const std::size_t dash = sealed.rfind('-');
    if (dash == std::string_view::npos || dash == 0) return Reason::confirmation_invalid;
    meant.fingerprint = sealed.substr(1, dash - 1);
  }
  const std::string genuine = confirmation_token(meant, until, rules);
  const bool same = genuine.size() == token.size() &&
                    CRYPTO_memcmp(genuine.data(), token.data(), token.size()) == 0;
  if (!same) return Reason::confirmation_invalid;
  return now < until ? Reason::none : Reason::confirmation_expired;
}

}  // namespace holdfast::commands
