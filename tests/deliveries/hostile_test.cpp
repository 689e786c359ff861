// Events that want to be more than events, and receivers that want to be a burden: whatever either
// does, what is sent is an event with its signature, and its cost is bounded.

#include "base/whole_file.hpp"
#include "deliveries/fixture.hpp"
#include "support/gzip.hpp"
#include "support/json.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using deliveries::ask;
using testing::HasSubstr;

class DeliveriesToHostiles : public DeliveriesFixture {
 protected:
  /// A receiver that does this once, and then takes everything in, gets the event until it has it.
  void expect_sent_again(const std::string& what, const ServerStep& step,
                         const std::string& error) {
    FakeServer receiver({step});
    receiver.always(answer(200, ""));
    const std::string id = subscribe(receiver.url() + "/hook");
    place(1);
    const auto deliverer = start({"127.0.0.1"}, std::chrono::milliseconds(300));
    std::string said;
    ASSERT_TRUE(comes([&] {
      const subscriptions::SubscriptionRow now = row(id);
      if (now.failures > 0) said = now.error;
      return !said.empty();
    })) << what;
    EXPECT_THAT(said, HasSubstr(error)) << what;
    ASSERT_TRUE(comes([&] { return receiver.seen().size() == 2 && !row(id).lease_until; })) << what;
    const auto all = ids(receiver.seen());
    EXPECT_EQ(all[0], all[1]) << what;
    EXPECT_THAT(ask(service(), Command(Unsubscribing{.id = id}), "default"), done());
  }
};

TEST_F(DeliveriesToHostiles, of_events_with_line_breaks_have_the_headers_of_any_other) {
  FakeServer receiver;
  receiver.always(answer(200, ""));
  const std::string id = subscribe(receiver.url());
  const std::string evil = "r\r\nX-Evil: 1\r\n\r\nPOST / HTTP/1.1\r\n\r\n";
  place_at(evil);
  place_at("plain");
  const auto deliverer = start();
  ASSERT_TRUE(comes([&] { return receiver.seen().size() == 2; }));
  const std::vector<Seen> seen = receiver.seen();
  EXPECT_EQ(Json(seen[0].body).text("/data/hold/resource"), evil);
  for (const Seen& each : seen) {
    EXPECT_EQ(each.method, "POST");
    EXPECT_FALSE(each.headers.contains("x-evil"));
    EXPECT_EQ(each.headers.size(), seen[1].headers.size());
  }
}

TEST_F(DeliveriesToHostiles, go_to_no_url_with_more_in_it) {
  for (const char* url :
       {"http://h/\r\nX-Evil: 1", "http://h/ HTTP/1.1\r\n\r\n", "http://h/a b", "http://h/\t",
        "http://h/\x7f", "http://\xc3\xa9/", "javascript:alert(1)", "file:///etc/passwd", ""}) {
    EXPECT_THAT(ask(service(), Command(Subscribing{.url = url}), "default"),
                refused(Rejection::invalid_request))
        << url;
  }
  // What only looks like a URL is called never.
  const std::string id = subscribe("http://user:password@127.0.0.1/");
  place(1);
  const auto deliverer = start();
  EXPECT_TRUE(comes([&] { return row(id).failures > 0; }));
}

TEST_F(DeliveriesToHostiles, that_answer_too_much_or_too_slowly_are_made_again) {
  expect_sent_again("a body over the limit", answer(200, std::string(1U << 20U, 'x')), "");
  std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 40; ++i) chunks += "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
  expect_sent_again("chunks without an end", blurt(chunks), "");
  expect_sent_again("a header over the limit",
                    answer(200, "", "X: " + std::string(70'000, 'a') + "\r\n"), "");
  expect_sent_again(
      "a body byte by byte",
      trickle("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + std::string(8'999, 'a'),
              std::chrono::milliseconds(2)),
      "");
  expect_sent_again("nothing", hang(), "");
  expect_sent_again("an answer that is none", blurt("SSH-2.0-OpenSSH_9\r\n\r\n"), "");
}

TEST_F(DeliveriesToHostiles, follow_no_redirect) {
  FakeServer inner;
  inner.always(answer(200, "secret"));
  for (const int status : {301, 302, 303, 307, 308}) {
    expect_sent_again("elsewhere", answer(status, "", "Location: " + inner.url() + "\r\n"),
                      std::to_string(status));
    expect_sent_again("in a circle", answer(status, "", "Location: /hook\r\n"),
                      std::to_string(status));
  }
  EXPECT_EQ(inner.connections(), 0U);
}

TEST_F(DeliveriesToHostiles, unpack_nothing) {
  const TempDir folder;
  write_gzipped(folder.file("bomb.gz"), std::string(32U << 20U, '\0'));
  const auto bomb = read_whole_file(folder.file("bomb.gz"), 1U << 20U);
  ASSERT_TRUE(bomb && *bomb);
  FakeServer receiver;
  receiver.always(answer(200, (*bomb)->text, "Content-Encoding: gzip\r\n"));
  const std::string id = subscribe(receiver.url());
  place(3);
  const auto deliverer = start();
  ASSERT_TRUE(comes([&] { return receiver.seen().size() == 3 && !row(id).lease_until; }));
  EXPECT_EQ(row(id).failures, 0U);
  EXPECT_EQ(receiver.seen()[0].header("accept-encoding"), "identity");
}

}  // namespace
}  // namespace holdfast::test
