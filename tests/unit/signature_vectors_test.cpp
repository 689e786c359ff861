// Webhooks that others have signed: the vectors of Standard Webhooks and Svix, the examples of
// GitHub and RFC 4231, and what a Python script makes from the descriptions of the schemes.

#include <gtest/gtest.h>

#include <sstream>

#include "base/hex.hpp"
#include "signatures/sign.hpp"
#include "signatures/verify.hpp"
#include "support/command.hpp"
#include "support/header_list.hpp"
#include "support/paths.hpp"

namespace holdfast::signatures {
namespace {

using test::HeaderList;

constexpr std::string_view published_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view published_id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr std::string_view published_body = R"({"test": 2432232314})";
const std::string published_v1 = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
// Of Svix, whose format Standard Webhooks is: the same webhook, signed with Ed25519.
constexpr std::string_view published_key = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
const std::string published_v1a =
    "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";
constexpr Instant published_at{std::chrono::seconds(1614265330)};

HeaderList published(const std::string& signature) {
  return {{{"webhook-id", std::string(published_id)},
           {"webhook-timestamp", "1614265330"},
           {"webhook-signature", signature}}};
}

Secret standard(std::string_view text) { return Secret::standard(text).value(); }
Secret plain(std::string_view text) { return Secret::plain(text).value(); }

tl::expected<Verified, Refusal> checked(const Scheme& scheme, const Secret& secret,
                                        const HeaderList& headers, std::string_view body) {
  return verify(scheme, std::span(&secret, 1), headers.lookup(), body, published_at, Duration(0));
}

TEST(SignatureVectors, of_standard_webhooks_are_made) {
  const Secret secret = standard(published_secret);
  const auto made =
      sign_standard(std::span(&secret, 1), published_id, published_at, published_body);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->id, published_id);
  EXPECT_EQ(made->timestamp, "1614265330");
  EXPECT_EQ(made->signature, published_v1);
}

TEST(SignatureVectors, of_standard_webhooks_are_verified) {
  // The libraries of Standard Webhooks are tested with this list, too.
  const std::string other = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
  for (const std::string& signature :
       {published_v1, other + " v2," + other.substr(3) + " " + published_v1 + " " + other}) {
    const auto found =
        checked(Standard{}, standard(published_secret), published(signature), published_body);
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->event_id, published_id);
    EXPECT_EQ(found->timestamp, published_at);
    EXPECT_EQ(found->key, 0U);
  }
}

TEST(SignatureVectors, of_ed25519_are_verified) {
  const Secret key = standard(published_key);
  EXPECT_TRUE(checked(Standard{}, key, published(published_v1a), published_body));
  EXPECT_TRUE(
      checked(Standard{}, key, published(published_v1 + " " + published_v1a), published_body));
  EXPECT_FALSE(checked(Standard{}, key, published(published_v1), published_body));
  EXPECT_FALSE(checked(Standard{}, key, published(published_v1a), R"({"test": 2432232315})"));
}

TEST(SignatureVectors, of_github_are_verified) {
  const HeaderList headers{
      {{"X-Hub-Signature-256",
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
       {"X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"}}};
  const auto found =
      checked(Github{}, plain("It's a Secret to Everybody"), headers, "Hello, World!");
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->event_id, "72d3162e-cc78-11e3-81ab-4c9367dc0958");
  EXPECT_EQ(found->timestamp, std::nullopt);
}

TEST(SignatureVectors, of_rfc_4231_are_made) {
  struct Vector {
    std::string key, text, sha256, sha512;
  };
  const std::vector<Vector> vectors{
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
       "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eae"
       "a3f4e4be9d914eeb61f1702e696c203a126854"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
       "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8"
       "f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
       "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d"
       "6a1e5295e64f73f63f0aec8b915a985d786598"}};
  for (const Vector& each : vectors) {
    const Content content{each.text.substr(0, 3), std::string_view(each.text).substr(3)};
    EXPECT_EQ(to_hex(hmac(Hash::sha256, each.key, content)), each.sha256);
    EXPECT_EQ(to_hex(hmac(Hash::sha512, each.key, content)), each.sha512);
  }
}

Scheme scheme_named(const std::string& name) {
  if (name == "standard") return Standard{};
  if (name == "timestamped") return Timestamped{};
  if (name == "github") return Github{};
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  Hmac scheme;
  scheme.header = "X-Code";
  scheme.hash = has("sha512") ? Hash::sha512 : Hash::sha256;
  scheme.encoding = has("base64") ? Encoding::base64 : Encoding::hex;
  if (has("timed")) scheme.timestamp_header = "X-Time";
  return scheme;
}

std::string of_hex(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  EXPECT_TRUE(from_hex(hex, bytes));
  return bytes;
}

TEST(SignatureVectors, of_python_are_verified) {
  std::istringstream lines(
      test::output_of("python3 " HOLDFAST_SOURCE_DIR "/tests/unit/signature_vectors.py"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::istringstream fields(line);
    std::string name, secret, body, header;
    std::getline(fields, name, '\t');
    std::getline(fields, secret, '\t');
    std::getline(fields, body, '\t');
    HeaderList headers;
    while (std::getline(fields, header, '\t')) {
      const std::size_t colon = header.find(": ");
      headers.set(header.substr(0, colon), header.substr(colon + 2));
    }
    const Scheme scheme = scheme_named(name);
    const auto key = secret_for(scheme, of_hex(secret));
    ASSERT_TRUE(key) << line << key.error();
    const auto found = checked(scheme, *key, headers, of_hex(body));
    ASSERT_TRUE(found) << line << found.error().text;
    EXPECT_EQ(found->event_id, name == "standard" ? headers.headers[0].second : "evt_1");
    EXPECT_EQ(found->timestamp.has_value(), covers_time(scheme));
    EXPECT_EQ(checked(scheme, *key, headers, of_hex(body) + " ").error().reason, Reason::forged);
  }
  EXPECT_EQ(count, 188U);
}

}  // namespace
}  // namespace holdfast::signatures
