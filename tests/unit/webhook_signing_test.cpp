// Secrets, and what we sign with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signatures/base64.hpp"
#include "signatures/sign.hpp"
#include "signatures/verify.hpp"
#include "support/header_list.hpp"

namespace holdfast::signatures {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Instant sent_at{std::chrono::seconds(1'700'000'000)};

TEST(WebhookSecrets, have_one_spelling) {
  const auto random = seeded_random(1);
  for (std::size_t size = Secret::standard_bytes_min; size <= Secret::standard_bytes_max; ++size) {
    const Secret made = Secret::fresh(*random, size);
    EXPECT_EQ(made.bytes().size(), size);
    const auto read = Secret::standard(made.text());
    ASSERT_TRUE(read) << made.text() << read.error();
    EXPECT_EQ(read->bytes(), made.bytes());
    EXPECT_EQ(read->kind(), Secret::Kind::shared);
    EXPECT_EQ(read->text(), made.text());
  }
  EXPECT_NE(Secret::fresh(*random).text(), Secret::fresh(*random).text());
  EXPECT_EQ(Secret::fresh(*random).bytes().size(), 32U);
}

TEST(WebhookSecrets, are_read_strictly) {
  const std::string good = "whsec_" + to_base64(std::string(25, '\x7f'));
  ASSERT_TRUE(Secret::standard(good));
  for (const std::string& text :
       {std::string(), std::string("whsec_"), good.substr(6), "WHSEC_" + good.substr(6),
        "whsk_" + good.substr(6), good + " ", " " + good, good + "\n", good + "=",
        good.substr(0, good.size() - 1), "whsec_" + to_base64(std::string(23, 'x')),
        "whsec_" + to_base64(std::string(65, 'x')), "whpk_" + to_base64(std::string(31, 'x')),
        "whpk_" + to_base64(std::string(33, 'x')), "whsec_" + std::string(32, '_')}) {
    const auto read = Secret::standard(text);
    ASSERT_FALSE(read) << text;
    if (text.size() < 20) continue;
    EXPECT_THAT(read.error(), Not(HasSubstr(text.substr(8, 12))));
  }
  const auto key = Secret::standard("whpk_" + to_base64(std::string(32, 'x')));
  ASSERT_TRUE(key);
  EXPECT_EQ(key->kind(), Secret::Kind::public_key);
  EXPECT_EQ(key->text(), "whpk_" + to_base64(std::string(32, 'x')));
}

TEST(WebhookSecrets, of_others_are_what_they_show) {
  EXPECT_EQ(Secret::plain("whsec_abc")->bytes(), "whsec_abc");
  EXPECT_FALSE(Secret::plain(""));
  EXPECT_TRUE(Secret::plain(std::string(1024, 'x')));
  EXPECT_FALSE(Secret::plain(std::string(1025, 'x')));
  EXPECT_EQ(secret_for(Timestamped{}, "whsec_abc")->bytes(), "whsec_abc");
  EXPECT_FALSE(secret_for(Standard{}, "whsec_abc"));
}

TEST(WebhookSecrets, are_base64_with_its_padding) {
  // RFC 4648, 10.
  const std::vector<std::pair<std::string, std::string>> vectors{{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "=",
                           "Zg==Zg==", "Zm9v\n", " Zm9v", "Zm-_", "Zm9vZ"})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

TEST(WebhookSigning, is_verified_with_old_and_new_secrets) {
  const auto random = seeded_random(2);
  const std::vector<Secret> both{Secret::fresh(*random), Secret::fresh(*random, 64)};
  const std::string body("any\0bytes\xff", 10);
  const auto made = sign_standard(both, "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", sent_at, body);
  ASSERT_TRUE(made) << made.error();
  const test::HeaderList headers{{{"webhook-id", made->id},
                                  {"webhook-timestamp", made->timestamp},
                                  {"webhook-signature", made->signature}}};
  for (const Secret& each : both) {
    const auto found =
        verify(Standard{}, std::span(&each, 1), headers.lookup(), body, sent_at, Duration(0));
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->event_id, "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W");
  }
  const Secret third = Secret::fresh(*random);
  EXPECT_FALSE(
      verify(Standard{}, std::span(&third, 1), headers.lookup(), body, sent_at, Duration(0)));
}

TEST(WebhookSigning, signs_the_second_it_is_in) {
  const auto random = seeded_random(3);
  const Secret secret = Secret::fresh(*random);
  const auto stamp = [&](Instant at) {
    const auto made = sign_standard(std::span(&secret, 1), "msg_1", at, "");
    return made ? made->timestamp : made.error();
  };
  EXPECT_EQ(stamp(sent_at), "1700000000");
  EXPECT_EQ(stamp(sent_at + Duration(999'999)), "1700000000");
  EXPECT_EQ(stamp(sent_at - Duration(1)), "1699999999");
  EXPECT_EQ(stamp(Instant(Duration(0))), "0");
  EXPECT_THAT(stamp(Instant(Duration(-1))), HasSubstr("12 digits"));
  EXPECT_EQ(stamp(Instant(std::chrono::seconds(999'999'999'999))), "999999999999");
  EXPECT_THAT(stamp(Instant(std::chrono::seconds(1'000'000'000'000))), HasSubstr("12 digits"));
}

TEST(WebhookSigning, refuses_what_nobody_could_verify) {
  const auto random = seeded_random(4);
  const std::vector<Secret> secrets(17, Secret::fresh(*random));
  const std::span one(secrets.data(), 1);
  for (const std::string& id :
       {std::string(), std::string("msg_a.b"), std::string("msg a"), std::string("msg\n"),
        std::string("m\xc3\xbc"), std::string(257, 'x')})
    EXPECT_FALSE(sign_standard(one, id, sent_at, "{}")) << id;
  EXPECT_TRUE(sign_standard(one, std::string(256, 'x'), sent_at, "{}"));
  EXPECT_FALSE(sign_standard({}, "msg_1", sent_at, "{}"));
  EXPECT_TRUE(sign_standard(std::span(secrets).first(16), "msg_1", sent_at, "{}"));
  EXPECT_FALSE(sign_standard(secrets, "msg_1", sent_at, "{}"));
  const Secret key = Secret::standard("whpk_" + to_base64(std::string(32, 'x'))).value();
  EXPECT_FALSE(sign_standard(std::span(&key, 1), "msg_1", sent_at, "{}"));
}

}  // namespace
}  // namespace holdfast::signatures
