// Sources of webhooks in the registry: what is taken, what is refused and where, what is published.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modules/webhooks/source.hpp"
#include "registry/registry.hpp"
#include "support/json.hpp"

namespace holdfast::registry::of_webhooks {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using webhooks::Follows;
using webhooks::Source;

constexpr std::string_view command =
    "[[command]]\nentity = \"payment\"\naction = \"book\"\nkey_mode = \"{}\"\n{}\n";

/// A source of four lines; what is added begins on the fifth.
std::string source(const std::string& more, const std::string& scheme = "standard") {
  return "[[webhook]]\nname = \"bank\"\nscheme = \"" + scheme + "\"\nsecrets = [\"A\", \"B\"]\n" +
         more;
}

std::shared_ptr<const commands::Registry> good(const std::string& toml) {
  auto read = read_registry_text(toml, "r.toml");
  if (read) return *read;
  ADD_FAILURE() << read.error().message();
  return nullptr;
}

Source only(const std::string& toml) {
  const auto registry = good(toml);
  if (registry == nullptr || registry->webhooks == nullptr) return {};
  return *registry->webhooks->by_name.begin()->second;
}

std::string refusal(const std::string& toml) {
  const auto read = read_registry_text(toml, "r.toml");
  return read ? "accepted"
              : fmt::format("{}:{}: {}", read.error().line, read.error().column, read.error().text);
}

TEST(RegistryOfWebhooks, has_defaults) {
  const Source bank = only(source("pull = \"invoices\"\n"));
  EXPECT_EQ(bank.name, "bank");
  EXPECT_EQ(bank.tenant, "default");
  EXPECT_TRUE(std::holds_alternative<signatures::Standard>(bank.scheme));
  EXPECT_THAT(bank.secrets, ElementsAre("A", "B"));
  EXPECT_EQ(bank.tolerance, 5min);
  EXPECT_EQ(bank.window, 24h * 7);
  EXPECT_EQ(bank.follows, Follows::pull);
  EXPECT_EQ(bank.target, "invoices");
  EXPECT_EQ(bank.attempts_max, 20U);
  EXPECT_EQ(good("")->webhooks, nullptr);
  EXPECT_THAT(secrets_named(*good(source("pull = \"x\"\n"))), ElementsAre("A", "B"));
}

TEST(RegistryOfWebhooks, takes_every_scheme) {
  const auto timestamped = std::get<signatures::Timestamped>(
      only(source("pull = \"x\"\nheader = \"X-Sign\"\nevent_id = \"/event/id\"\n", "timestamped"))
          .scheme);
  EXPECT_EQ(timestamped.header, "X-Sign");
  EXPECT_EQ(std::get<signatures::IdInBody>(timestamped.event_id).pointer, "/event/id");
  EXPECT_TRUE(
      std::holds_alternative<signatures::Github>(only(source("pull = \"x\"\n", "github")).scheme));
  const auto hmac = std::get<signatures::Hmac>(
      only(source("pull = \"x\"\nheader = \"X-Sign\"\nhash = \"sha512\"\nencoding = \"base64\"\n"
                  "prefix = \"v=\"\ntimestamp_header = \"X-Time\"\nevent_id_header = \"X-Id\"\n",
                  "hmac"))
          .scheme);
  EXPECT_EQ(hmac.hash, signatures::Hash::sha512);
  EXPECT_EQ(hmac.encoding, signatures::Encoding::base64);
  EXPECT_EQ(hmac.prefix, "v=");
  EXPECT_EQ(hmac.timestamp_header, "X-Time");
  EXPECT_EQ(std::get<signatures::IdInHeader>(hmac.event_id).name, "X-Id");
}

TEST(RegistryOfWebhooks, says_what_follows) {
  const Source forward = only(source("forward = \"https://h/x?y=1\"\ntimeout = \"40s\"\n"));
  EXPECT_EQ(forward.follows, Follows::forward);
  EXPECT_EQ(forward.target, "https://h/x?y=1");
  EXPECT_GT(forward.lease, forward.timeout);
  const Source booked = only(fmt::format(command, "both", "") +
                             source("command = \"payment.book\"\nargs = { amount = \"/a/b\" }\n"));
  EXPECT_EQ(booked.follows, Follows::command);
  EXPECT_EQ(booked.intent(), std::pair(std::string("payment"), std::string("book")));
  EXPECT_EQ(booked.args.front(), std::pair(std::string("amount"), std::string("/a/b")));
}

TEST(RegistryOfWebhooks, refuses_what_does_not_go_together) {
  const auto of_command = [](const std::string& mode, const std::string& more) {
    return refusal(fmt::format(command, mode, more) + source("command = \"payment.book\"\n"));
  };
  EXPECT_THAT(refusal(source("")), HasSubstr("write command, forward or pull"));
  EXPECT_THAT(refusal(source("pull = \"x\"\nforward = \"http://h/\"\n")), HasSubstr("one thing"));
  EXPECT_THAT(refusal(source("pull = \"x\"\ntimeout = \"1s\"\n")), HasSubstr("6:"));
  EXPECT_THAT(refusal(source("pull = \"x\"\nargs = { a = \"/a\" }\n")), HasSubstr("6:"));
  EXPECT_THAT(refusal(source("pull = \"x\"\nheader = \"X\"\n")), HasSubstr("no meaning"));
  EXPECT_THAT(refusal(source("pull = \"x\"\nhash = \"sha512\"\n", "timestamped")),
              HasSubstr("no meaning"));
  EXPECT_THAT(refusal(source("pull = \"x\"\n", "hmac")), HasSubstr("needs a header"));
  EXPECT_THAT(refusal(source("pull = \"x\"\ntolerance = \"1m\"\n", "github")),
              HasSubstr("no time is signed"));
  EXPECT_THAT(
      refusal(source("pull = \"x\"\nevent_id = \"/a\"\nevent_id_header = \"X\"\n", "timestamped")),
      HasSubstr("keep one"));
  EXPECT_THAT(refusal(source("pull = \"x\"\nwindow = \"1h\"\ntolerance = \"2h\"\n")),
              HasSubstr("window"));
  EXPECT_THAT(refusal(source("pull = \"x\"\nbackoff = \"1h\"\n")), HasSubstr("backoff_max"));
  EXPECT_THAT(refusal(source("pull = \"x\"\n") + source("pull = \"x\"\n")),
              HasSubstr("declared twice"));
  EXPECT_THAT(refusal(source("command = \"payment.book\"\n")),
              HasSubstr("no command of this file"));
  EXPECT_THAT(of_command("derived", ""), HasSubstr("key_mode"));
  EXPECT_THAT(of_command("both", "confirmation = \"required\""), HasSubstr("confirmed"));
  EXPECT_THAT(of_command("client", ""), "accepted");
}

TEST(RegistryOfWebhooks, refuses_values_and_says_where) {
  EXPECT_THAT(refusal(source("pull = \"x\"\nattempts = 0\n")), testing::StartsWith("6:"));
  EXPECT_THAT(refusal(source("forward = \"ftp://h/\"\n")), testing::StartsWith("5:"));
  EXPECT_THAT(refusal(source("forward = \"http://u:p@h/\"\n")), testing::StartsWith("5:"));
  EXPECT_THAT(refusal("[[webhook]]\nname = \"a\"\nscheme = \"standard\"\nsecrets = []\n"),
              testing::StartsWith("4:"));
  EXPECT_THAT(refusal("[[webhook]]\nname = \"a\"\nscheme = \"standard\"\nsecrets = [\"a b\"]\n"),
              testing::StartsWith("4:"));
  EXPECT_THAT(refusal(source("pul = \"x\"\n")), HasSubstr("did you mean pull?"));
  EXPECT_THAT(refusal("[[webhook]]\nname = \"a\"\n"), HasSubstr("needs scheme"));
  EXPECT_THAT(refusal("webhook = 1\n"), HasSubstr("[[webhook]]"));
}

TEST(RegistryOfWebhooks, are_published_without_secrets) {
  const auto registry = good(source("pull = \"x\"\n"));
  const test::Json published(registry->published);
  EXPECT_EQ(published.text("/webhooks/0/name"), "bank");
  EXPECT_EQ(published.text("/webhooks/0/pull"), "x");
  EXPECT_EQ(published.raw("/webhooks/0/secrets"), R"(["A","B"])");
  EXPECT_NE(registry->digest, good("")->digest);
  EXPECT_NE(registry->digest, good(source("pull = \"y\"\n"))->digest);
}

}  // namespace
}  // namespace holdfast::registry::of_webhooks
