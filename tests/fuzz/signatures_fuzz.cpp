// Webhooks: whatever comes, the answer is one of those the contract has, what was not signed is
// never accepted, and what was signed always is. The first byte chooses the scheme; then, separated
// by NUL, come the values of headers, of which an empty one is not sent, and the body.

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/hex.hpp"
#include "base/json_pointer.hpp"
#include "signatures/base64.hpp"
#include "signatures/sign.hpp"
#include "signatures/verify.hpp"
#include "support/header_list.hpp"

namespace {

using namespace holdfast;              // NOLINT(google-build-using-namespace): a program of its own
using namespace holdfast::signatures;  // NOLINT(google-build-using-namespace)

constexpr Instant now{std::chrono::seconds(1614265330)};
constexpr Duration tolerance = std::chrono::minutes(5);

void require(bool truth) {
  if (!truth) std::abort();
}

struct Fuzzed {
  Scheme scheme;
  std::vector<std::string> names;
};

Fuzzed hmac_with(Hash hash, Encoding encoding, std::string prefix, bool timed, IdPlace id) {
  Hmac scheme{"X-Code", hash, encoding, std::move(prefix), std::nullopt, std::move(id)};
  if (timed) scheme.timestamp_header = "X-Time";
  return {scheme, {"X-Code", "X-Time", "X-Id"}};
}

Fuzzed fuzzed(unsigned choice) {
  switch (choice % 6) {
    case 0:
      return {Standard{}, {"webhook-id", "webhook-timestamp", "webhook-signature"}};
    case 1:
      return {Timestamped{}, {"Stripe-Signature", "Stripe-Signature", "X-Id"}};
    case 2:
      return {Github{}, {"X-Hub-Signature-256", "X-GitHub-Delivery", "X-GitHub-Delivery"}};
    case 3:
      return hmac_with(Hash::sha256, Encoding::hex, "", false, IdInBody{"/data/0/id"});
    case 4:
      return hmac_with(Hash::sha512, Encoding::base64, "v=", true, IdInHeader{"X-Id"});
    default:
      return hmac_with(Hash::sha512, Encoding::hex, "", true, IdInBody{});
  }
}

const std::vector<Secret>& secrets_of(const Scheme& scheme) {
  static const std::vector<Secret> standard{
      Secret::standard("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").value(),
      Secret::standard("whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=").value()};
  static const std::vector<Secret> plain{Secret::plain("It's a Secret to Everybody").value(),
                                         Secret::plain("another").value()};
  return std::holds_alternative<Standard>(scheme) ? standard : plain;
}

void check_received(const Fuzzed& webhook, const test::HeaderList& headers, std::string_view body) {
  const auto& secrets = secrets_of(webhook.scheme);
  const auto found = verify(webhook.scheme, secrets, headers.lookup(), body, now, tolerance);
  if (!found) {
    require(!found.error().text.empty());
    require(found.error().reason <= Reason::forged);
    return;
  }
  require(!found->event_id.empty() && found->event_id.size() <= event_id_bytes_max);
  for (const char c : found->event_id) require(c > 0x20 && c < 0x7f);
  require(found->timestamp.has_value() == covers_time(webhook.scheme));
  require(!found->timestamp ||
          (now - *found->timestamp <= tolerance && *found->timestamp - now <= tolerance));
  require(found->key < secrets.size());
  // Without that secret, or with another body, it is forged.
  const auto changed = std::string(body) + " ";
  require(!verify(webhook.scheme, secrets, headers.lookup(), changed, now, tolerance));
  require(!verify(webhook.scheme, {}, headers.lookup(), body, now, tolerance));
}

void check_sent(std::string_view id, std::string_view body) {
  const auto& secrets = secrets_of(Standard{});
  const auto made = sign_standard(std::span(secrets).first(1), id, now, body);
  if (!made) return;
  const test::HeaderList headers{{{"webhook-id", made->id},
                                  {"webhook-timestamp", made->timestamp},
                                  {"webhook-signature", made->signature}}};
  const auto found = verify(Standard{}, secrets, headers.lookup(), body, now, Duration(0));
  require(found && found->event_id == id && found->key == 0);
}

void check_texts(std::string_view text) {
  if (const auto bytes = from_base64(text)) require(to_base64(*bytes) == text);
  if (const auto secret = Secret::standard(text)) require(secret->text() == text);
  require(from_base64(to_base64(text)) == text);
}

std::string_view take(std::string_view& rest) {
  const std::string_view field = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(rest.size(), field.size() + 1));
  return field;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Fuzzed webhook = fuzzed(data[0]);
  std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  test::HeaderList headers;
  for (const std::string& name : webhook.names) {
    const std::string_view value = take(rest);
    check_texts(value);
    check_sent(value, rest);
    if (!value.empty()) headers.headers.emplace_back(name, value);
  }
  check_received(webhook, headers, rest);
  (void)scalar_at(rest, take(rest));
  return 0;
}
