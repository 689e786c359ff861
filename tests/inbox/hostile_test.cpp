// Webhooks that want to be more than webhooks, and receivers of forwards that want to be a burden:
// whatever either does, what is sent on is the body with our own headers, and its cost is bounded.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/whole_file.hpp"
#include "http/webhooks/header_lines.hpp"
#include "inbox/inbox_node.hpp"
#include "support/gzip.hpp"
#include "support/servers/fake_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using webhooks::Status;

TEST(InboxHostility, of_headers_adds_none_to_what_is_sent_on) {
  FakeServer receiver;
  receiver.always(answer(200, ""));
  InboxNode node(":memory:", inbox_registry(receiver.url(), 2));
  // Nothing that came over HTTP has such a value; callers that share the process may say anything.
  for (const char* value : {R"(a\r\nX-Evil: 1)", R"(a\nX-Evil: 1)", R"(a\r)", R"(\u0000)"}) {
    const std::string id =
        node.take("mirror", value, "{}", fmt::format(R"({{"Content-Type":"{}"}})", value));
    EXPECT_TRUE(node.becomes(id, Status::dead)) << value;
    EXPECT_THAT(node.work(id)->lease.error, HasSubstr("control character"));
  }
  EXPECT_TRUE(receiver.seen().empty());
  const std::string body = "\r\nX-Evil: 1\r\n\r\nDELETE / HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string id = node.take("mirror", "evt\r\nX-Evil: 1", body);
  EXPECT_TRUE(node.becomes(id, Status::done));
  ASSERT_EQ(receiver.seen().size(), 1U);
  EXPECT_EQ(receiver.seen()[0].body, body);
  EXPECT_FALSE(receiver.seen()[0].headers.contains("x-evil"));
  EXPECT_EQ(receiver.seen()[0].header("webhook-id"), id);
}

TEST(InboxHostility, of_headers_over_http_is_not_kept) {
  EXPECT_EQ(http::kept_headers("POST / HTTP/1.1\r\nContent-Type: a\rX-Evil: 1\r\n"
                               "User-Agent: b\nX-Evil: 1\r\ntraceparent: \x01\r\n\r\n"),
            "{}");
}

TEST(InboxHostility, of_answers_is_bounded_and_the_webhook_is_sent_again) {
  std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 40; ++i) chunks += "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
  const std::string slow =
      "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + std::string(8'999, 'a');
  const std::vector<std::pair<std::string, ServerStep>> burdens{
      {"a body over the limit", answer(200, std::string(2U << 20U, 'x'))},
      {"chunks without an end", blurt(chunks)},
      {"a header over the limit", answer(200, "", "X: " + std::string(70'000, 'a') + "\r\n")},
      {"a body byte by byte", trickle(slow, std::chrono::milliseconds(2))},
      {"nothing", hang()},
      {"an answer that is none", blurt("SSH-2.0-OpenSSH_9\r\n\r\n")}};
  for (const auto& [what, step] : burdens) {
    FakeServer receiver({step});
    receiver.always(answer(200, ""));
    InboxNode node(":memory:", inbox_registry(receiver.url()));
    const std::string id = node.take("mirror", "evt_1");
    EXPECT_TRUE(node.becomes(id, Status::done)) << what;
    ASSERT_EQ(receiver.seen().size(), 2U) << what;
    for (const Seen& each : receiver.seen()) EXPECT_EQ(each.header("idempotency-key"), id);
  }
}

TEST(InboxHostility, of_redirects_leads_nowhere) {
  FakeServer inner;
  inner.always(answer(200, ""));
  FakeServer circle;
  for (const int status : {301, 302, 303, 307, 308}) {
    for (const std::string& to : {circle.url() + "/charges", inner.url()}) {
      circle.always(answer(status, "", "Location: " + to + "\r\n"));
      const std::size_t before = circle.seen().size();
      InboxNode node(":memory:", inbox_registry(circle.url()));
      const std::string id = node.take("mirror", "evt_1");
      EXPECT_TRUE(node.becomes(id, Status::dead)) << status;
      EXPECT_THAT(node.work(id)->lease.error, HasSubstr(std::to_string(status)));
      EXPECT_EQ(circle.seen().size(), before + 4) << "a request for each attempt, and no more";
    }
  }
  EXPECT_EQ(inner.connections(), 0U);
}

TEST(InboxHostility, of_compressed_answers_is_never_unpacked) {
  const TempDir folder;
  write_gzipped(folder.file("bomb.gz"), std::string(32U << 20U, '\0'));
  const auto bomb = read_whole_file(folder.file("bomb.gz"), 1U << 20U);
  ASSERT_TRUE(bomb && *bomb);
  FakeServer receiver({answer(200, (*bomb)->text, "Content-Encoding: gzip\r\n")});
  InboxNode node(":memory:", inbox_registry(receiver.url()));
  // A compressed webhook is bytes like any other, too: it is sent on as it came.
  const std::string id = node.take("mirror", "evt_1", (*bomb)->text);
  EXPECT_TRUE(node.becomes(id, Status::done));
  ASSERT_EQ(receiver.seen().size(), 1U);
  EXPECT_EQ(receiver.seen()[0].body, (*bomb)->text);
}

}  // namespace
}  // namespace holdfast::test
