// Signs or verifies webhooks for support/signatures.mjs. A line of the standard input is a call, a
// line of the standard output its answer; fields are separated by tabs, bodies are in hex.
//
//   sign    <secrets> <id> <microseconds> <body>               → ok <id> <timestamp> <signature>
//   verify  <secrets> <microseconds> <id> <timestamp> <signature> <body>
//                                                              → ok <event id> <key>
//   verify_timestamped  <secret> <microseconds> <Stripe-Signature> <body>
//                                                              → ok <event id> <key>
//
// Secrets are separated by commas. What fails is answered with `no` and a reason. The tolerance is
// five minutes, which is that of the package.

#include <charconv>
#include <iostream>
#include <sstream>

#include "base/hex.hpp"
#include "signatures/sign.hpp"
#include "signatures/verify.hpp"
#include "support/header_list.hpp"

namespace {

using namespace holdfast;              // NOLINT(google-build-using-namespace): a program of its own
using namespace holdfast::signatures;  // NOLINT(google-build-using-namespace)

using Fields = std::vector<std::string>;

Fields split(const std::string& text, char mark) {
  Fields fields;
  std::istringstream stream(text);
  for (std::string field; std::getline(stream, field, mark);) fields.push_back(field);
  return fields;
}

std::vector<Secret> secrets_of(const std::string& texts) {
  std::vector<Secret> secrets;
  for (const std::string& text : split(texts, ','))
    secrets.push_back(Secret::standard(text).value());
  return secrets;
}

Instant instant_of(const std::string& microseconds) {
  return Instant(Duration(std::stoll(microseconds)));
}

/// Beyond the last field: an empty body.
std::string body_of(const Fields& fields, std::size_t at) {
  if (at >= fields.size()) return {};
  std::string bytes(fields[at].size() / 2, '\0');
  return from_hex(fields[at], bytes) ? bytes : "not hex";
}

std::string sign(const Fields& fields) {
  const auto made = sign_standard(secrets_of(fields.at(1)), fields.at(2), instant_of(fields.at(3)),
                                  body_of(fields, 4));
  if (!made) return "no\t" + made.error();
  return "ok\t" + made->id + '\t' + made->timestamp + '\t' + made->signature;
}

std::string told(const tl::expected<Verified, Refusal>& found) {
  if (!found) return "no\t" + found.error().text;
  return "ok\t" + found->event_id + '\t' + std::to_string(found->key);
}

std::string check_timestamped(const Fields& fields) {
  const Secret secret = Secret::plain(fields.at(1)).value();
  const test::HeaderList headers{{{"Stripe-Signature", fields.at(3)}}};
  return told(verify(Timestamped{}, std::span(&secret, 1), headers.lookup(), body_of(fields, 4),
                     instant_of(fields.at(2)), std::chrono::minutes(5)));
}

std::string check(const Fields& fields) {
  const test::HeaderList headers{{{"webhook-id", fields.at(3)},
                                  {"webhook-timestamp", fields.at(4)},
                                  {"webhook-signature", fields.at(5)}}};
  return told(verify(Standard{}, secrets_of(fields.at(1)), headers.lookup(), body_of(fields, 6),
                     instant_of(fields.at(2)), std::chrono::minutes(5)));
}

std::string answer(const Fields& fields) {
  if (fields.at(0) == "sign") return sign(fields);
  return fields.at(0) == "verify" ? check(fields) : check_timestamped(fields);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer(split(line, '\t')) << std::endl;
  }
}
