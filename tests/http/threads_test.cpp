// Several threads of input and output in front of one engine: nobody can tell.

#include <atomic>
#include <thread>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class SeveralThreads : public HttpTest {
 protected:
  static constexpr std::size_t threads = 4;
  static constexpr int connections = 32;  // enough for each thread to have some

  void start_all(http::Limits limits = {}) {
    http::Settings settings;
    settings.threads = threads;
    settings.limits = limits;
    start(settings);
  }

  [[nodiscard]] std::vector<RawConnection> connect_all() const {
    std::vector<RawConnection> all;
    for (int i = 0; i < connections; ++i) all.push_back(connect());
    return all;
  }
};

TEST_F(SeveralThreads, EqualRequestsAtOnceAreOneExecution) {
  start_all();
  for (int round = 0; round < 5; ++round) {
    const std::string name = "room_" + std::to_string(round);
    std::vector<RawConnection> all = connect_all();
    std::vector<Answered> answers(all.size());
    std::atomic<bool> go{false};
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < all.size(); ++i) {
      callers.emplace_back([&, i] {
        while (!go) std::this_thread::yield();
        EXPECT_TRUE(all[i].send(
            request_text("POST", "/v1/holds", {{"Idempotency-Key", name}}, holding(name))));
        answers[i] = all[i].read().value_or(Answered{});
      });
    }
    go = true;
    for (std::thread& caller : callers) caller.join();
    int first = 0;
    for (const Answered& each : answers) {
      EXPECT_EQ(each.status, 201);
      EXPECT_EQ(each.body, answers.front().body);
      first += each.header("idempotent-replayed") == "false" ? 1 : 0;
    }
    EXPECT_EQ(first, 1);
    EXPECT_EQ(events(), static_cast<std::size_t>(round) + 1);
  }
}

TEST_F(SeveralThreads, EveryConnectionGetsItsOwnAnswers) {
  start_all();
  std::vector<RawConnection> all = connect_all();
  constexpr int each = 20;
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    callers.emplace_back([&, i] {
      std::string pipelined;
      const auto name = [i](int k) { return "r_" + std::to_string(i) + "_" + std::to_string(k); };
      for (int k = 0; k < each; ++k) {
        pipelined +=
            request_text("POST", "/v1/holds", {{"Idempotency-Key", name(k)}}, holding(name(k)));
      }
      EXPECT_TRUE(all[i].send(pipelined));
      for (int k = 0; k < each; ++k) {
        EXPECT_EQ(Json(all[i].read().value_or(Answered{}).body).text("/resource"), name(k));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(records(), static_cast<std::uint64_t>(connections) * each);
}

TEST_F(SeveralThreads, StreamsOfEveryThreadSeeEveryChange) {
  start_all();
  std::vector<RawConnection> streams = connect_all();
  for (RawConnection& each : streams) {
    ASSERT_TRUE(each.send(request_text("GET", "/v1/events", {{"Accept", "text/event-stream"}})));
    ASSERT_THAT(each.read_until("retry:"), HasSubstr("200 OK"));
  }
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  for (RawConnection& each : streams)
    EXPECT_THAT(each.read_until("room_307"), HasSubstr("room_307"));
}

TEST_F(SeveralThreads, RevokedKeysStopAtOnceOnEveryOne) {
  const std::string key = new_key("north", "carol", http::Role::client);
  start_all();
  std::vector<RawConnection> all = connect_all();
  const auto ask_all = [&](int status) {
    for (RawConnection& each : all) {
      ASSERT_TRUE(each.send(request_text("GET", "/v1/holds", with_key(key))));
      EXPECT_EQ(each.read().value_or(Answered{}).status, status);
    }
  };
  ask_all(200);
  const http::KeyFile file(http::KeyFile::beside(dir_.file("holdfast.db")));
  ASSERT_TRUE(file.revoke(key.substr(3, 12), clock_->now()));
  ask_all(401);
}

TEST_F(SeveralThreads, AStopAnswersWhatWasAcceptedByEveryOne) {
  HeldStage held;
  observer_ = held.at(Stage::write);
  start_all();
  std::vector<RawConnection> all = connect_all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = "room_" + std::to_string(i);
    ASSERT_TRUE(
        all[i].send(request_text("POST", "/v1/holds", {{"Idempotency-Key", name}}, holding(name))));
  }
  const auto accepted = [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!server_->service().is_under_way("default", "room_" + std::to_string(i))) return false;
    }
    return true;
  };
  ASSERT_TRUE(eventually(accepted));
  std::vector<RawConnection> idle = connect_all();
  for (RawConnection& each : idle) {
    ASSERT_TRUE(each.send(request_text("GET", "/livez")));
    ASSERT_TRUE(each.read());
  }
  std::thread stopping([&] { server_->stop(); });
  for (RawConnection& each : idle) EXPECT_EQ(each.read_to_end(), "");  // every thread knows
  held.let_go();
  for (RawConnection& each : all) EXPECT_EQ(each.read().value_or(Answered{}).status, 201);
  stopping.join();
}

}  // namespace
}  // namespace holdfast::test
