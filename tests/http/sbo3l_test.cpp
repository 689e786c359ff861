// SBO3L's table, row by row, its sentence on atomicity, and its nonces.

#include <atomic>
#include <set>
#include <thread>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;

class Sbo3l : public HttpTest {
 protected:
  Sbo3l() { start(); }

  /// Sends all of these at the same moment, each on a connection of its own.
  [[nodiscard]] std::vector<Answered> at_once(const std::vector<std::string>& requests) const {
    std::vector<Answered> answers(requests.size());
    std::vector<RawConnection> connections;
    for (std::size_t i = 0; i < requests.size(); ++i) connections.push_back(connect());
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      threads.emplace_back([&, i] {
        while (!go) std::this_thread::yield();
        EXPECT_TRUE(connections[i].send(requests[i]));
        answers[i] = connections[i].read().value_or(Answered{});
      });
    }
    go = true;
    for (std::thread& thread : threads) thread.join();
    return answers;
  }

  [[nodiscard]] static std::string placing(const std::string& key, const std::string& body) {
    return request_text("POST", "/v1/holds", {{"Idempotency-Key", key}}, body);
  }
};

TEST_F(Sbo3l, FirstRequestRunsAndIsRecorded) {
  const Answered first = place("k-1", holding("room_307"));
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.header("idempotent-replayed"), "false");
  EXPECT_EQ(events(), 1U);
  EXPECT_EQ(Json(get("/v1/tokens/k-1").body).text("/outcome"), "done");
}

TEST_F(Sbo3l, RetryWithTheSameBodyIsReplayed) {
  const Answered first = place("k-1", holding("room_307"));
  const Answered again = place("k-1", holding("room_307"));
  EXPECT_EQ(again.status, first.status);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
  EXPECT_EQ(again.header("idempotency-expires"), first.header("idempotency-expires"));
  EXPECT_EQ(events(), 1U);
}

TEST_F(Sbo3l, RetryWithAnotherBodyIsAConflict) {
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  const Answered other = place("k-1", holding("room_308"));
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(Json(other.body).text("/code"), "protocol.idempotency_conflict");
  EXPECT_EQ(Json(other.body).text("/token_action"), "new");
  EXPECT_EQ(other.header("x-should-retry"), "false");
  EXPECT_EQ(events(), 1U);
}

TEST_F(Sbo3l, NewKeyWithTheSameBodyRunsAgain) {
  ASSERT_EQ(
      call("PUT", "/v1/resources/seats", {{"Idempotency-Key", "declare"}}, R"({"capacity":2})")
          .status,
      200);
  const Answered first = place("k-1", holding("seats"));
  const Answered second = place("k-2", holding("seats"));
  EXPECT_EQ(second.status, 201);
  EXPECT_NE(Json(first.body).text("/id"), Json(second.body).text("/id"));
  EXPECT_EQ(events(), 3U);
}

TEST_F(Sbo3l, RetryAfterTheWindowRunsAgain) {
  const Answered first = place("k-1", holding("room_307"));
  clock_->advance(std::chrono::hours(24) - std::chrono::milliseconds(1));
  EXPECT_EQ(place("k-1", holding("room_307")).header("idempotent-replayed"), "true");
  clock_->advance(std::chrono::milliseconds(1));
  const Answered after = place("k-1", holding("room_307"));
  EXPECT_EQ(after.status, 201);
  EXPECT_EQ(after.header("idempotent-replayed"), "false");
  EXPECT_NE(after.body, first.body);
}

TEST_F(Sbo3l, FiftyEqualRequestsAtOnceAreOneExecution) {
  const auto answers = at_once(std::vector<std::string>(50, placing("k-1", holding("room_307"))));
  std::size_t firsts = 0;
  for (const Answered& each : answers) {
    EXPECT_EQ(each.status, 201);
    EXPECT_EQ(each.body, answers.front().body);
    if (each.header("idempotent-replayed") == "false") ++firsts;
  }
  EXPECT_EQ(firsts, 1U);
  EXPECT_EQ(events(), 1U);
}

TEST_F(Sbo3l, FiftyDifferentRequestsWithOneKeyAreOneSuccess) {
  std::vector<std::string> requests;
  for (int i = 0; i < 50; ++i)
    requests.push_back(placing("k-1", holding("room_" + std::to_string(i))));
  std::size_t done = 0;
  for (const Answered& each : at_once(requests)) {
    if (each.status == 201) {
      ++done;
      continue;
    }
    EXPECT_EQ(each.status, 409);
    EXPECT_EQ(Json(each.body).text("/code"), "protocol.idempotency_conflict");
  }
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(events(), 1U);
}

/// A disk that does not answer until it is told to.
class Sbo3lWhileRunning : public Sbo3l {
 protected:
  Sbo3lWhileRunning() {
    stop();
    observer_ = [gate = gate_](Stage stage) {
      if (stage != Stage::write) return;
      gate->entered = true;
      while (gate->held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    http::Settings settings;
    for (const OperationRow& each : operations())
      settings.policies[each.id].overlap_wait = std::chrono::milliseconds(50);
    start(settings);
  }
  ~Sbo3lWhileRunning() override { gate_->held = false; }

  struct Gate {
    std::atomic<bool> held{true};
    std::atomic<bool> entered{false};
  };
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();  // the server outlives the test
};

TEST_F(Sbo3lWhileRunning, AnotherBodyIsAConflictAndTheSameIsInFlight) {
  RawConnection first = connect();
  ASSERT_TRUE(first.send(placing("k-1", holding("room_307"))));
  while (!gate_->entered) std::this_thread::yield();
  RawConnection same = connect();
  ASSERT_TRUE(same.send(placing("k-1", holding("room_307"))));
  RawConnection other = connect();
  ASSERT_TRUE(other.send(placing("k-1", holding("room_308"))));
  // The settable clock decides how long they have waited.
  const auto conflict = [&] {
    std::optional<Answered> answered;
    while (!answered) {
      clock_->advance(std::chrono::milliseconds(60));
      answered = other.read(std::chrono::milliseconds(200));
    }
    return *answered;
  }();
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(Json(conflict.body).text("/code"), "protocol.idempotency_conflict");
  EXPECT_EQ(conflict.header("idempotency-expires"), "");  // nobody knows yet
  const Answered in_flight = same.read().value_or(Answered{});
  EXPECT_EQ(in_flight.status, 409);
  EXPECT_EQ(Json(in_flight.body).text("/code"), "protocol.idempotency_in_flight");
  EXPECT_EQ(Json(in_flight.body).text("/token_action"), "reuse");
  EXPECT_EQ(Json(in_flight.body).text("/effect"), "unknown");
  EXPECT_FALSE(Json(conflict.body).has("/effect"));
  EXPECT_EQ(in_flight.header("location"), "/v1/tokens/k-1");
  EXPECT_NE(in_flight.header("retry-after"), "");
  EXPECT_EQ(in_flight.header("x-should-retry"), "");
  EXPECT_THAT(
      get("/metrics").body,
      testing::AllOf(testing::HasSubstr("holdfast_claims_total{decision=\"in_flight\"} 1\n"),
                     testing::HasSubstr("holdfast_claims_total{decision=\"fresh\"} 0\n")));
  // Where it is told to look, nobody is told that the token is free.
  const Answered status = get("/v1/tokens/k-1");
  EXPECT_EQ(status.status, 409);
  EXPECT_EQ(Json(status.body).text("/code"), "protocol.idempotency_in_flight");
  EXPECT_NE(status.header("retry-after"), "");
  EXPECT_EQ(get("/v1/tokens/k-2").status, 404);
  gate_->held = false;
  EXPECT_EQ(first.read().value_or(Answered{}).status, 201);
  EXPECT_EQ(get("/v1/tokens/k-1").status, 200);
  EXPECT_EQ(place("k-1", holding("room_307")).header("idempotent-replayed"), "true");
}

TEST_F(Sbo3l, RestartInBetweenReplaysByteForByte) {
  const Answered done = place("k-1", holding("room_307"));
  const Answered refused = place("k-2", holding("room_307"));
  ASSERT_EQ(refused.status, 409);
  restart();
  const Answered done_again = place("k-1", holding("room_307"));
  EXPECT_EQ(done_again.status, 201);
  EXPECT_EQ(done_again.body, done.body);
  const Answered refused_again = place("k-2", holding("room_307"));
  EXPECT_EQ(refused_again.status, 409);
  EXPECT_EQ(refused_again.body, refused.body);
  EXPECT_EQ(refused_again.header("idempotent-replayed"), "true");
  EXPECT_EQ(place("k-1", holding("room_309")).status, 409);
}

TEST_F(Sbo3l, OrderOfMembersAndWhiteSpaceDoNotMatter) {
  const Answered first =
      place("k-1", R"({"resource":"r","requester":"q","duration":"PT15M","quantity":1})");
  const Answered again = place("k-1",
                               " {\"quantity\" : 1,\n\"duration\":\"PT15M\",\t\"requester\":\"q\", "
                               "\"resource\":\"\\u0072\"} ");
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
}

TEST_F(Sbo3l, NonceIsSpentWithTheOperationAndNotBefore) {
  const Headers nonce{{"X-Nonce", "n-1"}};
  // A body that cannot be read spends nothing.
  EXPECT_EQ(place("k-0", "{", nonce).status, 400);
  const Answered first = place("k-1", holding("room_307"), nonce);
  EXPECT_EQ(first.status, 201);
  // The retry is answered before the gate, whatever nonce it carries.
  EXPECT_EQ(place("k-1", holding("room_307"), nonce).body, first.body);
  EXPECT_EQ(place("k-1", holding("room_307"), {{"X-Nonce", "n-2"}}).body, first.body);
  // A fresh key with a seen nonce is refused; with a new one it runs.
  const Answered seen = place("k-2", holding("room_308"), nonce);
  EXPECT_EQ(seen.status, 409);
  EXPECT_EQ(Json(seen.body).text("/code"), "protocol.nonce_replay");
  EXPECT_EQ(Json(seen.body).text("/token_action"), "new");
  EXPECT_EQ(place("k-2", holding("room_308"), nonce).body, seen.body);
  EXPECT_EQ(place("k-3", holding("room_308"), {{"X-Nonce", "n-2"}}).status, 201);
  EXPECT_EQ(events(), 2U);
}

TEST_F(Sbo3l, NonceSurvivesARestartAndIsForgottenWithItsToken) {
  const Headers nonce{{"X-Nonce", "n-1"}};
  ASSERT_EQ(place("k-1", holding("room_307"), nonce).status, 201);
  restart();
  EXPECT_EQ(place("k-2", holding("room_308"), nonce).status, 409);
  clock_->advance(std::chrono::hours(24) - std::chrono::microseconds(1));
  EXPECT_EQ(place("k-3", holding("room_308"), nonce).status, 409);
  clock_->advance(std::chrono::microseconds(1));
  EXPECT_EQ(place("k-4", holding("room_308"), nonce).status, 201);
}

TEST_F(Sbo3l, FiftyKeysWithOneNonceAreOneExecution) {
  std::vector<std::string> requests;
  for (int i = 0; i < 50; ++i) {
    const std::string number = std::to_string(i);
    requests.push_back(request_text("POST", "/v1/holds",
                                    {{"Idempotency-Key", "k-" + number}, {"X-Nonce", "n-1"}},
                                    holding("room_" + number)));
  }
  std::size_t done = 0;
  for (const Answered& each : at_once(requests)) {
    if (each.status == 201) {
      ++done;
    } else {
      EXPECT_EQ(Json(each.body).text("/code"), "protocol.nonce_replay");
    }
  }
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(events(), 1U);
}

TEST_F(Sbo3l, ARefusedOperationUnderReleaseSpendsNoNonce) {
  stop();
  http::Settings settings;
  settings.policies[Operation::hold_place].on_reject = OnReject::release;
  start(settings);
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  const Headers nonce{{"X-Nonce", "n-1"}};
  ASSERT_EQ(place("k-2", holding("room_307"), nonce).status, 409);
  EXPECT_FALSE(is_used("k-2"));
  EXPECT_EQ(place("k-2", holding("room_308"), nonce).status, 201);
}

}  // namespace
}  // namespace holdfast::test
