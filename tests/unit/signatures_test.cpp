#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "signatures/base64.hpp"
#include "signatures/sign.hpp"
#include "signatures/verify.hpp"
#include "support/header_list.hpp"

namespace holdfast::signatures {
namespace {

using std::chrono::seconds;
using test::HeaderList;
using testing::HasSubstr;

constexpr Instant signed_at{seconds(1'700'000'000)};
constexpr Duration tolerance = std::chrono::minutes(5);
const std::string signed_body = R"({"id":"evt_1","data":{"number":7}})";

const Secret& secret_number(std::size_t number) {
  static const std::vector<Secret> secrets = [] {
    const auto random = seeded_random(7);
    std::vector<Secret> made;
    for (int i = 0; i < 4; ++i) made.push_back(Secret::fresh(*random));
    return made;
  }();
  return secrets[number];
}

std::string time_text() { return std::to_string(signed_at.time_since_epoch() / seconds(1)); }

std::string hex_of(const std::string& head, Hash hash = Hash::sha256) {
  return to_hex(hmac(hash, secret_number(0).bytes(), {head, signed_body}));
}

/// A webhook that secret 0 has signed.
struct Webhook {
  std::string name;
  Scheme scheme;
  HeaderList headers;
  std::string event_id;
};

Webhook standard() {
  const auto made = sign_standard(std::span(&secret_number(0), 1), "msg_1", signed_at, signed_body);
  return {"standard",
          Standard{},
          {{{"Webhook-Id", made->id},
            {"Webhook-Timestamp", made->timestamp},
            {"Webhook-Signature", made->signature}}},
          "msg_1"};
}

Webhook timestamped() {
  return {"timestamped",
          Timestamped{},
          {{{"Stripe-Signature", "t=" + time_text() + ",v1=" + hex_of(time_text() + ".")}}},
          "evt_1"};
}

Webhook github() {
  return {"github",
          Github{},
          {{{"X-Hub-Signature-256", "sha256=" + hex_of("")}, {"X-GitHub-Delivery", "72d3162e"}}},
          "72d3162e"};
}

Webhook plain_hmac() {
  Hmac scheme;
  scheme.header = "X-Signature";
  scheme.prefix = "hmac=";
  scheme.event_id = IdInBody{"/data/number"};
  return {"hmac", scheme, {{{"X-Signature", "hmac=" + hex_of("")}}}, "7"};
}

Webhook timed_hmac() {
  Hmac scheme;
  scheme.header = "X-Signature";
  scheme.hash = Hash::sha512;
  scheme.encoding = Encoding::base64;
  scheme.timestamp_header = "X-Time";
  scheme.event_id = IdInHeader{"X-Event"};
  const std::string code =
      hmac(Hash::sha512, secret_number(0).bytes(), {time_text() + ".", signed_body});
  return {"timed hmac",
          scheme,
          {{{"X-Signature", to_base64(code)}, {"X-Time", time_text()}, {"X-Event", "e-1"}}},
          "e-1"};
}

std::vector<Webhook> all() {
  return {standard(), timestamped(), github(), plain_hmac(), timed_hmac()};
}

tl::expected<Verified, Refusal> checked(const Webhook& webhook, std::span<const Secret> secrets,
                                        Instant now = signed_at,
                                        std::string_view received = signed_body) {
  return verify(webhook.scheme, secrets, webhook.headers.lookup(), received, now, tolerance);
}

/// Why it is refused with secret 0; nothing if it is accepted.
std::optional<Reason> refused(const Webhook& webhook, Instant now = signed_at,
                              std::string_view received = signed_body) {
  const auto found = checked(webhook, std::span(&secret_number(0), 1), now, received);
  return found ? std::nullopt : std::optional(found.error().reason);
}

TEST(Signatures, tell_event_time_and_key) {
  const std::vector<Secret> secrets{secret_number(2), secret_number(0), secret_number(1),
                                    secret_number(0)};
  for (const Webhook& webhook : all()) {
    const auto found = checked(webhook, secrets);
    ASSERT_TRUE(found) << webhook.name << found.error().text;
    EXPECT_EQ(found->event_id, webhook.event_id) << webhook.name;
    EXPECT_EQ(found->key, 1U) << webhook.name;
    EXPECT_EQ(found->timestamp.has_value(), covers_time(webhook.scheme)) << webhook.name;
    if (found->timestamp) {
      EXPECT_EQ(*found->timestamp, signed_at) << webhook.name;
    }
  }
}

TEST(Signatures, of_other_secrets_are_forged) {
  for (const Webhook& webhook : all()) {
    EXPECT_EQ(checked(webhook, {}).error().reason, Reason::forged) << webhook.name;
    const std::vector<Secret> others{secret_number(1), secret_number(2)};
    EXPECT_EQ(checked(webhook, others).error().reason, Reason::forged) << webhook.name;
  }
}

TEST(Signatures, cover_every_bit_of_the_body) {
  for (const Webhook& webhook : all()) {
    for (std::size_t bit = 0; bit < 8 * signed_body.size(); ++bit) {
      std::string other = signed_body;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
      EXPECT_EQ(refused(webhook, signed_at, other), Reason::forged) << webhook.name << other;
    }
    EXPECT_EQ(refused(webhook, signed_at, signed_body + "\n"), Reason::forged) << webhook.name;
    EXPECT_EQ(refused(webhook, signed_at, signed_body.substr(1)), Reason::forged) << webhook.name;
    EXPECT_EQ(refused(webhook, signed_at, ""), Reason::forged) << webhook.name;
  }
}

TEST(Signatures, cover_the_headers_they_say_they_cover) {
  for (const Webhook& webhook : all()) {
    for (std::size_t i = 0; i < webhook.headers.headers.size(); ++i) {
      const auto& [name, value] = webhook.headers.headers[i];
      const bool open = name == "X-GitHub-Delivery" || name == "X-Event";
      EXPECT_FALSE(open && covers_event_id(webhook.scheme));
      for (std::size_t bit = 0; bit < 8 * value.size(); ++bit) {
        // The digits of hex have two cases where that is allowed.
        if (webhook.name == "hmac" && bit % 8 == 5) continue;
        Webhook other = webhook;
        char& c = other.headers.headers[i].second[bit / 8];
        c = static_cast<char>(c ^ (1 << bit % 8));
        const auto found = checked(other, std::span(&secret_number(0), 1));
        if (!found) continue;
        EXPECT_TRUE(open) << webhook.name << ": " << name << ": " << c << " at " << bit / 8;
        EXPECT_NE(found->event_id, webhook.event_id);
      }
    }
  }
}

TEST(Signatures, say_what_they_cover) {
  EXPECT_TRUE(covers_event_id(Standard{}));
  EXPECT_TRUE(covers_event_id(Timestamped{}));
  EXPECT_FALSE(covers_event_id(Timestamped{"X", IdInHeader{"Y"}}));
  EXPECT_FALSE(covers_event_id(Github{}));
  EXPECT_TRUE(covers_event_id(plain_hmac().scheme));
  EXPECT_FALSE(covers_event_id(timed_hmac().scheme));
  EXPECT_TRUE(covers_time(Standard{}));
  EXPECT_TRUE(covers_time(Timestamped{}));
  EXPECT_FALSE(covers_time(Github{}));
  EXPECT_FALSE(covers_time(plain_hmac().scheme));
  EXPECT_TRUE(covers_time(timed_hmac().scheme));
}

TEST(Signatures, are_tolerated_to_the_microsecond) {
  constexpr Duration us(1);
  for (const Webhook& webhook : {standard(), timestamped(), timed_hmac()}) {
    for (const Duration off : std::vector<Duration>{Duration(0), tolerance, tolerance - us,
                                                    Duration(tolerance - seconds(1))}) {
      EXPECT_EQ(refused(webhook, signed_at + off), std::nullopt) << webhook.name;
      EXPECT_EQ(refused(webhook, signed_at - off), std::nullopt) << webhook.name;
    }
    for (const Duration off :
         std::vector<Duration>{tolerance + us, Duration(tolerance + seconds(1)), 2 * tolerance}) {
      EXPECT_EQ(refused(webhook, signed_at + off), Reason::stale) << webhook.name;
      EXPECT_EQ(refused(webhook, signed_at - off), Reason::from_the_future) << webhook.name;
    }
    EXPECT_EQ(refused(webhook, Instant::max()), Reason::stale) << webhook.name;
    EXPECT_EQ(refused(webhook, Instant::min()), Reason::from_the_future) << webhook.name;
  }
  for (const Webhook& webhook : {github(), plain_hmac()}) {
    EXPECT_EQ(refused(webhook, Instant::max()), std::nullopt) << webhook.name;
  }
}

TEST(Signatures, with_no_tolerance_are_good_for_an_instant) {
  const Webhook webhook = standard();
  const auto at = [&](Duration off) {
    return verify(webhook.scheme, std::span(&secret_number(0), 1), webhook.headers.lookup(),
                  signed_body, signed_at + off, Duration(0));
  };
  EXPECT_TRUE(at(Duration(0)));
  EXPECT_EQ(at(Duration(1)).error().reason, Reason::stale);
  EXPECT_EQ(at(Duration(-1)).error().reason, Reason::from_the_future);
}

TEST(Signatures, that_are_forged_are_never_called_stale) {
  for (const Webhook& webhook : {standard(), timestamped(), timed_hmac()})
    EXPECT_EQ(refused(webhook, signed_at + seconds(10'000), signed_body + " "), Reason::forged);
}

TEST(Signatures, need_each_header_once) {
  for (const Webhook& webhook : all()) {
    for (const auto& [name, value] : webhook.headers.headers) {
      Webhook other = webhook;
      other.headers.remove(name);
      EXPECT_EQ(refused(other), Reason::missing_header) << webhook.name << name;
      other = webhook;
      other.headers.headers.emplace_back(name, value);
      EXPECT_EQ(refused(other), Reason::malformed) << webhook.name << name;
      other = webhook;
      other.headers.set(name, "");
      EXPECT_EQ(refused(other), Reason::malformed) << webhook.name << name;
      other.headers.set(name, std::string(signature_header_bytes_max + 1, '1'));
      EXPECT_EQ(refused(other), Reason::malformed) << webhook.name << name;
      for (const char* space : {" ", "\t", "\n", "\r\n", "\v", "\xc2\xa0"}) {
        for (const std::size_t at : {std::size_t{0}, value.size() / 2, value.size()}) {
          other.headers.set(name, std::string(value).insert(at, space));
          EXPECT_EQ(refused(other), Reason::malformed) << webhook.name << name << at;
        }
      }
    }
  }
}

TEST(Signatures, have_time_stamps_of_digits) {
  for (const std::string& text : std::vector<std::string>{
           "1700000000.0", "+1700000000", "-1700000000", "01700000000", "1.7e9", "0x6553f100",
           "170000000000000", "1700000000,", "now", "\xd9\xa1", "1700000000s"}) {
    Webhook webhook = standard();
    webhook.headers.set("webhook-timestamp", text);
    EXPECT_EQ(refused(webhook), Reason::malformed) << text;
    webhook = timed_hmac();
    webhook.headers.set("X-Time", text);
    EXPECT_EQ(refused(webhook), Reason::malformed) << text;
    webhook = timestamped();
    webhook.headers.set("Stripe-Signature", "t=" + text + ",v1=" + hex_of(text + "."));
    EXPECT_EQ(refused(webhook), Reason::malformed) << text;
  }
}

TEST(Signatures, in_lists_are_all_well_formed) {
  const std::string good = standard().headers.headers[2].second;
  const std::string zeros = to_base64(std::string(32, '\0'));
  for (const std::string& text : std::vector<std::string>{
           good + " ", " " + good, good + "  " + good, good + "," + good,
           good.substr(0, good.size() - 1), good + "=", good.substr(3), "v1", "v1,",
           "V1" + good.substr(2), good + " v1,abc", good + " v1a," + zeros, good + " v2",
           good + " ,abc", good + " v1;" + zeros, "v1, " + zeros,
           "v1," + to_base64(std::string(31, 'x')), "v1," + to_base64(std::string(33, 'x')),
           "v1," + hex_of("")}) {
    Webhook webhook = standard();
    webhook.headers.set("webhook-signature", text);
    EXPECT_EQ(refused(webhook), Reason::malformed) << text;
  }
  const std::string t = "t=" + time_text();
  const std::string v1 = "v1=" + hex_of(time_text() + ".");
  for (const std::string& text : std::vector<std::string>{
           t + ", " + v1, t + "," + v1 + ",", "," + t + "," + v1, t + "," + t + "," + v1, v1,
           t + ",," + v1, t + ";" + v1, t + "," + v1.substr(0, 66), t + "," + v1 + "0",
           t + ",v1=", t + "," + v1 + ",v1=00", "t=," + v1, t + ",=x," + v1, t + ",V1=x," + v1,
           t + "," + v1 + ",x"}) {
    Webhook webhook = timestamped();
    webhook.headers.set("Stripe-Signature", text);
    EXPECT_EQ(refused(webhook), Reason::malformed) << text;
  }
  Webhook upper = timestamped();
  std::string shouted = v1;
  for (char& c : shouted) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
  upper.headers.set("Stripe-Signature", t + ",v1" + shouted.substr(2));
  EXPECT_EQ(refused(upper), Reason::malformed);
}

TEST(Signatures, in_lists_fit_wherever_they_stand) {
  const std::string good = standard().headers.headers[2].second;
  const std::string wrong = "v1," + to_base64(std::string(32, 'x'));
  const std::string key = "v1a," + to_base64(std::string(64, 'x'));
  Webhook webhook = standard();
  for (const std::string& text : std::vector<std::string>{wrong + " " + good, good + " " + wrong,
                                                          key + " " + good + " v3,x"}) {
    webhook.headers.set("webhook-signature", text);
    EXPECT_EQ(refused(webhook), std::nullopt) << text;
  }
  for (const std::string& text : std::vector<std::string>{
           wrong, wrong + " " + wrong, std::string("v2,") + good.substr(3), key}) {
    webhook.headers.set("webhook-signature", text);
    EXPECT_EQ(refused(webhook), Reason::forged) << text;
  }
  std::string many;
  for (std::size_t i = 1; i < signatures_max; ++i) many += wrong + " ";
  webhook.headers.set("webhook-signature", many + good);
  EXPECT_EQ(refused(webhook), std::nullopt);
  webhook.headers.set("webhook-signature", many + wrong + " " + good);
  EXPECT_EQ(refused(webhook), Reason::malformed);

  webhook = timestamped();
  const std::string v1 = hex_of(time_text() + ".");
  for (const std::string& text :
       std::vector<std::string>{"v1=" + v1 + ",t=" + time_text(),
                                "t=" + time_text() + ",v1=" + std::string(64, '0') + ",v1=" + v1,
                                "t=" + time_text() + ",v0=x,v1=" + v1 + ",scheme=y"}) {
    webhook.headers.set("Stripe-Signature", text);
    EXPECT_EQ(refused(webhook), std::nullopt) << text;
  }
  webhook.headers.set("Stripe-Signature", "t=" + time_text() + ",v0=" + v1);
  EXPECT_EQ(refused(webhook), Reason::forged);
}

TEST(Signatures, of_ids_with_dots_are_refused) {
  // Otherwise `a.1700000000.5.{}`, signed as id `a`, would also be id `a.1700000000` at time 5.
  Webhook webhook = standard();
  webhook.headers.set("webhook-id", "a.5");
  webhook.headers.set("webhook-signature",
                      "v1," + to_base64(hmac(Hash::sha256, secret_number(0).bytes(),
                                             {"a.5." + time_text() + ".", signed_body})));
  EXPECT_EQ(refused(webhook), Reason::malformed);
}

TEST(Signatures, have_ids_that_are_short_and_printable) {
  const auto with_id = [](const std::string& id) {
    Webhook webhook = github();
    webhook.headers.set("X-GitHub-Delivery", id);
    return refused(webhook);
  };
  EXPECT_EQ(with_id(std::string(event_id_bytes_max, 'x')), std::nullopt);
  EXPECT_EQ(with_id(std::string(event_id_bytes_max + 1, 'x')), Reason::malformed);
  for (const char* id : {"a b", "\x7f", "\xc3\xbc", "a\n"})
    EXPECT_EQ(with_id(id), Reason::malformed) << id;
}

TEST(Signatures, have_ids_in_the_body_once) {
  const auto with_body = [](const std::string& text) {
    const std::string code = to_hex(hmac(Hash::sha256, secret_number(0).bytes(), {"", text}));
    Hmac scheme;
    scheme.header = "X-Signature";
    const HeaderList headers{{{"x-signature", code}}};
    return verify(scheme, std::span(&secret_number(0), 1), headers.lookup(), text, signed_at,
                  tolerance);
  };
  EXPECT_EQ(with_body(R"({"id":"e"})")->event_id, "e");
  EXPECT_EQ(with_body(R"({"id":5})")->event_id, "5");
  for (const std::string& text :
       std::vector<std::string>{"", "id", "{}", R"({"id":"e","id":"f"})", R"({"id":""})",
                                R"({"id":"a b"})", R"({"id":null})", R"({"id":{"id":"e"}})",
                                R"({"id":1.5})", R"({"id":"\u00fc"})", R"({"id":"e"}x)"}) {
    const auto found = with_body(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().reason, Reason::malformed) << text;
    EXPECT_THAT(found.error().text, HasSubstr("/id"));
  }
  EXPECT_EQ(with_body(R"({"id":")" + std::string(257, 'x') + R"("})").error().reason,
            Reason::malformed);
}

TEST(Signatures, are_of_the_kind_of_the_secret) {
  // A public key is known to everybody: it must not do as a shared secret.
  const std::string public_bytes(32, '\x42');
  const Secret key = Secret::standard("whpk_" + to_base64(public_bytes)).value();
  Webhook webhook = standard();
  const std::string code =
      hmac(Hash::sha256, public_bytes, {"msg_1." + time_text() + ".", signed_body});
  for (const std::string& text :
       std::vector<std::string>{"v1," + to_base64(code), "v1a," + to_base64(code + code)}) {
    webhook.headers.set("webhook-signature", text);
    EXPECT_EQ(checked(webhook, std::span(&key, 1)).error().reason, Reason::forged);
  }
  webhook = github();
  webhook.headers.set("X-Hub-Signature-256",
                      "sha256=" + to_hex(hmac(Hash::sha256, public_bytes, {"", signed_body})));
  EXPECT_EQ(checked(webhook, std::span(&key, 1)).error().reason, Reason::forged);
}

TEST(Signatures, need_their_prefix) {
  Webhook webhook = plain_hmac();
  for (const std::string& text :
       std::vector<std::string>{hex_of(""), "HMAC=" + hex_of(""), "hmac=hmac=" + hex_of(""),
                                "hmac=" + hex_of("") + "00", "hmac=0x" + hex_of("")}) {
    webhook.headers.set("X-Signature", text);
    EXPECT_EQ(refused(webhook), Reason::malformed) << text;
  }
}

TEST(Signatures, are_refused_in_words_that_name_the_header) {
  Webhook webhook = standard();
  webhook.headers.remove("webhook-timestamp");
  const auto found = checked(webhook, std::span(&secret_number(0), 1));
  EXPECT_EQ(found.error().text, "webhook-timestamp is missing");
}

TEST(Schemes, are_checked_for_mistakes) {
  for (const Webhook& webhook : all()) EXPECT_EQ(mistake_in(webhook.scheme), "") << webhook.name;
  EXPECT_NE(mistake_in(Timestamped{""}), "");
  EXPECT_NE(mistake_in(Timestamped{"a b"}), "");
  EXPECT_NE(mistake_in(Timestamped{"X", IdInBody{"id"}}), "");
  EXPECT_NE(mistake_in(Timestamped{"X", IdInHeader{"a:"}}), "");
  EXPECT_NE(mistake_in(Hmac{}), "");
  Hmac scheme;
  scheme.header = "X";
  EXPECT_EQ(mistake_in(scheme), "");
  scheme.prefix = "a b";
  EXPECT_NE(mistake_in(scheme), "");
  scheme.prefix = "";
  scheme.timestamp_header = "";
  EXPECT_NE(mistake_in(scheme), "");
}

}  // namespace
}  // namespace holdfast::signatures
