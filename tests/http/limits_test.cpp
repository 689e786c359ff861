// Every limit is a setting, and holds.

#include <set>
#include <thread>

#include "http/rate_limiter.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using testing::StartsWith;

class LimitsTest : public HttpTest {
 protected:
  void start_with(const http::Limits& limits) {
    http::Settings settings;
    settings.limits = limits;
    start(settings);
  }

  void expect_too_large(const std::string& bytes, int status) const {
    RawConnection connection = connect();
    (void)connection.send(bytes);
    const Answered answered = connection.read().value_or(Answered{});
    EXPECT_EQ(answered.status, status);
    EXPECT_EQ(Json(answered.body).text("/code"), "too-large");
    EXPECT_EQ(Json(answered.body).text("/token_action"), "reuse");
  }

  /// A batch of that many places, always the same.
  [[nodiscard]] static std::string batch_with(int count) {
    std::string operations;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      operations += (i == 0 ? "" : ",") + std::string(R"({"token":"t-)") + number +
                    R"(","operation":"hold.place","params":)" + holding("r" + number) + "}";
    }
    return R"({"operations":[)" + operations + "]}";
  }

  /// A request for a batch with a body of that many bytes.
  [[nodiscard]] static std::string batch_of(std::size_t bytes) {
    const std::string empty = R"({"operations":[]})";
    return request_text("POST", "/v1/batch", {}, empty + std::string(bytes - empty.size(), ' '));
  }
};

TEST_F(LimitsTest, Defaults) {
  const http::Limits limits;
  EXPECT_EQ(limits.header_bytes_max, 16U * 1024);
  EXPECT_EQ(limits.body_bytes_max, 64U * 1024);
  EXPECT_EQ(limits.batch_body_bytes_max, 1024U * 1024);
  EXPECT_EQ(limits.batch_operations_max, 10'000U);
  EXPECT_EQ(limits.json_depth_max, 32U);
}

TEST_F(LimitsTest, HeaderOverTheLimit) {
  start();
  const std::string start_line = "GET /livez HTTP/1.1\r\nHost: localhost\r\n";
  const auto with_header = [&](std::size_t total) {
    const std::string name = "X-Long: ";
    return start_line + name + std::string(total - start_line.size() - name.size() - 4, 'x') +
           "\r\n\r\n";
  };
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(with_header(16 * 1024)));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 200);
  expect_too_large(with_header(16 * 1024 + 1), 431);
  expect_too_large(start_line + std::string(20'000, 'x'), 431);
  std::string many = start_line;
  for (int i = 0; i < 2000; ++i) many += "X-Many: something\r\n";
  expect_too_large(many + "\r\n", 431);
}

TEST_F(LimitsTest, OfHeadersAndBodiesAreSettings) {
  start_with({.header_bytes_max = 1024, .body_bytes_max = 200});
  const auto ask = [&](std::size_t header, std::size_t body) {
    return call("POST", "/v1/holds", {{"X-Long", std::string(header, 'x')}},
                std::string(body, ' '));
  };
  EXPECT_EQ(ask(500, 200).status, 400);
  EXPECT_EQ(ask(1024, 200).status, 431);
  EXPECT_EQ(ask(500, 201).status, 413);
}

TEST_F(LimitsTest, BodyOverTheLimit) {
  start();
  const auto with_body = [&](std::size_t size) {
    return request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-1"}}, std::string(size, ' '));
  };
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(with_body(64 * 1024)));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 400);
  expect_too_large(with_body(64 * 1024 + 1), 413);
  EXPECT_FALSE(is_used("k-1"));
}

TEST_F(LimitsTest, ChunkedBodyOverTheLimit) {
  start();
  std::string all =
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 70; ++i) all += "400\r\n" + std::string(1024, ' ') + "\r\n";
  expect_too_large(all + "0\r\n\r\n", 413);
}

TEST_F(LimitsTest, BatchBodyOverTheLimit) {
  start();
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(batch_of(1024 * 1024)));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 200);
  expect_too_large(batch_of(1024 * 1024 + 1), 413);
}

TEST_F(LimitsTest, TooManyOperationsInABatch) {
  start_with({.batch_operations_max = 2});
  const auto batch = [&](int count) {
    std::string items;
    for (int i = 0; i < count; ++i) {
      items += std::string(i == 0 ? "" : ",") + R"({"token":"k-)" + std::to_string(i) +
               R"(","operation":"hold.expire","params":{"id":"h1-0"}})";
    }
    return call("POST", "/v1/batch", {}, R"({"operations":[)" + items + "]}");
  };
  EXPECT_EQ(batch(2).status, 200);
  const Answered refused = batch(3);
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(Json(refused.body).text("/code"), "too-large");
  EXPECT_EQ(Json(refused.body).text("/errors/0/pointer"), "/operations");
  EXPECT_FALSE(is_used("k-2"));
}

TEST_F(LimitsTest, SlowHeadersAndBodiesAreCut) {
  start_with({.header_deadline = milliseconds(300), .body_deadline = milliseconds(300)});
  RawConnection header = connect();
  ASSERT_TRUE(header.send("POST /v1/holds HTTP/1.1\r\nHost:"));
  RawConnection body = connect();
  ASSERT_TRUE(
      body.send("POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: "
                "k-1\r\nContent-Length: 50\r\n\r\n{"));
  for (RawConnection* each : {&header, &body}) {
    const Answered answered = each->read().value_or(Answered{});
    EXPECT_EQ(answered.status, 408);
    EXPECT_EQ(Json(answered.body).text("/code"), "too-slow");
    EXPECT_EQ(Json(answered.body).text("/token_action"), "reuse");
    EXPECT_EQ(each->read_to_end(), "");
  }
  EXPECT_FALSE(is_used("k-1"));
}

TEST_F(LimitsTest, ABodyHasItsOwnTime) {
  start_with({.header_deadline = std::chrono::seconds(60), .body_deadline = milliseconds(300)});
  RawConnection body = connect();
  ASSERT_TRUE(
      body.send("POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: "
                "k-1\r\nContent-Length: 50\r\n\r\n{"));
  const Answered late = body.read().value_or(Answered{});
  EXPECT_EQ(late.status, 408);
  EXPECT_EQ(late.header("idempotency-key"), "k-1");
  EXPECT_EQ(late.header("idempotent-replayed"), "false");
}

/// Nor do lines that belong to no request.
TEST_F(LimitsTest, BlankLinesAreNoReasonToStay) {
  start_with({.idle_deadline = milliseconds(300)});
  RawConnection connection = connect();
  bool alive = true;
  for (int i = 0; alive && i < 400; ++i) {
    alive = connection.send("\r\n");
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_FALSE(alive);
}

/// A byte now and then does not buy more time.
TEST_F(LimitsTest, DripFedRequestsAreCut) {
  start_with({.header_deadline = milliseconds(400)});
  RawConnection connection = connect();
  std::string all;
  bool alive = true;
  for (int i = 0; alive && i < 400; ++i) {
    alive = connection.send("G");
    std::this_thread::sleep_for(milliseconds(20));
    alive = alive && connection.read_until("408", milliseconds(1)).empty();
  }
  EXPECT_THAT(connection.read_to_end(), StartsWith("HTTP/1.1 4"));
}

/// Answers wait in memory for whoever asks and does not read: only so many.
TEST_F(LimitsTest, PeersThatNeverReadAreNotAnsweredForEver) {
  constexpr int asked = 600;
  start_with({});
  RawConnection connection = connect();
  // While a large body is awaited there is room for many requests behind it.
  const std::string large = batch_of(900'000);
  ASSERT_TRUE(connection.send(large.substr(0, large.size() - 1)));
  std::string rest = large.substr(large.size() - 1);
  for (int i = 0; i < asked; ++i) {
    rest += request_text("GET", "/openapi.json");
    rest += request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-" + std::to_string(i)}},
                         holding("room_" + std::to_string(i)));
  }
  ASSERT_TRUE(connection.send(rest));
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_LT(records(), asked / 2);
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 200);
  for (int i = 0; i < asked; ++i) {
    ASSERT_EQ(connection.read().value_or(Answered{}).status, 200) << i;
    ASSERT_EQ(connection.read().value_or(Answered{}).status, 201) << i;
  }
}

/// Nor does sending something now and then buy more time to read.
TEST_F(LimitsTest, PeersThatNeverReadAreCut) {
  start_with({.batch_body_bytes_max = std::size_t{64} * 1024 * 1024,
              .header_deadline = std::chrono::seconds(60),
              .write_deadline = milliseconds(500)});
  RawConnection connection = connect();
  std::string all;
  for (int i = 0; i < 300; ++i) all += request_text("GET", "/openapi.json");
  ASSERT_TRUE(connection.send(all));
  bool alive = true;
  for (int i = 0; alive && i < 100; ++i) {
    alive = connection.send("G");
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_FALSE(alive);
}

TEST_F(LimitsTest, IdleConnectionsAreClosed) {
  start_with({.idle_deadline = milliseconds(300)});
  RawConnection connection = connect();
  EXPECT_EQ(connection.read_to_end(), "");
  RawConnection used = connect();
  ASSERT_TRUE(used.send(request_text("GET", "/livez")));
  EXPECT_THAT(used.read_to_end(), StartsWith("HTTP/1.1 200"));
}

TEST_F(LimitsTest, ConnectionsOverTheLimitAreClosed) {
  start_with({.connections_max = 3});
  std::vector<RawConnection> open;
  for (int i = 0; i < 3; ++i) {
    open.push_back(connect());
    ASSERT_TRUE(open.back().send(request_text("GET", "/livez")));
    ASSERT_EQ(open.back().read().value_or(Answered{}).status, 200);
  }
  for (int i = 0; i < 20; ++i) {
    RawConnection another = connect();
    (void)another.send(request_text("GET", "/livez"));
    EXPECT_EQ(another.read_to_end(), "");
  }
  const std::string log = logged();
  int said = 0;
  for (std::size_t at = 0; (at = log.find("too many connections", at)) != std::string::npos; ++at) {
    ++said;
  }
  EXPECT_GE(said, 1);
  EXPECT_LT(said, 20) << "a flood of connections is no flood of the log";
  ASSERT_TRUE(open[0].send(request_text("GET", "/livez")));
  EXPECT_EQ(open[0].read().value_or(Answered{}).status, 200);
}

TEST_F(LimitsTest, DepthCountsArraysAndObjectsWithinEachOther) {
  start_with({.json_depth_max = 4});  // as many as a batch has
  const std::string item =
      R"({"token":"k","operation":"hold.place","params":{"resource":"r","requester":"q","duration":1}})";
  const auto detail = [&](const std::string& body) {
    return Json(call("POST", "/v1/batch", {}, body).body).text("/detail");
  };
  EXPECT_EQ(call("POST", "/v1/batch", {}, R"({"operations":[)" + item + "]}").status, 200);
  EXPECT_THAT(detail(R"([[[[[1]]]]])"), testing::HasSubstr("deeper than 4"));
  EXPECT_THAT(detail(R"([[[[[]]]]])"), testing::HasSubstr("deeper than 4"));
  EXPECT_THAT(detail(R"([[[[]]]])"), testing::Not(testing::HasSubstr("deeper than 4")));
  EXPECT_THAT(detail(R"([[[[1]]]])"), testing::Not(testing::HasSubstr("deeper than 4")));
}

TEST_F(LimitsTest, ConnectionsThatComeAtOnceAreNoMoreThanTheLimit) {
  start_with({.connections_max = 3});
  for (int round = 0; round < 5; ++round) {
    std::vector<RawConnection> all;
    for (int i = 0; i < 60; ++i) all.push_back(connect());
    int answered = 0;
    for (RawConnection& each : all) {
      if (each.send(request_text("GET", "/livez")) &&
          each.read().value_or(Answered{}).status == 200)
        ++answered;
    }
    EXPECT_LE(answered, 3);
  }
}

TEST_F(LimitsTest, TenantRate) {
  start_with({.tenant_rate = 1, .tenant_burst = 5});
  int throttled = 0;
  for (int i = 0; i < 20; ++i) {
    const Answered answered = place("k-" + std::to_string(i), holding("room_307"));
    if (answered.status != 429) continue;
    ++throttled;
    EXPECT_EQ(Json(answered.body).text("/code"), "throttled");
    EXPECT_EQ(Json(answered.body).text("/token_action"), "reuse");
    EXPECT_NE(answered.header("retry-after"), "");
    EXPECT_EQ(answered.header("x-should-retry"), "");
    EXPECT_EQ(answered.header("idempotency-key"), "k-" + std::to_string(i));
    EXPECT_EQ(answered.header("idempotent-replayed"), "false");
  }
  EXPECT_GE(throttled, 10);
}

/// What is more than a burst passes once the tenant has been quiet, and is owed.
TEST_F(LimitsTest, ABatchOverTheBurstIsNotRefusedForEver) {
  start_with({.tenant_rate = 1'000, .tenant_burst = 5});
  ASSERT_EQ(call("POST", "/v1/batch", {}, batch_with(20)).status, 200);
  std::this_thread::sleep_for(milliseconds(100));  // what is owed is paid by then
  EXPECT_EQ(events(), 20U);
}

TEST_F(LimitsTest, ABatchCountsAsManyAsItHasOperations) {
  start_with({.tenant_rate = 1, .tenant_burst = 5});
  ASSERT_EQ(call("POST", "/v1/batch", {}, batch_with(20)).status, 200);
  EXPECT_EQ(place("k-1", holding("room_307")).status, 429);
}

TEST_F(LimitsTest, RepeatedOperationsOfABatchCountAsReplays) {
  start_with({.replay_rate = 1, .replay_burst = 1});
  ASSERT_EQ(call("POST", "/v1/batch", {}, batch_with(20)).status, 200);
  const Json again(call("POST", "/v1/batch", {}, batch_with(20)).body);
  int throttled = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string at = "/results/" + std::to_string(i);
    if (again.number(at + "/status") != 429) continue;
    EXPECT_EQ(again.text(at + "/body/code"), "throttled");
    ++throttled;
  }
  EXPECT_GE(throttled, 10);
}

TEST_F(LimitsTest, RepeatedAnswersOfOneKeyHaveARateOfTheirOwn) {
  start_with({.key_replay_rate = 1, .key_replay_burst = 2});
  for (const char* key : {"k-1", "k-2"}) {
    ASSERT_EQ(place(key, holding(key)).status, 201);
    EXPECT_EQ(place(key, holding(key)).status, 201);
    EXPECT_EQ(place(key, holding(key)).status, 201);
    EXPECT_EQ(place(key, holding(key)).status, 429);
  }
}

TEST(RateLimiter, ForgetsWhoHasNotAskedForLong) {
  http::RateLimiter limiter(1, 1);
  http::RateLimiter::Time now{};
  EXPECT_EQ(limiter.take("last", now).count(), 0);
  for (int i = 0; i < 30'000; ++i) (void)limiter.take(std::to_string(i), now);
  EXPECT_GT(limiter.take("last", now).count(), 0);  // not while it is owed something
  now += std::chrono::seconds(2);
  for (int i = 0; i < 100'000; ++i)
    EXPECT_EQ(limiter.take("n" + std::to_string(i), now).count(), 0);
  EXPECT_EQ(limiter.take("last", now).count(), 0);
}

TEST(RateLimiter, WhatItSaysToWaitIsEnough) {
  http::RateLimiter limiter(1, 5);
  http::RateLimiter::Time now{};
  const auto batch = [&](std::size_t size) {  // as the service counts one
    const auto first = limiter.take("t", now);
    return first.count() > 0 ? first : limiter.take("t", now, size - 1, 1);
  };
  EXPECT_EQ(batch(20).count(), 0);
  const auto wait = batch(20);
  ASSERT_GT(wait.count(), 0);
  now += wait;
  const auto again = batch(20);
  now += again;
  EXPECT_EQ(batch(20).count(), 0) << "once the debt is paid";
}

TEST_F(LimitsTest, ReplayRateIsItsOwn) {
  start_with({.replay_rate = 1, .replay_burst = 2});
  int throttled = 0;
  for (int i = 0; i < 20; ++i) throttled += place("k-1", holding("room_307")).status == 429 ? 1 : 0;
  EXPECT_GE(throttled, 10);
  EXPECT_EQ(place("k-2", holding("room_308")).status, 201);
  EXPECT_EQ(events(), 2U);
}

/// What is said again counts by itself, if it has a rate, and else as any request.
TEST_F(LimitsTest, AFloodOfDuplicatesDoesNotUseUpTheRateOfWhatIsNew) {
  start_with({.tenant_rate = 1, .tenant_burst = 3, .replay_rate = 1, .replay_burst = 5});
  ASSERT_EQ(place("k-1", holding("room_1")).status, 201);
  int repeated = 0;
  for (int i = 0; i < 20; ++i) repeated += place("k-1", holding("room_1")).status == 201 ? 1 : 0;
  EXPECT_GE(repeated, 5);
  EXPECT_LE(repeated, 15);
  EXPECT_EQ(place("k-2", holding("room_2")).status, 201);
}

TEST_F(LimitsTest, DuplicatesWithoutARateOfTheirOwnAreRequests) {
  start_with({.tenant_rate = 1, .tenant_burst = 3});
  int throttled = 0;
  for (int i = 0; i < 20; ++i) throttled += place("k-1", holding("room_1")).status == 429 ? 1 : 0;
  EXPECT_GE(throttled, 10);
}

class RatesOfTenants : public HttpTest {
 protected:
  const std::string north_ = new_key("north", "alice", http::Role::client);
  const std::string watched_ = new_key("north", "audrey", http::Role::auditor);
  const std::string south_ = new_key("south", "bob", http::Role::client);

  [[nodiscard]] int place_as(const std::string& who, const std::string& key) const {
    return place(key, holding("room_" + key), with_key(who)).status;
  }
  /// Uses up what its tenant may ask, for minutes.
  void owe_much(const std::string& who) const {
    std::string operations;
    for (int i = 0; i < 300; ++i) operations += i == 0 ? "{}" : ",{}";
    const Answered batch =
        call("POST", "/v1/batch", with_key(who), R"({"operations":[)" + operations + "]}");
    ASSERT_EQ(batch.status, 200);
  }
};

TEST_F(RatesOfTenants, OneTenantsHasteIsNotAnothers) {
  http::Settings settings;
  settings.limits = {.tenant_rate = 1, .tenant_burst = 3, .replay_rate = 1, .replay_burst = 1};
  start(settings);
  owe_much(north_);
  EXPECT_EQ(place_as(north_, "k-1"), 429);
  EXPECT_EQ(place_as(south_, "k-1"), 201);
  EXPECT_EQ(place_as(south_, "k-1"), 201) << "the first that is said again";
}

/// Authenticate, authorise, rate, key.
TEST_F(RatesOfTenants, AreLookedAtAfterRightsAndBeforeKeys) {
  http::Settings settings;
  settings.limits = {.tenant_rate = 1, .tenant_burst = 1};
  start(settings);
  owe_much(north_);
  EXPECT_EQ(call("POST", "/v1/holds", with_key(north_), "{").status, 429) << "not 400";
  EXPECT_EQ(place_as(watched_, "k-2"), 403) << "not 429";
  EXPECT_EQ(place("k-3", holding("r")).status, 401);
}

TEST_F(LimitsTest, FullQueueIsOverloadWithTheTokenUnused) {
  HeldStage held;
  observer_ = held.at(Stage::write);
  http::Settings settings;
  settings.queue_max = 1;
  settings.batch_max = 1;
  start(settings);
  std::vector<RawConnection> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(connect());
    const std::string number = std::to_string(i);
    ASSERT_TRUE(waiting.back().send(request_text(
        "POST", "/v1/holds", {{"Idempotency-Key", "k-" + number}}, holding("room_" + number))));
  }
  int overloaded = 0;
  std::set<const RawConnection*> told;
  while (overloaded < 15) {
    for (RawConnection& each : waiting) {
      const auto answered = each.read(milliseconds(20));
      if (!answered) continue;
      told.insert(&each);
      EXPECT_EQ(answered->status, 503);
      EXPECT_EQ(Json(answered->body).text("/code"), "overloaded");
      EXPECT_EQ(Json(answered->body).text("/token_action"), "reuse");
      EXPECT_NE(answered->header("retry-after"), "");
      ++overloaded;
    }
  }
  held.let_go();
  for (RawConnection& each : waiting) {
    if (told.contains(&each)) continue;
    EXPECT_THAT(each.read().value_or(Answered{}).status, testing::AnyOf(201, 503));
  }
}

}  // namespace
}  // namespace holdfast::test
