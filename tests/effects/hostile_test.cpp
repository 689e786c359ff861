// Values that want to be more than values, and providers that want to be a burden: whatever either
// does, a call is what its declaration says, and its cost is bounded.

#include <gmock/gmock.h>

#include <fstream>

#include "base/whole_file.hpp"
#include "support/effects/world.hpp"
#include "support/gzip.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/fake_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using commands::CommandRow;
using commands::Status;
using testing::HasSubstr;
using testing::Not;

class EffectHostility : public testing::Test {
 protected:
  EffectHostility() {
    options_.secrets_file = dir_.file("secrets");
    std::ofstream(options_.secrets_file) << "CARD_TOKEN=t\n";
  }

  /// How a command ends whose provider is there.
  CommandRow run(const std::string& url, const std::string& shield,
                 const std::string& key = "k") const {
    Node node(
        ":memory:",
        registry_of({.url = url, .attempts_max = 3, .timeout = std::chrono::milliseconds(300)}),
        options_);
    const CommandRow row = node.run(shield, key);
    EXPECT_THAT(violations(node.service().store()), testing::IsEmpty());
    return row;
  }

  const TempDir dir_;
  Node::Options options_;
};

/// Pushes whose header, address and body have the same argument in them.
std::shared_ptr<commands::Registry> with_note_everywhere(const std::string& url) {
  auto registry = registry_of({.url = url, .attempts_max = 2});
  auto command = std::make_shared<commands::Declaration>(*registry->commands["pay.s1"]);
  commands::Effect& effect = command->effect;
  effect.request = {.method = "POST",
                    .url = url + "/charges/{args.path}?note={args.note}",
                    .headers = {{"X-Note", "for {args.header}"}, {"X-Target", "{target}"}},
                    .body = R"({"note":"{args.note}"})"};
  auto parsed = commands::ParsedRequest::parse(effect.request, effect.key_header);
  EXPECT_TRUE(parsed) << parsed.error().text;
  effect.request.parsed = std::move(*parsed);
  registry->commands["pay.s1"] = command;
  return registry;
}

Submitting noted(const std::string& path, const std::string& header, const std::string& note,
                 const std::string& target = "\"t\"") {
  return {.entity = "pay",
          .action = "s1",
          .target = target,
          .args = fmt::format(R"({{"path":"{}","header":"{}","note":"{}"}})", path, header, note)};
}

TEST_F(EffectHostility, of_values_adds_no_header_and_no_request) {
  FakeServer provider;
  provider.always(answer(200, "{}"));
  Node node(":memory:", with_note_everywhere(provider.url()), options_);
  const auto outcome = [&](const std::string& key, const Submitting& what) {
    const Answer answer = node.submit({.command = Command(what), .token = Token(key)});
    EXPECT_TRUE(answer.ok()) << answer.document;
    return node.outcome(key);
  };
  const std::string evil = R"(a\r\nX-Evil: 1\r\n\r\nDELETE / HTTP/1.1\r\nHost: h\r\n\r\n)";
  int number = 0;
  for (const Submitting& what :
       {noted("p", evil, "n"), noted("p", R"(a\nX-Evil: 1)", "n"), noted("p", R"(a\r)", "n"),
        noted("p", R"(\u0000)", "n"), noted("p", "h", "n", '"' + evil + '"')}) {
    const CommandRow row = outcome(fmt::format("bad{}", ++number), what);
    EXPECT_EQ(row.status, Status::failed);
    EXPECT_EQ(row.reason, "attempts_exhausted");
    EXPECT_THAT(row.outcome, HasSubstr("control character"));
  }
  const CommandRow up = outcome("up", noted("..", "h", "n"));
  EXPECT_THAT(up.outcome, HasSubstr("path with . or .."));
  EXPECT_TRUE(provider.seen().empty());

  // In an address they are escaped, and in a body they are within their text.
  const std::string body = R"(\",\"admin\":true,\"x\":\")" + evil;
  EXPECT_EQ(outcome("good", noted(R"(a/../b?c#d\r\n e)", "plain", body)).status, Status::executed);
  const std::vector<Seen> seen = provider.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].target, testing::StartsWith("/charges/a%2F..%2Fb%3Fc%23d%0D%0A%20e?note="));
  EXPECT_THAT(seen[0].target, Not(testing::AnyOf(HasSubstr("&"), HasSubstr("\""))));
  EXPECT_EQ(seen[0].body, R"({"note":")" + body + "\"}");
  EXPECT_EQ(seen[0].header("x-note"), "for plain");
  EXPECT_FALSE(seen[0].headers.contains("x-evil"));
}

/// Callers that share the process may use any bytes as a key.
TEST_F(EffectHostility, of_keys_and_traces_adds_no_header) {
  FakeServer provider;
  provider.always(answer(200, "{}"));
  const CommandRow row = run(provider.url(), "s1", "k\r\nX-Evil: 1");
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_TRUE(provider.seen().empty());
  Node node(":memory:", registry_of({.url = provider.url()}), options_);
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nX-Evil: 1";
  (void)node.submit(
      {.command = Command(Submitting{.entity = "pay", .action = "s1", .correlation_id = trace}),
       .token = Token("traced")});
  for (const Seen& each : provider.seen()) EXPECT_FALSE(each.headers.contains("x-evil"));
}

/// What providers may answer that nobody wants to read to its end.
std::vector<std::pair<std::string, ServerStep>> burdens() {
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
  std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 40; ++i) chunks += chunk;
  const std::string slow =
      "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + std::string(99'000, 'a');
  return {{"a body over the limit", answer(200, std::string(2U << 20U, 'x'))},
          {"chunks without an end", blurt(chunks)},
          {"a length that nobody has", blurt("HTTP/1.1 200 OK\r\nContent-Length: "
                                             "999999999999999999\r\n\r\nab")},
          {"a header over the limit", answer(200, "", "X: " + std::string(70'000, 'a') + "\r\n")},
          {"a body byte by byte", trickle(slow, std::chrono::milliseconds(2))},
          {"a header byte by byte",
           trickle("HTTP/1.1 200 OK\r\nX: " + slow, std::chrono::milliseconds(2))},
          {"nothing", hang()},
          {"an answer that is none", blurt("SSH-2.0-OpenSSH_9\r\n\r\n")},
          {"two lengths",
           blurt("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc")}};
}

TEST_F(EffectHostility, of_answers_is_bounded_and_leaves_the_outcome_to_the_shield) {
  for (const auto& [what, step] : burdens()) {
    FakeServer once({step});
    once.always(answer(200, R"({"charge":"ch_1"})"));
    EXPECT_EQ(run(once.url(), "s1").status, Status::executed) << what;
    const std::vector<Seen> seen = once.seen();
    ASSERT_EQ(seen.size(), 2U) << what;
    EXPECT_EQ(seen[0].header("idempotency-key"), "k");
    EXPECT_EQ(seen[1].header("idempotency-key"), "k") << what;

    FakeServer always;
    always.always(step);
    EXPECT_EQ(run(always.url(), "s2").reason, "outcome_unknown") << what;
    EXPECT_EQ(always.seen().size(), 1U) << what;
    EXPECT_EQ(run(always.url(), "s1").reason, "outcome_unknown") << what;
    EXPECT_EQ(always.seen().size(), 4U) << what;
  }
}

TEST_F(EffectHostility, of_redirects_leads_nowhere) {
  FakeServer inner;
  inner.always(answer(200, "{}"));
  FakeServer circle;
  for (const int status : {301, 302, 303, 307, 308}) {
    for (const std::string& to : {circle.url() + "/charges", inner.url(), std::string("//evil")}) {
      circle.always(answer(status, "", "Location: " + to + "\r\n"));
      const std::size_t before = circle.seen().size();
      EXPECT_EQ(run(circle.url(), "s2").reason, "outcome_unknown") << status << " " << to;
      EXPECT_EQ(circle.seen().size(), before + 1);
      EXPECT_EQ(run(circle.url(), "s1").reason, "outcome_unknown");
      EXPECT_EQ(circle.seen().size(), before + 4) << "a call for each attempt, and no more";
    }
  }
  EXPECT_EQ(inner.connections(), 0U);
}

TEST_F(EffectHostility, of_compressed_answers_is_never_unpacked) {
  write_gzipped(dir_.file("bomb.gz"), std::string(64U << 20U, '\0'));
  const auto bomb = read_whole_file(dir_.file("bomb.gz"), 1U << 20U);
  ASSERT_TRUE(bomb && *bomb);
  const std::string& packed = (*bomb)->text;
  ASSERT_LT(packed.size(), 100'000U);
  for (const std::string& headers :
       {std::string("Content-Encoding: gzip\r\n"),
        std::string("Content-Encoding: gzip, gzip\r\nContent-Type: application/json\r\n")}) {
    FakeServer provider;
    provider.always(answer(200, packed, headers));
    const CommandRow row = run(provider.url(), "s2");
    EXPECT_EQ(row.status, Status::executed);
    EXPECT_LT(row.outcome.size(), 200'000U) << "bytes as they came, cut, and escaped as JSON";
    EXPECT_EQ(provider.seen().at(0).header("accept-encoding"), "identity");
  }
}

}  // namespace
}  // namespace holdfast::test
