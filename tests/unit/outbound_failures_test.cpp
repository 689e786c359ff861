#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "outbound/client.hpp"
#include "support/http/outbound_calls.hpp"
#include "support/servers/fake_server.hpp"

// Whatever happens: is it right what the failure says of the request?

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using outbound::Call;
using outbound::Result;

/// What becomes of one call to a server that does this.
std::string after(const ServerStep& step, const outbound::Limits& limits = {.total = 10s}) {
  const FakeServer server({step});
  const auto client = local_client();
  Call call = post(server.url(), "{}");
  call.limits = limits;
  return in_short(ask(*client, call));
}

/// A port of this machine where nobody listens.
std::string deserted_url() {
  return LoopbackListener([](int) {}).url();
}

outbound::Lookup finds(const std::vector<std::string>& addresses) {
  return [=](const std::string&) { return addresses; };
}

TEST(OutboundFailures, before_a_connection_have_reached_nobody) {
  const auto client = local_client();
  EXPECT_EQ(in_short(ask(*client, get(deserted_url()))), "no connect");
  EXPECT_EQ(in_short(ask(*client, get("http://h.invalid/"))), "no resolve");
  EXPECT_EQ(in_short(ask(*client, get("ftp://h/"))), "no bad-call");
  Call injected = get(deserted_url());
  injected.headers = {{"X-Name", "a\r\nHost: other"}};
  EXPECT_EQ(in_short(ask(*client, injected)), "no bad-call");
}

TEST(OutboundFailures, after_the_request_may_have_reached_somebody) {
  EXPECT_EQ(after(hang_up()), "maybe lost");
  EXPECT_EQ(after(hang(), {.total = 200ms}), "maybe timeout");
  EXPECT_EQ(after(blurt("garbage, not HTTP\r\n\r\n")), "maybe broken");
  EXPECT_EQ(after(blurt("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell")), "maybe lost");
  EXPECT_EQ(after(blurt("HTTP/1.1 200 OK\r\nContent-Le")), "maybe lost");
  EXPECT_EQ(after(answer(200, "", "X: " + std::string(70'000, 'a') + "\r\n")), "maybe too-large");
  EXPECT_EQ(after(answer(200, "12345"), {.response_bytes_max = 4}), "maybe too-large");
  EXPECT_EQ(after(answer(200, "1234"), {.response_bytes_max = 4}), "200");
}

TEST(OutboundFailures, of_a_peer_that_closes_unread_are_of_either_kind) {
  // It depends on who is faster. Nothing else may come of it.
  const std::string end = after(refuse());
  EXPECT_TRUE(end == "maybe lost" || end == "no lost") << end;
}

TEST(OutboundFailures, come_in_time_even_if_bytes_do_all_the_time) {
  const auto before = std::chrono::steady_clock::now();
  const std::string slow =
      "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + std::string(9000, 'a');
  EXPECT_EQ(after(trickle(slow, 2ms), {.total = 300ms}), "maybe timeout");
  EXPECT_EQ(after(trickle("HTTP/1.1 200 OK\r\nX: " + slow, 2ms), {.total = 300ms}),
            "maybe timeout");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

TEST(OutboundFailures, of_calls_that_waited_have_reached_nobody) {
  FakeServer server;
  server.always(hang());
  const auto client = local_client({.connections_max = 1});
  client->send(get(server.url()), [](const Result&) {});
  Call call = get(server.url());
  call.limits.total = 100ms;
  EXPECT_EQ(in_short(ask(*client, call)), "no timeout");
}

/// Listens and accepts nothing; what it may keep waiting is there already.
class FullListener {
 public:
  FullListener() {
    socklen_t size = sizeof address_;
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listener = add_socket(0);
    EXPECT_EQ(::bind(listener, generic(), size), 0);
    EXPECT_EQ(::listen(listener, 0), 0);
    EXPECT_EQ(::getsockname(listener, generic(), &size), 0);
    for (int i = 0; i < 4; ++i) (void)::connect(add_socket(SOCK_NONBLOCK), generic(), size);
  }
  ~FullListener() {
    for (const int each : sockets_) ::close(each);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

  [[nodiscard]] std::string url() const {
    return fmt::format("http://127.0.0.1:{}/", ntohs(address_.sin_port));
  }

 private:
  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address_); }
  int add_socket(int flags) {
    sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    return sockets_.back();
  }

  sockaddr_in address_{};
  std::vector<int> sockets_;
};

TEST(OutboundFailures, of_a_peer_that_accepts_no_more_have_reached_nobody) {
  const FullListener peer;
  const auto client = local_client();
  Call call = get(peer.url());
  call.limits.connect = 200ms;
  EXPECT_EQ(in_short(ask(*client, call)), "no timeout");
  call.limits = {.connect = 10s, .total = 200ms};
  EXPECT_EQ(in_short(ask(*client, call)), "no timeout");
}

TEST(OutboundFailures, of_a_lookup_that_takes_too_long_have_reached_nobody) {
  std::latch over(1);
  outbound::Options options;
  options.lookup = [&](const std::string&) {
    over.wait();
    return std::vector<std::string>{"127.0.0.1"};
  };
  const auto client = local_client(std::move(options));
  Call call = get("http://slow.test/");
  call.limits.connect = 100ms;
  EXPECT_EQ(in_short(ask(*client, call)), "no timeout");
  call.limits = {.connect = 10s, .total = 100ms};
  EXPECT_EQ(in_short(ask(*client, call)), "no timeout");
  over.count_down();
}

TEST(OutboundFailures, of_a_kept_connection_that_is_lost_are_not_made_good_in_secret) {
  const FakeServer server({answer(200, "a"), hang_up(), answer(200, "b")});
  const auto client = local_client();
  EXPECT_EQ(in_short(ask(*client, get(server.url()))), "200");
  EXPECT_EQ(in_short(ask(*client, get(server.url()))), "maybe lost");
  EXPECT_EQ(server.seen().size(), 2U);
}

TEST(OutboundFailures, are_not_told_if_the_answer_came_before_the_whole_request) {
  LoopbackListener server([](int socket) {
    char byte = 0;
    (void)::recv(socket, &byte, 1, 0);
    constexpr std::string_view bytes =
        "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    (void)::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  });
  const auto client = local_client();
  EXPECT_EQ(in_short(ask(*client, post(server.url(), std::string(30'000'000, 'x')))), "413");
}

TEST(OutboundPolicy, refuses_this_machine_however_it_is_called) {
  FakeServer server;
  server.always(answer(200, "secret"));
  const auto client = strict_client();
  const std::string port = server.url().substr(server.url().rfind(':'));
  for (const char* host : {"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
                           "[::]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"}) {
    EXPECT_EQ(in_short(ask(*client, get(fmt::format("http://{}{}/", host, port)))),
              "no refused-address")
        << host;
  }
  EXPECT_EQ(server.connections(), 0U);
}

TEST(OutboundPolicy, looks_at_the_addresses_that_a_name_has) {
  FakeServer server;
  server.always(answer(200, "a"));
  const std::string url = server.url("shop.test");
  const auto with = [&](const std::vector<std::string>& addresses,
                        const std::vector<std::string>& allowed) {
    const auto client = strict_client({.allowed = allowed, .lookup = finds(addresses)});
    return in_short(ask(*client, get(url)));
  };
  EXPECT_EQ(with({"127.0.0.1"}, {}), "no refused-address");
  EXPECT_EQ(with({"10.0.0.1", "169.254.169.254"}, {}), "no refused-address");
  EXPECT_EQ(with({}, {}), "no resolve");
  EXPECT_EQ(with({"nonsense"}, {}), "no resolve");
  EXPECT_EQ(with({"127.0.0.1"}, {"shop.test"}), "200");
  EXPECT_EQ(with({"127.0.0.1"}, {"127.0.0.1"}), "200");
  EXPECT_EQ(with({"10.0.0.1", "127.0.0.1"}, {"127.0.0.1"}), "200") << "the one that is allowed";
  EXPECT_EQ(with({"127.0.0.9", "127.0.0.1"}, {"shop.test"}), "200") << "the next that answers";
  EXPECT_EQ(server.seen().front().header("host"), url.substr(7));
}

TEST(OutboundPolicy, looks_a_name_up_once_for_each_connection) {
  FakeServer server({answer(200, "a", "Connection: close\r\n"), answer(200, "b")});
  int lookups = 0;
  outbound::Options options{.allowed = {"127.0.0.1"}};
  options.lookup = [&](const std::string&) {
    return std::vector<std::string>{lookups++ == 0 ? "127.0.0.1" : "10.0.0.1"};
  };
  const auto client = strict_client(std::move(options));
  EXPECT_EQ(in_short(ask(*client, get(server.url("shop.test")))), "200");
  EXPECT_EQ(in_short(ask(*client, get(server.url("shop.test")))), "no refused-address");
}

Call follows(const std::string& url, int redirects_max = 5) {
  Call call = get(url);
  call.limits.redirects_max = redirects_max;
  return call;
}

ServerStep redirects(const std::string& to) { return answer(307, "", "Location: " + to + "\r\n"); }

TEST(OutboundRedirection, happens_only_if_it_is_wanted) {
  FakeServer server({redirects("/b"), redirects("/b"), answer(200, "b")});
  const auto client = local_client();
  EXPECT_EQ(in_short(ask(*client, get(server.url()))), "307");
  EXPECT_EQ(in_short(ask(*client, follows(server.url()))), "200");
  EXPECT_EQ(server.seen().back().target, "/b");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(OutboundRedirection, ends) {
  const auto client = local_client();
  FakeServer circle({redirects("/b"), redirects("/a"), redirects("/b")});
  EXPECT_EQ(in_short(ask(*client, follows(circle.url() + "/a"))), "maybe redirect");
  EXPECT_EQ(circle.seen().size(), 2U);
  FakeServer far({redirects("/b"), redirects("/c"), redirects("/d")});
  EXPECT_EQ(in_short(ask(*client, follows(far.url() + "/a", 2))), "maybe redirect");
  EXPECT_EQ(far.seen().size(), 3U);
}

TEST(OutboundRedirection, leads_to_no_address_that_is_refused) {
  FakeServer inner;
  inner.always(answer(200, "secret"));
  FakeServer outer;
  outer.always(redirects(inner.url("127.0.0.2")));
  const auto client = strict_client({.allowed = {"127.0.0.1"}});
  EXPECT_EQ(in_short(ask(*client, follows(outer.url()))), "maybe refused-address")
      << "the first peer has seen the request";
  EXPECT_EQ(inner.connections(), 0U);
}

TEST(OutboundRedirection, tells_other_origins_no_secrets) {
  FakeServer second({answer(200, "b")});
  FakeServer first({redirects(second.url())});
  const auto client = local_client();
  Call call = follows(first.url());
  call.method = "POST";
  call.body = "{}";
  call.headers = {{"Authorization", "Bearer x"}, {"X-Key", "y", true}, {"X-Plain", "z"}};
  EXPECT_EQ(in_short(ask(*client, call)), "200");
  EXPECT_EQ(first.seen().at(0).header("authorization"), "Bearer x");
  const Seen seen = second.seen().at(0);
  EXPECT_EQ(seen.header("authorization") + seen.header("x-key"), "");
  EXPECT_EQ(seen.header("x-plain"), "z");
  EXPECT_EQ(seen.method + seen.body, "POST{}");
  EXPECT_EQ(seen.header("host"), second.url().substr(7));
}

}  // namespace
}  // namespace holdfast::test
