// What follows from webhooks: commands run once, forwards arrive, and nothing is lost on the way.

#include <gmock/gmock.h>

#include "inbox/following.hpp"
#include "inbox/inbox_node.hpp"
#include "support/servers/scripted_provider.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using webhooks::Source;
using webhooks::Status;

constexpr RecordKind command_executed{2002};
constexpr RecordKind command_accepted{2001};

TEST(Inbox, submits_a_command_once) {
  InboxNode node(":memory:", inbox_registry("http://127.0.0.1:1"));
  const std::string id = node.take("bank", "evt_1");
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(node.take("bank", "evt_1"), id);
  EXPECT_EQ(node.count(command_executed), 1U);
}

TEST(Inbox, waits_until_its_command_has_settled) {
  InboxNode node(":memory:", inbox_registry("http://127.0.0.1:1"));
  const std::string id = node.take("shop", "evt_1");
  std::string leased;
  for (int i = 0; i < 1000 && leased.find("command_id") == std::string::npos; ++i) {
    leased = node.run(Leasing{.kinds = {"warehouse"}, .lease = seconds(60)}).document;
    std::this_thread::sleep_for(milliseconds(5));
  }
  const std::size_t at = leased.find("\"command_id\":\"");
  ASSERT_NE(at, std::string::npos);
  const std::string command = leased.substr(at + 14, leased.find('"', at + 14) - at - 14);
  EXPECT_NE(node.status(id), Status::done);
  EXPECT_FALSE(node.run(Completing{.id = command, .fence = 1, .result = "{}"}).rejection);
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(node.count(command_accepted), 1U);
}

TEST(Inbox, gives_up_what_makes_no_command_and_keeps_it) {
  InboxNode node(":memory:", inbox_registry("http://127.0.0.1:1"));
  const std::string id = node.take("bank", "evt_1", "[]");
  EXPECT_TRUE(node.becomes(id, Status::dead));
  EXPECT_THAT(node.work(id)->lease.error, HasSubstr("not an object"));
  const std::string other = node.take("lost", "evt_1");
  EXPECT_TRUE(node.becomes(other, Status::dead));
  EXPECT_EQ(node.work(other)->lease.attempts, 4U);  // the registry might have been mended
  EXPECT_EQ(node.row<webhooks::PayloadRow>("default", id)->body, "[]");
}

TEST(Inbox, sends_a_webhook_on_as_it_came) {
  ScriptedProvider provider;
  InboxNode node(":memory:", inbox_registry(provider.url()));
  const std::string body("\x00\xff raw \r\n", 9);
  const std::string a_trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const std::string id = node.take(
      "mirror", "evt_1", body, R"({"Content-Type":"text/x","traceparent":")" + a_trace + R"("})");
  EXPECT_TRUE(node.becomes(id, Status::done));
  ASSERT_EQ(provider.seen().size(), 1U);
  const auto seen = provider.seen().front();
  EXPECT_EQ(seen.body, body);
  EXPECT_EQ(seen.headers.at("idempotency-key"), id);
  EXPECT_EQ(seen.headers.at("webhook-id"), id);
  EXPECT_EQ(seen.headers.at("x-webhook-source"), "mirror");
  EXPECT_EQ(seen.headers.at("content-type"), "text/x");
  EXPECT_EQ(seen.headers.at("traceparent"), a_trace);
}

TEST(Inbox, tries_again_until_it_arrives_with_one_key) {
  ScriptedProvider provider([](const std::string&, int call) {
    return call == 1 ? Trouble::fails_before : call == 2 ? Trouble::acts_and_dies : Trouble::none;
  });
  InboxNode node(":memory:", inbox_registry(provider.url()));
  const std::string id = node.take("mirror", "evt_1");
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(provider.calls(id), 3);
  EXPECT_EQ(provider.effects(id), 1);
}

TEST(Inbox, gives_up_in_the_end_and_goes_on_when_it_is_told_to) {
  ScriptedProvider provider([](const std::string&, int) { return Trouble::fails_before; });
  InboxNode node(":memory:", inbox_registry(provider.url()));
  const std::string id = node.take("mirror", "evt_1");
  EXPECT_TRUE(node.becomes(id, Status::dead));
  EXPECT_EQ(provider.calls(id), 4);
  EXPECT_THAT(node.work(id)->lease.error, HasSubstr("500"));
  provider.set_script([](const std::string&, int) { return Trouble::none; });
  EXPECT_FALSE(node.run(InboxRetrying{.id = id}).rejection);
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(provider.effects(id), 1);
}

/// The dispatcher is gone before it has said what came of it; another one goes on.
TEST(Inbox, that_is_stopped_in_between_loses_nothing) {
  const TempDir folder;
  const std::string store = (folder.path() / "inbox.db").string();
  ScriptedProvider provider([](const std::string&, int call) {
    return call == 1 ? Trouble::acts_and_hangs : Trouble::none;
  });
  std::string forwarded;
  std::string waiting;
  {
    InboxNode node(store, inbox_registry(provider.url()), {.stop_limit = milliseconds(1)});
    forwarded = node.take("mirror", "evt_1");
    waiting = node.take("shop", "evt_1");
    provider.wait_for_calls(1);
  }
  provider.release();
  InboxNode node(store, inbox_registry(provider.url()));
  EXPECT_TRUE(node.becomes(forwarded, Status::done));
  EXPECT_EQ(provider.effects(forwarded), 1);
  EXPECT_EQ(provider.calls(forwarded), 2);
  for (int i = 0; i < 500 && node.count(command_accepted) == 0; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(node.count(command_accepted), 1U);
  EXPECT_NE(node.status(waiting), Status::done);
}

TEST(Inbox, makes_arguments_of_places_in_the_body) {
  Source from;
  from.args = {{"amount", "/data/amount"}, {"all", "/data"}};
  EXPECT_EQ(*webhooks::arguments_of(from, R"({"data": {"amount": 1.50, "b": [1, "x"]}})"),
            R"({"all":{"amount":1.5,"b":[1,"x"]},"amount":1.5})");
  EXPECT_THAT(webhooks::arguments_of(from, R"({"data": 1})").error(), HasSubstr("/data/amount"));
  EXPECT_FALSE(webhooks::arguments_of(from, "{\"data\":"));
  from.args.clear();
  EXPECT_EQ(*webhooks::arguments_of(from, "{\"b\":1, \"a\":2}"), R"({"a":2,"b":1})");
  EXPECT_FALSE(webhooks::arguments_of(from, "7"));
}

TEST(Inbox, knows_what_an_answer_means) {
  using What = inbox::Ending::What;
  const auto answered = [](int status) {
    return inbox::ending_of(outbound::Result(outbound::Response{.status = status})).what;
  };
  EXPECT_EQ(answered(200), What::done);
  EXPECT_EQ(answered(299), What::done);
  for (const int status : {199, 301, 400, 410, 429, 500, 503})
    EXPECT_EQ(answered(status), What::retry) << status;
}

}  // namespace
}  // namespace holdfast::test
