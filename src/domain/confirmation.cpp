#include "domain/confirmation.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <charconv>

namespace holdfast {

HashKey fresh_secret(Random& random) {
  HashKey secret{};
  random.fill({reinterpret_cast<std::uint8_t*>(secret.data()), sizeof secret});
  return secret;
}

std::string confirmation_code(const Request& request, Instant expires, const Rules& rules) {
  const std::string until = fmt::format("{:x}", expires.time_since_epoch().count());
  const std::string bound =
      fmt::format("{:016x}{:016x}{}", request.fingerprint.high, request.fingerprint.low, until);
  const std::string scoped_token =
      fmt::format("{}\n{}{}", request.tenant().size(), request.tenant(), request.token());
  const Hash128 seal = siphash128(rules.confirmation_secret, bound, scoped_token);
  return fmt::format("{}-{:016x}{:016x}", until, seal.high, seal.low);
}

bool is_confirmed(const Request& request, Instant now, const Rules& rules) {
  const std::string& code = request.call.confirmation;
  std::int64_t until_us = 0;
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), until_us, 16);
  if (error != std::errc() || end == code.data() + code.size() || *end != '-') return false;
  const Instant until{Duration(until_us)};
  if (now >= until) return false;
  const std::string genuine = confirmation_code(request, until, rules);
  return genuine.size() == code.size() &&
         CRYPTO_memcmp(genuine.data(), code.data(), code.size()) == 0;
}

}  // namespace holdfast
