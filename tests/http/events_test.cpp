// Events: pages, and streams that resume.

#include <thread>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Events : public HttpTest {
 protected:
  Events() { start(); }

  [[nodiscard]] RawConnection stream(const Headers& more = {}) const {
    Headers headers{{"Accept", "text/event-stream"}};
    headers.insert(headers.end(), more.begin(), more.end());
    RawConnection connection = connect();
    EXPECT_TRUE(connection.send(request_text("GET", "/v1/events", headers)));
    return connection;
  }
};

TEST_F(Events, AreInCommitOrderAndOnlyOfFirstTimes) {
  const std::string id = Json(place("k-1", holding("a")).body).text("/id");
  (void)place("k-1", holding("a"));
  (void)place("k-1", holding("b"));
  (void)place("k-2", holding("a"));
  ASSERT_EQ(call("POST", "/v1/holds/" + id + "/release", {{"Idempotency-Key", "r-1"}}).status, 200);
  ASSERT_EQ(place("k-3", R"({"resource":"a","requester":"q","duration":1})").status, 201);
  clock_->advance(std::chrono::seconds(2));
  EXPECT_EQ(server_->service().sweep(), 1U);
  const Json page(get("/v1/events").body);
  ASSERT_EQ(page.size("/items"), 4U);
  EXPECT_EQ(page.text("/items/0/type"), "hold.placed");
  EXPECT_EQ(page.text("/items/0/hold/id"), id);
  EXPECT_EQ(page.text("/items/1/type"), "hold.released");
  EXPECT_EQ(page.text("/items/1/by"), "caller");
  EXPECT_EQ(page.text("/items/2/type"), "hold.placed");
  EXPECT_EQ(page.text("/items/3/type"), "hold.expired");
  EXPECT_EQ(page.text("/items/3/by"), "sweeper");
}

TEST_F(Events, PagesGoOnWhereTheLastEnded) {
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(place("k-" + std::to_string(i), holding("r" + std::to_string(i))).status, 201);
  std::string after = "0";
  std::vector<std::int64_t> seqs;
  for (bool more = true; more;) {
    const Json page(get("/v1/events?limit=3&after=" + after).body);
    for (std::size_t i = 0; i < page.size("/items"); ++i)
      seqs.push_back(page.number("/items/" + std::to_string(i) + "/seq"));
    after = page.text("/next");
    more = page.truth("/more");
  }
  ASSERT_EQ(seqs.size(), 10U);
  EXPECT_TRUE(std::is_sorted(seqs.begin(), seqs.end()));
  EXPECT_EQ(Json(get("/v1/events?after=" + after).body).size("/items"), 0U);
  EXPECT_EQ(get("/v1/events?after=x").status, 400);
}

TEST_F(Events, StreamTellsWhatHappensAsItHappens) {
  RawConnection connection = stream();
  EXPECT_THAT(connection.read_until("retry:"), HasSubstr("text/event-stream"));
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(place("k-" + std::to_string(i), holding("room_" + std::to_string(i))).status, 201);
    EXPECT_THAT(connection.read_until("\"room_" + std::to_string(i) + "\""),
                HasSubstr("event: hold.placed"));
  }
}

TEST_F(Events, StreamResumesAfterTheLastOneSeen) {
  for (int i = 1; i <= 5; ++i)
    ASSERT_EQ(place("k-" + std::to_string(i), holding("room_" + std::to_string(i))).status, 201);
  RawConnection connection = stream({{"Last-Event-ID", "3"}});
  const std::string seen = connection.read_until("room_5");
  EXPECT_THAT(seen, HasSubstr("id: 4\n"));
  EXPECT_THAT(seen, HasSubstr("id: 5\n"));
  EXPECT_THAT(seen, Not(HasSubstr("room_3")));
}

/// A reader whose place is beyond the end would miss what is written up to there.
TEST_F(Events, BeyondTheEndThereAreNone) {
  ASSERT_EQ(place("k-1", holding("r")).status, 201);
  EXPECT_EQ(get("/v1/events?after=1").status, 200);
  const Answered page = get("/v1/events?after=2");
  EXPECT_EQ(page.status, 400);
  EXPECT_THAT(Json(page.body).text("/detail"), HasSubstr("no record 2 here yet"));
  RawConnection connection = stream({{"Last-Event-ID", "2"}});
  const Answered refused = connection.read().value_or(Answered{});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(connection.read_to_end(), "");
  EXPECT_TRUE(eventually([&] {
    return get("/metrics").body.find("holdfast_event_streams 0\n") != std::string::npos;
  }));
}

TEST_F(Events, AreStreamedToWhoeverPrefersThat) {
  for (const char* accept :
       {"text/event-stream", "Text/Event-Stream;q=0.5, */*;q=0.1", "text/html, text/event-stream",
        "application/json;q=0.5, text/event-stream; charset=utf-8; q=0.5"}) {
    RawConnection connection = connect();
    ASSERT_TRUE(connection.send(request_text("GET", "/v1/events", {{"Accept", accept}})));
    EXPECT_THAT(connection.read_until("retry:"), HasSubstr("text/event-stream")) << accept;
  }
  for (const char* accept :
       {"*/*", "application/json", "text/event-streamer", "text/event-stream;q=0",
        "text/event-stream;q=0.0, */*", "application/json, text/event-stream;q=0.1",
        "text/event-stream;q=0.1, */*", "text/event-stream;q=nan"}) {
    const Answered page = get("/v1/events", {{"Accept", accept}});
    EXPECT_EQ(page.header("content-type"), "application/json") << accept;
  }
  RawConnection connection = connect();
  ASSERT_TRUE(
      connection.send(request_text("HEAD", "/v1/events", {{"Accept", "text/event-stream"}})));
  EXPECT_THAT(connection.read_to_end(),
              testing::AllOf(HasSubstr("text/event-stream"), Not(HasSubstr("Content-Length")),
                             testing::EndsWith("\r\n\r\n"), Not(HasSubstr("retry:"))));
}

TEST_F(Events, NothingFollowsAStream) {
  RawConnection connection = connect();
  const Headers accept{{"Accept", "text/event-stream"}};
  ASSERT_TRUE(
      connection.send(request_text("GET", "/v1/events", accept) + request_text("GET", "/version")));
  ASSERT_THAT(connection.read_until("retry:"), HasSubstr("text/event-stream"));
  ASSERT_EQ(place("k-1", holding("room_1")).status, 201);
  EXPECT_THAT(connection.read_until("room_1"),
              testing::AllOf(HasSubstr("room_1"), Not(HasSubstr("application/json"))));
  EXPECT_THAT(get("/metrics").body, Not(HasSubstr("route=\"/version\"")));
}

TEST_F(Events, StreamsAreLimited) {
  stop();
  http::Settings settings;
  settings.limits.event_streams_max = 1;
  start(settings);
  {
    RawConnection first = stream();
    EXPECT_THAT(first.read_until("retry:"), HasSubstr("200 OK"));
    RawConnection second = stream();
    EXPECT_EQ(second.read().value_or(Answered{}).status, 503);
  }
  // Its place is free again once the reader has gone.
  for (bool open = false; !open;) {
    RawConnection again = stream();
    open = again.read_until("retry:", std::chrono::milliseconds(200)).find("200 OK") !=
           std::string::npos;
  }
}

TEST_F(Events, ManyEventsAreStreamedWhole) {
  std::string items;
  for (int i = 0; i < 3000; ++i) {
    items += std::string(i == 0 ? "" : ",") + R"({"token":"t)" + std::to_string(i) +
             R"(","operation":"hold.place","params":{"resource":"r)" + std::to_string(i) +
             R"(","requester":"q","duration":60}})";
  }
  ASSERT_EQ(call("POST", "/v1/batch", {}, R"({"operations":[)" + items + "]}").status, 200);
  RawConnection connection = stream();
  const std::string all = connection.read_until("\"r2999\"");
  std::size_t count = 0;
  for (std::size_t at = all.find("event: "); at != std::string::npos;
       at = all.find("event: ", at + 1))
    ++count;
  EXPECT_EQ(count, 3000U);
}

TEST_F(Events, AreStreamedToWhoeverAcceptsThem) {
  for (const char* accept : {"text/event-stream;q=0", "application/json, text/event-stream; q=0.0"})
    EXPECT_EQ(get("/v1/events", {{"Accept", accept}}).header("content-type"), "application/json");
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(
      request_text("GET", "/v1/events", {{"Accept", "text/html;q=0, text/event-stream;q=0.5"}})));
  EXPECT_THAT(connection.read_until("retry:"), HasSubstr("text/event-stream"));
}

TEST_F(Events, AreNotCutIntoChunksForHttp10) {
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send("GET /v1/events HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n"));
  ASSERT_EQ(place("k-1", holding("room_1")).status, 201);
  const std::string seen = connection.read_until("room_1");
  EXPECT_THAT(seen, Not(HasSubstr("chunked")));
  EXPECT_THAT(seen, HasSubstr("\r\n\r\nretry: 1000\n\nid: 1\nevent: hold.placed\n"));
}

}  // namespace
}  // namespace holdfast::test
