// The real program, killed at random under load, while clients that know nothing of it retry.

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "holdfast/client.hpp"
#include "store/open.hpp"
#include "support/http/http_server.hpp"
#include "support/journals/audit.hpp"
#include "support/processes/service_process.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

/// One change a client made, and what it was told in the end.
struct Definite {
  std::string request;
  std::string body;
  int status = 0;
};

/// Makes changes one after the other; each is repeated until it gets a definite answer.
class RetryingClient {
 public:
  RetryingClient(std::uint16_t port, int number)
      : port_(port), random_(static_cast<unsigned>(number)), number_(number) {}

  void run(const std::atomic<bool>& enough) {
    for (int i = 0; !enough || i < 20; ++i) {
      const std::string key = "k-" + std::to_string(number_) + "-" + std::to_string(i);
      // Few resources: most of what happens is fought over.
      const std::string resource = "room_" + std::to_string(random_() % 40);
      const Definite placed = until_definite(
          request_text("POST", "/v1/holds", {{"Idempotency-Key", key}},
                       R"({"resource":")" + resource + R"(","requester":"q","duration":"PT1H"})"));
      if (placed.status != 201) continue;
      const std::string verb = random_() % 2 == 0 ? "release" : "confirm";
      if (verb == "confirm" && random_() % 4 != 0) continue;
      (void)until_definite(request_text("POST",
                                        "/v1/holds/" + Json(placed.body).text("/id") + "/" + verb,
                                        {{"Idempotency-Key", key + "-" + verb}}));
    }
  }

  [[nodiscard]] const std::vector<Definite>& told() const { return told_; }

 private:
  const Definite& until_definite(const std::string& request) {
    while (true) {
      RawConnection connection(port_);
      if (connection.send(request)) {
        const auto answered = connection.read(std::chrono::seconds(10));
        if (answered && answered->status < 500) {
          told_.push_back({request, answered->body, answered->status});
          return told_.back();
        }
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  const std::uint16_t port_;
  std::minstd_rand random_;
  const int number_;
  std::vector<Definite> told_;
};

TEST(ServerKill, AtRandomUnderLoadLosesNothingAndDoublesNothing) {
  constexpr int kills = 25;
  TempDir dir;
  const std::string store = dir.file("holdfast.db");
  ServiceProcess server(store);
  std::atomic<bool> enough{false};
  std::vector<RetryingClient> clients;
  for (int i = 0; i < 8; ++i) clients.emplace_back(server.port(), i + 1);
  std::vector<std::thread> threads;
  for (RetryingClient& each : clients) threads.emplace_back([&] { each.run(enough); });
  std::minstd_rand random(42);
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(milliseconds(20 + random() % 80));
    server.kill();
    server.start();
  }
  enough = true;
  for (std::thread& each : threads) each.join();

  // Whoever asks again gets, byte for byte, what it was told.
  std::size_t asked = 0;
  for (const RetryingClient& each : clients) {
    RawConnection connection(server.port());
    for (const Definite& told : each.told()) {
      ASSERT_TRUE(connection.send(told.request));
      const auto again = connection.read();
      ASSERT_TRUE(again);
      EXPECT_EQ(again->status, told.status);
      EXPECT_EQ(again->body, told.body);
      EXPECT_EQ(again->header("idempotent-replayed"), "true");
      ++asked;
    }
  }
  EXPECT_GT(asked, 100U);
  EXPECT_EQ(server.terminate(), 0);
  const auto opened = open_store({.store = store, .rules = {}, .read_only = true});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(violations(**opened), testing::IsEmpty());
}

/// The client library does by itself what the clients above do by hand.
TEST(ServerKill, TheClientLibraryEndsEveryCallWithADefiniteAnswer) {
  constexpr int kills = 10;
  TempDir dir;
  const std::string store = dir.file("holdfast.db");
  ServiceProcess server(store);
  auto client = connect({.url = "http://127.0.0.1:" + std::to_string(server.port()),
                         .attempts_max = 1'000,
                         .backoff_first = milliseconds(2),
                         .backoff_max = milliseconds(20)});
  ASSERT_TRUE(client) << client.error().message;
  std::atomic<bool> enough{false};
  std::vector<std::vector<Answer>> told(4);
  const auto placing = [](std::size_t thread, int i) {
    return Placing{.resource = "room_" + std::to_string(i % 10) + "_" + std::to_string(thread % 2),
                   .requester = "q" + std::to_string(i),
                   .duration = std::chrono::hours(1)};
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < told.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; !enough || i < 20; ++i) {
        const Reply reply = client->place(placing(thread, i));
        ASSERT_TRUE(reply) << reply.error().text();
        told[thread].push_back(*reply);
      }
    });
  }
  std::minstd_rand random(7);
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(milliseconds(20 + random() % 80));
    server.kill();
    server.start();
  }
  enough = true;
  for (std::thread& each : threads) each.join();
  for (std::size_t thread = 0; thread < told.size(); ++thread) {
    for (std::size_t i = 0; i < told[thread].size(); ++i) {
      const Answer& first = told[thread][i];
      const Reply again = client->place(placing(thread, static_cast<int>(i)), Token(first.token));
      ASSERT_TRUE(again) << again.error().text();
      EXPECT_TRUE(again->replayed);
      EXPECT_EQ(again->rejection, first.rejection);
      EXPECT_EQ(again->hold, first.hold);
    }
  }
  EXPECT_EQ(server.terminate(), 0);
  const auto opened = open_store({.store = store, .rules = {}, .read_only = true});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(violations(**opened), testing::IsEmpty());
}

/// A stop that is asked for finishes what was accepted.
TEST(ServerStop, UnderLoadAnswersEverythingThatWasAccepted) {
  TempDir dir;
  ServiceProcess server(dir.file("holdfast.db"));
  std::vector<RawConnection> connections;
  for (int i = 0; i < 50; ++i) {
    connections.emplace_back(server.port());
    const std::string number = std::to_string(i);
    ASSERT_TRUE(connections.back().send(
        request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-" + number}},
                     R"({"resource":"r)" + number + R"(","requester":"q","duration":60})")));
  }
  EXPECT_EQ(connections.front().read().value_or(Answered{}).status, 201);
  EXPECT_EQ(server.terminate(), 0);
  int answered = 1;
  for (std::size_t i = 1; i < connections.size(); ++i) {
    const auto answer = connections[i].read();
    if (!answer) continue;  // it had not been read yet
    EXPECT_EQ(answer->status, 201);
    ++answered;
  }
  server.start();
  int recorded = 0;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    RawConnection connection(server.port());
    ASSERT_TRUE(connection.send(request_text("GET", "/v1/tokens/k-" + std::to_string(i))));
    if (connection.read().value_or(Answered{}).status == 200) ++recorded;
  }
  EXPECT_EQ(answered, recorded) << "everybody is told of what was done, and of nothing else";
  EXPECT_EQ(server.terminate(), 0);
}

/// A machine may stand still. What was sent meanwhile came in time, whatever the clock says then.
TEST(ServerFrozen, RequestsThatCameMeanwhileAreAnswered) {
  TempDir dir;
  std::ofstream(dir.file("settings.toml")) << "[limits]\nidle_deadline = \"500ms\"\n";
  ServiceProcess server(dir.file("holdfast.db"), {"--config", dir.file("settings.toml")});
  std::vector<RawConnection> connections;
  for (int i = 0; i < 10; ++i) {
    connections.emplace_back(server.port());
    ASSERT_TRUE(connections.back().send(request_text("GET", "/livez")));
    ASSERT_EQ(connections.back().read().value_or(Answered{}).status, 200);
  }
  server.freeze();
  for (const RawConnection& connection : connections) {
    ASSERT_TRUE(connection.send(request_text("GET", "/livez")));
  }
  std::this_thread::sleep_for(milliseconds(900));
  server.thaw();
  for (RawConnection& connection : connections) {
    EXPECT_EQ(connection.read().value_or(Answered{}).status, 200);
  }
}

/// Each connection needs one; most systems give a process few unless it asks.
TEST(ServerStart, TakesAllFileDescriptorsItMayHave) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = std::min<rlim_t>(before.rlim_max, 200);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  TempDir dir;
  ServiceProcess server(dir.file("holdfast.db"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit its{};
  ASSERT_EQ(::prlimit(server.pid(), RLIMIT_NOFILE, nullptr, &its), 0);
  EXPECT_EQ(its.rlim_cur, its.rlim_max);
}

}  // namespace
}  // namespace holdfast::test
