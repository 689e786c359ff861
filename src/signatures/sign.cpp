#include "signatures/sign.hpp"

#include "signatures/base64.hpp"
#include "signatures/header_text.hpp"
#include "signatures/mac.hpp"
#include "signatures/statement.hpp"

namespace holdfast::signatures {

tl::expected<StandardHeaders, std::string> sign_standard(std::span<const Secret> secrets,
                                                         std::string_view id, Instant at,
                                                         std::string_view body) {
  const auto wrong = [](const char* what) { return tl::unexpected<std::string>(what); };
  if (!is_standard_id(id))
    return wrong("an id is 1 to 256 printable ASCII characters without a space or a dot");
  if (secrets.empty() || secrets.size() > signatures_max) return wrong("sign with 1 to 16 secrets");
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  StandardHeaders headers{std::string(id), std::to_string(seconds), {}};
  if (!seconds_from(headers.timestamp)) return wrong("the time has no time stamp of 12 digits");
  const Content content{headers.id + '.' + headers.timestamp + '.', body};
  for (const Secret& each : secrets) {
    if (each.kind() != Secret::Kind::shared) return wrong("a public key does not sign");
    if (!headers.signature.empty()) headers.signature += ' ';
    headers.signature += "v1," + to_base64(hmac(Hash::sha256, each.bytes(), content));
  }
  return headers;
}

}  // namespace holdfast::signatures
