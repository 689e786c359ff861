#include "outbound/client.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "support/http/outbound_calls.hpp"
#include "support/servers/fake_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using outbound::Call;
using outbound::Reached;
using outbound::Result;
using outbound::What;

/// Waits until it is so; false if that takes too long.
bool becomes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(5ms);
  return condition();
}

TEST(OutboundClient, brings_the_answer) {
  const FakeServer server({answer(201, "made", "X-Id: 7\r\n")});
  const auto client = local_client();
  Call call = post(server.url() + "/orders?x=1", "{}");
  call.headers = {{"Content-Type", "application/json"}};
  const Result result = ask(*client, call);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->status, 201);
  EXPECT_EQ(result->body, "made");
  EXPECT_EQ(find_header(result->headers, "x-id"), "7");
  ASSERT_EQ(server.seen().size(), 1U);
  const Seen seen = server.seen().front();
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/orders?x=1");
  EXPECT_EQ(seen.body, "{}");
  EXPECT_EQ(seen.header("host"), server.url().substr(7));
  EXPECT_EQ(seen.header("accept-encoding"), "identity");
  EXPECT_EQ(seen.header("content-type"), "application/json");
}

TEST(OutboundClient, keeps_connections) {
  FakeServer server;
  server.always(answer(200, "a"));
  const auto client = local_client();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(in_short(ask(*client, get(server.url()))), "200");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(OutboundClient, keeps_no_connection_longer_than_it_may) {
  FakeServer server;
  server.always(answer(200, "a"));
  const auto client = local_client({.idle_max = Duration(1)});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(in_short(ask(*client, get(server.url()))), "200");
  EXPECT_EQ(server.connections(), 3U);
  FakeServer hasty;
  hasty.always(answer(200, "a", "Keep-Alive: timeout=1, max=5\r\n"));
  const auto patient = local_client();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(in_short(ask(*patient, get(hasty.url()))), "200");
  EXPECT_EQ(hasty.connections(), 3U) << "a second less than the peer says";
}

TEST(OutboundClient, keeps_no_connection_that_the_peer_gives_up) {
  ServerStep last = answer(200, "a", "Connection: close\r\n");
  ServerStep old{
      .bytes = [](const Seen&) { return "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na"; }};
  FakeServer server({last, old, answer(200, "b")});
  const auto client = local_client();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(in_short(ask(*client, get(server.url()))), "200");
  EXPECT_EQ(server.connections(), 3U);
}

TEST(OutboundClient, notices_that_the_peer_has_closed_a_kept_connection) {
  ServerStep closes = answer(200, "a");
  closes.then = ServerStep::Then::close;
  FakeServer server;
  server.always(closes);
  const auto client = local_client();
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(in_short(ask(*client, get(server.url()))), "200");
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(server.seen().size(), 10U);
}

TEST(OutboundClient, gives_nobody_the_second_answer_to_one_request) {
  const std::string once = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";
  FakeServer server(
      {{.bytes = [=](const Seen&) { return once + "a" + once + "x"; }}, answer(200, "b")});
  const auto client = local_client();
  EXPECT_EQ(ask(*client, get(server.url()))->body, "a");
  EXPECT_EQ(ask(*client, get(server.url()))->body, "b");
  EXPECT_EQ(server.connections(), 2U);
}

TEST(OutboundClient, reads_a_large_body_whole) {
  const std::string body(1'000'000, 'x');
  FakeServer server;
  server.always(answer(200, body));
  const auto client = local_client();
  EXPECT_EQ(ask(*client, get(server.url()))->body, body);
  EXPECT_EQ(ask(*client, post(server.url(), body))->body, body);
  EXPECT_EQ(server.seen().back().body, body);
}

TEST(OutboundClient, makes_many_calls_at_once) {
  constexpr int calls = 10'000;
  constexpr int in_flight = 64;
  FakeServer server;
  server.always({.bytes = [](const Seen& seen) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", seen.target.size(),
                       seen.target);
  }});
  const auto client = local_client();
  std::atomic<int> begun{0};
  std::atomic<int> good{0};
  std::latch all_done(calls);
  std::function<void()> next = [&] {
    const int number = begun++;
    if (number >= calls) return;
    const std::string target = fmt::format("/{}", number);
    client->send(get(server.url() + target), [&, target](const Result& result) {
      if (result && result->body == target) ++good;
      next();
      all_done.count_down();
    });
  };
  for (int i = 0; i < in_flight; ++i) next();
  all_done.wait();
  client->stop();
  EXPECT_EQ(good, calls);
  EXPECT_EQ(server.seen().size(), static_cast<std::size_t>(calls));
  EXPECT_LE(server.connections(), static_cast<std::size_t>(in_flight));
}

TEST(OutboundClient, lets_calls_wait_in_line) {
  FakeServer server;
  server.always(answer(200, "a"));
  const auto client = local_client({.connections_per_origin_max = 2});
  std::latch all_done(100);
  std::atomic<int> good{0};
  for (int i = 0; i < 100; ++i) {
    client->send(get(server.url()), [&](const Result& result) {
      if (result) ++good;
      all_done.count_down();
    });
  }
  all_done.wait();
  EXPECT_EQ(good, 100);
  EXPECT_LE(server.connections(), 2U);
}

TEST(OutboundClient, lets_a_slow_origin_hold_up_no_other) {
  FakeServer slow;
  slow.always(hang());
  FakeServer quick;
  quick.always(answer(200, "a"));
  const auto client = local_client({.connections_max = 4, .connections_per_origin_max = 2});
  for (int i = 0; i < 10; ++i) client->send(get(slow.url()), [](const Result&) {});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(in_short(ask(*client, get(quick.url()))), "200");
}

TEST(OutboundClient, closes_a_kept_connection_to_make_room_for_another) {
  const auto client = local_client({.connections_max = 1});
  for (int i = 0; i < 3; ++i) {
    FakeServer server({answer(200, "a"), answer(200, "b")});
    EXPECT_EQ(in_short(ask(*client, get(server.url()))), "200");
    EXPECT_EQ(in_short(ask(*client, get(server.url()))), "200");
    EXPECT_EQ(server.connections(), 1U);
  }
}

TEST(OutboundClient, turns_calls_away_when_too_many_wait) {
  FakeServer server;
  server.always(hang());
  const auto client = local_client({.connections_max = 1, .waiting_max = 1});
  std::atomic<int> closed{0};
  const auto count = [&](const Result& result) {
    if (!result && result.error().what == What::closed) ++closed;
  };
  client->send(get(server.url()), count);
  client->send(get(server.url()), count);
  EXPECT_EQ(in_short(ask(*client, get(server.url()))), "no full");
  client->stop();
  EXPECT_EQ(closed, 2);
}

TEST(OutboundClient, ends_everything_when_it_is_stopped) {
  FakeServer server;
  server.always(hang());
  const auto client = local_client({.connections_max = 3});
  std::vector<std::string> ends;  // touched by the client's thread only, until it has stopped
  for (int i = 0; i < 5; ++i)
    client->send(get(server.url()), [&](const Result& each) { ends.push_back(in_short(each)); });
  ASSERT_TRUE(becomes_true([&] { return server.seen().size() == 3; }));
  client->stop();
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (std::vector<std::string>{"maybe closed", "maybe closed", "maybe closed",
                                            "no closed", "no closed"}));
  EXPECT_EQ(in_short(ask(*client, get(server.url()))), "no closed");
  client->stop();
}

TEST(OutboundClient, can_be_stopped_by_whoever_is_told) {
  FakeServer server({answer(200, "a")});
  server.always(hang());
  const auto client = local_client();
  std::latch both(2);
  client->send(get(server.url()), [&](const Result&) {
    client->send(get(server.url()), [&](const Result& result) {
      EXPECT_EQ(in_short(result).substr(result.error().reached == Reached::no ? 3 : 6), "closed");
      both.count_down();
    });
    client->stop();
    both.count_down();
  });
  both.wait();
}

TEST(OutboundClient, may_be_used_by_many_threads) {
  FakeServer server;
  server.always(answer(200, "a"));
  auto client = local_client({.connections_per_origin_max = 4});
  std::atomic<int> told{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 100; ++j) client->send(get(server.url()), [&](const Result&) { ++told; });
    });
  }
  for (std::thread& each : threads) each.join();
  client.reset();
  EXPECT_EQ(told, 400) << "whatever became of them";
}

TEST(OutboundClient, says_which_option_it_cannot_use) {
  EXPECT_FALSE(outbound::Client::make({.allowed = {"a b"}}));
  EXPECT_FALSE(outbound::Client::make({.ca_file = "/nowhere.pem"}));
  EXPECT_FALSE(outbound::Client::make({.connections_max = 0}));
  EXPECT_FALSE(outbound::Client::make({.idle_max = Duration::max()}));
  EXPECT_FALSE(outbound::Client::make({.header_bytes_max = 65'536}));
}

}  // namespace
}  // namespace holdfast::test
