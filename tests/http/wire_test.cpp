// What comes over the wire, well-formed or not.

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Wire : public HttpTest {
 protected:
  Wire() { start(); }

  [[nodiscard]] std::string good() const {
    return request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-1"}}, holding("room_307"));
  }

  /// Sends the bytes alone on a connection; the status of the answer and whether it was closed.
  void expect_refused(const std::string& bytes, int status) const {
    RawConnection connection = connect();
    (void)connection.send(bytes);
    connection.finish_sending();
    const std::string all = connection.read_to_end();
    EXPECT_THAT(all, StartsWith("HTTP/1.1 " + std::to_string(status))) << bytes;
    EXPECT_THAT(all, HasSubstr("Connection: close")) << bytes;
    EXPECT_THAT(all, HasSubstr("application/problem+json")) << bytes;
    EXPECT_THAT(all, testing::Not(HasSubstr("}HTTP/1.1"))) << "answered twice: " << all;
  }
};

TEST_F(Wire, RequestCutOffAtEveryByteChangesNothing) {
  const std::string whole = good();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    RawConnection connection = connect();
    ASSERT_TRUE(connection.send(whole.substr(0, size)));
    if (size % 2 == 0) {
      connection.reset();
    } else {
      connection.finish_sending();
      EXPECT_EQ(connection.read_to_end(), "") << size;
    }
  }
  EXPECT_FALSE(is_used("k-1"));
  EXPECT_EQ(records(), 0U);
  EXPECT_EQ(place("k-1", holding("room_307")).status, 201);
}

TEST_F(Wire, ChunkedRequestsAndBatchesCutOffAtEveryByteChangeNothing) {
  const std::string body = holding("room_307");
  const std::string chunked =
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
      "Idempotency-Key: k-1\r\n\r\n3\r\n" +
      body.substr(0, 3) + "\r\n" + fmt::format("{:x}", body.size() - 3) + "\r\n" + body.substr(3) +
      "\r\n0\r\n\r\n";
  const std::string batch = request_text(
      "POST", "/v1/batch", {},
      R"({"operations":[{"token":"k-1","operation":"hold.place","params":)" + body + "}]}");
  for (const std::string& whole : {chunked, batch}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      RawConnection connection = connect();
      ASSERT_TRUE(connection.send(whole.substr(0, size)));
      connection.finish_sending();
      EXPECT_EQ(connection.read_to_end(), "") << size;
    }
    EXPECT_EQ(records(), 0U);
  }
  EXPECT_FALSE(is_used("k-1"));
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(chunked));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 201);
}

TEST_F(Wire, RequestInPiecesOfOneByteIsWhole) {
  RawConnection connection = connect();
  for (const char byte : good()) {
    ASSERT_TRUE(connection.send(std::string(1, byte)));
  }
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 201);
}

TEST_F(Wire, PipelinedRequestsAreAnsweredInOrder) {
  constexpr int count = 300;  // more than are read ahead
  std::string all;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    // Reads and changes take different ways; their answers must not overtake each other.
    all += i % 3 == 2 ? request_text("GET", "/v1/resources/room_" + number)
                      : request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-" + number}},
                                     holding("room_" + number));
  }
  RawConnection connection = connect();
  std::thread sender([&] { EXPECT_TRUE(connection.send(all)); });
  for (int i = 0; i < count; ++i) {
    const auto answered = connection.read();
    ASSERT_TRUE(answered) << i;
    const Json body(answered->body);
    EXPECT_EQ(body.text(i % 3 == 2 ? "/name" : "/resource"), "room_" + std::to_string(i));
  }
  sender.join();
}

/// A service that stores one change at a time, and that only when told to.
class Pipeline : public HttpTest {
 protected:
  void start_with(std::size_t pipeline_max) {
    observer_ = [may_pass = may_pass_](Stage stage) {
      if (stage != Stage::write) return;
      while (*may_pass <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --*may_pass;
    };
    http::Settings settings;
    settings.limits.pipeline_max = pipeline_max;
    settings.batch_max = 1;
    start(settings);
  }
  ~Pipeline() override { let_pass(1'000); }
  void let_pass(int changes) { *may_pass_ += changes; }
  void forbid() { *may_pass_ = 0; }
  [[nodiscard]] bool is_under_way(const std::string& room) const {
    return server_->service().is_under_way("default", room);
  }

  [[nodiscard]] static std::string placing(const std::string& room) {
    return request_text("POST", "/v1/holds", {{"Idempotency-Key", room}}, holding(room));
  }
  /// The next answers are to these, in this order.
  static void expect_placed(RawConnection& connection, std::initializer_list<const char*> rooms) {
    for (const std::string room : rooms) {
      const auto answered = connection.read();
      ASSERT_TRUE(answered) << room;
      ASSERT_EQ(answered->status, 201) << room;
      EXPECT_EQ(Json(answered->body).text("/resource"), room);
    }
  }

 private:
  const std::shared_ptr<std::atomic<int>> may_pass_ = std::make_shared<std::atomic<int>>(0);
};

TEST_F(Pipeline, MoreThanMayBeUnderWayAreEachAnsweredOnceAndInTurn) {
  start_with(2);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(placing("a") + placing("b") + placing("c")));
  let_pass(1);
  expect_placed(connection, {"a"});
  let_pass(1);
  expect_placed(connection, {"b"});
  ASSERT_TRUE(connection.send(placing("d") + placing("e")));
  let_pass(10);
  expect_placed(connection, {"c", "d", "e"});
  EXPECT_EQ(records(), 5U) << "no request was taken for another";
}

TEST_F(Pipeline, NoMoreThanMayBeAreUnderWay) {
  start_with(2);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(placing("a") + placing("b") + placing("c") + placing("d")));
  ASSERT_TRUE(eventually([&] { return is_under_way("b"); }));
  ASSERT_EQ(get("/livez").status, 200);  // the thread has been through what it had to do
  EXPECT_FALSE(is_under_way("c"));
  let_pass(1);
  expect_placed(connection, {"a"});
  ASSERT_TRUE(eventually([&] { return is_under_way("c"); }));
  ASSERT_EQ(get("/livez").status, 200);
  EXPECT_FALSE(is_under_way("d"));
  let_pass(10);
  expect_placed(connection, {"b", "c", "d"});
}

TEST_F(Pipeline, OneAtATimeIsEnough) {
  start_with(1);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(placing("a") + placing("b") + placing("c")));
  ASSERT_TRUE(eventually([&] { return is_under_way("a"); }));
  ASSERT_EQ(get("/livez").status, 200);
  EXPECT_FALSE(is_under_way("b"));
  let_pass(10);
  expect_placed(connection, {"a", "b", "c"});
}

TEST_F(Pipeline, ARequestSentWhileAnotherIsUnderWayIsAnsweredAfterIt) {
  start_with(8);
  RawConnection connection = connect();
  for (const char* room : {"a", "b", "c"}) {
    ASSERT_TRUE(connection.send(placing(room)));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // each comes alone
  }
  let_pass(10);
  expect_placed(connection, {"a", "b", "c"});
  ASSERT_TRUE(connection.send(placing("d")));
  expect_placed(connection, {"d"});
}

TEST_F(Pipeline, AReadSeesTheChangesBeforeIt) {
  start_with(8);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(placing("a") + request_text("GET", "/v1/resources/a") +
                              request_text("GET", "/v1/tokens/a") + placing("b") +
                              request_text("GET", "/v1/resources/b")));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // time to answer too soon
  let_pass(10);
  expect_placed(connection, {"a"});
  EXPECT_EQ(Json(connection.read().value_or(Answered{}).body).number("/in_use"), 1);
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 200) << "the token is used";
  expect_placed(connection, {"b"});
  EXPECT_EQ(Json(connection.read().value_or(Answered{}).body).number("/in_use"), 1);
}

TEST_F(Pipeline, APeerThatLeavesBeforeItsAnswerHasHadItsEffect) {
  start_with(8);
  for (const bool at_once : {true, false}) {
    forbid();
    const std::string room = at_once ? "a" : "b";
    RawConnection connection = connect();
    ASSERT_TRUE(connection.send(placing(room)));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it is under way
    if (at_once) {
      connection.reset();
    } else {
      connection.finish_sending();
    }
    let_pass(10);
    if (!at_once) {
      EXPECT_THAT(connection.read_to_end(), StartsWith("HTTP/1.1 201"));
    }
    const Answered again = place(room, holding(room));
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.header("idempotent-replayed"), "true") << room;
  }
}

TEST_F(Pipeline, AStreamWaitsForTheAnswersBeforeIt) {
  start_with(8);
  let_pass(1);
  ASSERT_EQ(place("k-1", holding("earlier")).status, 201);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(
      placing("a") + request_text("GET", "/v1/events", {{"Accept", "text/event-stream"}})));
  std::this_thread::sleep_for(
      std::chrono::milliseconds(500));  // streams are looked after meanwhile
  let_pass(10);
  expect_placed(connection, {"a"});
  EXPECT_THAT(connection.read_until("earlier"), StartsWith("HTTP/1.1 200"));
}

/// Answers may be large, and the peer need not read them. Requests are numbered as they begin.
TEST_F(Pipeline, FewReadsOfOneConnectionAreUnderWayAtOnce) {
  HeldStage held;
  observer_ = held.at(Stage::sync);
  start();
  const auto begun = [this] {
    const std::string id = get("/livez").header("x-request-id");
    return std::stoi(id.substr(id.find('-') + 1), nullptr, 16);
  };
  RawConnection writer = connect();
  ASSERT_TRUE(writer.send(placing("a")));  // reads wait until it is durable
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const int before = begun();
  std::string all;
  for (int i = 0; i < 40; ++i) all += request_text("GET", "/v1/resources/a");
  RawConnection reader = connect();
  ASSERT_TRUE(reader.send(all));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(begun() - before - 1, 8);
  held.let_go();
  for (int i = 0; i < 40; ++i) ASSERT_EQ(reader.read().value_or(Answered{}).status, 200) << i;
}

TEST_F(Wire, KeepAliveAndClose) {
  RawConnection connection = connect();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(connection.send(request_text("GET", "/livez")));
    EXPECT_EQ(connection.read().value_or(Answered{}).status, 200);
  }
  ASSERT_TRUE(connection.send(request_text("GET", "/livez", {{"Connection", "close"}})));
  EXPECT_THAT(connection.read_to_end(), HasSubstr("Connection: close"));
}

TEST_F(Wire, Http10IsAnsweredAndClosed) {
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send("GET /livez HTTP/1.0\r\n\r\n"));
  EXPECT_THAT(connection.read_to_end(), StartsWith("HTTP/1.1 200"));
}

TEST_F(Wire, PeerThatOnlyClosesItsSideGetsItsAnswer) {
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(good()));
  connection.finish_sending();
  EXPECT_THAT(connection.read_to_end(), StartsWith("HTTP/1.1 201"));
}

TEST_F(Wire, Expect100ContinueIsOfferedOnce) {
  const std::string body = holding("room_307");
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\nExpect: "
      "100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n"));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 100);
  ASSERT_TRUE(connection.send(body));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 201);
}

TEST_F(Wire, Expect100ContinueIsOfferedBehindAnotherRequest) {
  const std::string body = holding("room_307");
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(
      request_text("GET", "/livez") +
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\nExpect: "
      "100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n"));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 200);
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 100);
  ASSERT_TRUE(connection.send(body));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 201);
}

TEST_F(Wire, Expect100ContinueIsRefusedAtOnceWhenTooLarge) {
  expect_refused(
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\nExpect: "
      "100-continue\r\n"
      "Content-Length: 10000000\r\n\r\n",
      413);
  expect_refused("POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\n\r\n", 417);
}

/// Once the header could be read, it is known what was asked and under which key.
TEST_F(Wire, WhatCannotBeReadToItsEndIsAnsweredAsWhatItIs) {
  const std::string start =
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: \"k-1\"\r\n";
  for (const auto& [rest, status] :
       {std::pair{"Content-Length: 10000000\r\n\r\n", 413}, std::pair{"Expect: luck\r\n\r\n", 417},
        std::pair{"Transfer-Encoding: chunked\r\n\r\nzzzzz\r\n", 400}}) {
    RawConnection connection = connect();
    ASSERT_TRUE(connection.send(start + rest));
    const Answered refused = connection.read().value_or(Answered{});
    EXPECT_EQ(refused.status, status);
    EXPECT_EQ(refused.header("idempotent-replayed"), "false") << status;
    EXPECT_EQ(refused.header("idempotency-key"), "\"k-1\"") << status;
  }
  RawConnection head = connect();
  ASSERT_TRUE(head.send("HEAD /livez HTTP/1.1\r\nHost: localhost\r\nExpect: luck\r\n\r\n"));
  EXPECT_THAT(head.read_to_end(), testing::AllOf(HasSubstr("417"), testing::EndsWith("\r\n\r\n")));
}

TEST_F(Wire, ChunkedBodiesAreRead) {
  const std::string body = holding("room_307");
  const std::string head =
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\nIdempotency-Key: k-1\r\n"
      "\r\n";
  std::string chunks;
  for (const char byte : body) chunks += std::string("1\r\n") + byte + "\r\n";
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(head + chunks + "0\r\n\r\n" + request_text("GET", "/livez")));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 201);
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 200);
}

/// What has come of a request is looked at again when an earlier one is answered.
TEST_F(Wire, HalfAChunkIsLookedAtTwice) {
  for (const std::string half : {"0", "0\r\n", "0;\r\n", "0\r\nX", "0 \r\n", "000\r\n", "1\r\na"}) {
    RawConnection connection = connect();
    ASSERT_TRUE(connection.send(
        request_text("GET", "/readyz") +
        "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + half));
    EXPECT_EQ(connection.read().value_or(Answered{}).status, 200) << half;
  }
  EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(Wire, FormsThatSmugglersUseAreRefused) {
  const std::string start =
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\n";
  const std::string body = "\r\n" + holding("room_307");
  const std::string length =
      "Content-Length: " + std::to_string(holding("room_307").size()) + "\r\n";
  const std::string chunked = "\r\n0\r\n\r\n";
  expect_refused(start + length + "Transfer-Encoding: chunked\r\n" + body, 400);
  expect_refused(start + "Transfer-Encoding: chunked\r\n" + length + chunked, 400);
  expect_refused(start + length + length + body, 400);
  expect_refused(start + length + "Content-Length: 3\r\n" + body, 400);
  expect_refused(start + "Content-Length: 5, 5\r\n" + body, 400);
  expect_refused(start + "Content-Length: +5\r\n" + body, 400);
  expect_refused(start + "Content-Length: -1\r\n" + body, 400);
  expect_refused(start + "Content-Length: 0x10\r\n" + body, 400);
  expect_refused(start + "Content-Length: 99999999999999999999\r\n" + body, 400);
  expect_refused(start + "Transfer-Encoding: gzip, chunked\r\n" + chunked, 400);
  expect_refused(start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n" + chunked,
                 400);
  expect_refused(start + "Transfer-Encoding: identity\r\n" + chunked, 400);
  expect_refused(start + "Transfer-Encoding : chunked\r\n" + chunked, 400);
  expect_refused(start + "Content-Length : 5\r\n" + body, 400);
  expect_refused(start + "X-Folded: a\r\n b\r\n" + length + body, 400);
  for (const char* known : {"Authorization", "Idempotency-Key", "X-Nonce", "X-Confirmation",
                            "Content-Type", "Accept", "Last-Event-ID", "Origin", "Host"}) {
    const bool host = std::string_view(known) == "Host";
    expect_refused(std::string("POST /v1/holds HTTP/1.1\r\n") +
                       (host ? "" : "Host: localhost\r\n") + known + ": a\r\n b\r\n" + length +
                       body,
                   400);
  }
  expect_refused(start + "X-Bare: a\n" + length + body, 400);
  expect_refused(std::string("GET /livez HTTP/1.1\nHost: localhost\n\n"), 400);
  expect_refused(start + std::string("X-Nul: a\0b\r\n", 12) + length + body, 400);
  expect_refused(start + "Host: again\r\n" + length + body, 400);
  expect_refused("GET /livez HTTP/1.1\r\n\r\n", 400);
  expect_refused("GET /livez HTTP/2.0\r\nHost: localhost\r\n\r\n", 400);
  expect_refused("GET  /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  expect_refused("POST /v1/holds HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" + chunked, 400);
  expect_refused(start + "Transfer-Encoding: chunked\r\n\r\nzzz\r\n", 400);
  for (const char* trailer : {"Content-Length: 5", "Transfer-Encoding: chunked"}) {
    expect_refused(
        start + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + std::string(trailer) + "\r\n\r\n", 400);
  }
  expect_refused(std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8) + "\r\n\r\n", 400);
  EXPECT_EQ(records(), 0U);
}

TEST_F(Wire, HeadOptionsUnknownMethodsAndPaths) {
  const Answered head = call("HEAD", "/livez");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.header("content-length"), get("/livez").header("content-length"));
  EXPECT_NE(head.header("content-length"), "");
  const Answered options = call("OPTIONS", "/v1/holds");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("allow"), "POST, GET, HEAD, OPTIONS");
  const Answered method = call("BREW", "/v1/holds");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.header("allow"), "POST, GET, HEAD, OPTIONS");
  for (const char* path : {"/v1", "/v1/hold", "/v1/holds/", "//v1/holds", "/v1/holds/x/confirm/y",
                           "/v1/../v1/holds", "/V1/holds", "/%76%31/holds"}) {
    const Answered unknown = get(path);
    EXPECT_EQ(unknown.status, 404) << path;
    EXPECT_EQ(Json(unknown.body).text("/code"), "no-such-address") << path;
  }
  EXPECT_EQ(get("/v1/tokens/%zz").status, 400);
}

TEST_F(Wire, EveryProblemHasItsNumber) {
  const Answered unknown = get("/nowhere");
  EXPECT_NE(Json(unknown.body).text("/request_id"), "");
  EXPECT_EQ(Json(unknown.body).text("/request_id"), unknown.header("x-request-id"));
}

TEST_F(Wire, AThousandIdleConnectionsDoNotDisturb) {
  std::vector<RawConnection> idle;
  for (int i = 0; i < 1000; ++i) idle.push_back(connect());
  EXPECT_EQ(place("k-1", holding("room_307")).status, 201);
  for (RawConnection& each : idle) {  // none of them was given up
    ASSERT_TRUE(each.send(request_text("GET", "/livez")));
    ASSERT_EQ(each.read().value_or(Answered{}).status, 200);
  }
}

/// As proxies are sent it; the Host does not count then.
TEST_F(Wire, AddressesMayBeAbsolute) {
  EXPECT_EQ(get("http://localhost/v1/holds?limit=1").status, 200);
  EXPECT_EQ(get("HTTP://127.0.0.1:8420/livez").status, 200);
  EXPECT_EQ(get("http://evil.example/v1/holds").status, 403);
  for (const char* target : {"http://", "http:///v1/holds", "http://localhost", "ftp://h/livez"})
    EXPECT_EQ(get(target).status, 400) << target;
}

}  // namespace
}  // namespace holdfast::test
