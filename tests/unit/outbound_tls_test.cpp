#include <fmt/format.h>
#include <gtest/gtest.h>

#include "outbound/client.hpp"
#include "support/http/certificates.hpp"
#include "support/http/outbound_calls.hpp"
#include "support/servers/fake_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using outbound::Result;

class OutboundTls : public testing::Test {
 protected:
  /// What becomes of a call to a server with that certificate, if we trust `ca`.
  [[nodiscard]] static Result call(const Certificate& certificate, const std::string& ca,
                                   const std::string& host, int version_max = 0) {
    FakeServer server({answer(200, "a")}, make_server_tls(certificate, version_max));
    const auto client = local_client({.ca_file = ca});
    Result result = ask(*client, get(server.url(host)));
    EXPECT_EQ(server.seen().size(), result ? 1U : 0U);
    return result;
  }

  TempDir dir_;
  const Certificate good_ = make_certificate(dir_.file("good"));
  const Certificate other_ = make_certificate(dir_.file("other"));
};

TEST_F(OutboundTls, reaches_a_peer_that_is_who_it_should_be) {
  EXPECT_EQ(in_short(call(good_, good_.certificate, "localhost")), "200");
  EXPECT_EQ(in_short(call(good_, good_.certificate, "127.0.0.1")), "200");
  EXPECT_EQ(in_short(call(good_, good_.certificate, "localhost", TLS1_2_VERSION)), "200");
}

TEST_F(OutboundTls, keeps_connections) {
  FakeServer server({}, make_server_tls(good_));
  server.always(answer(200, std::string(100'000, 'x')));
  const auto client = local_client({.ca_file = good_.certificate});
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(in_short(ask(*client, post(server.url(), std::string(100'000, 'y')))), "200");
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(OutboundTls, tells_a_peer_nothing_that_is_somebody_else) {
  const Certificate elsewhere = make_certificate(dir_.file("e"), "DNS:elsewhere.test");
  const Result result = call(elsewhere, elsewhere.certificate, "localhost");
  EXPECT_EQ(in_short(result), "no tls");
  EXPECT_NE(result.error().text.find("ost"), std::string::npos) << result.error();
  EXPECT_EQ(in_short(call(elsewhere, elsewhere.certificate, "127.0.0.1")), "no tls");
  const Certificate wide = make_certificate(dir_.file("w"), "DNS:*");
  EXPECT_EQ(in_short(call(wide, wide.certificate, "localhost")), "no tls");
}

TEST_F(OutboundTls, tells_a_peer_nothing_whose_certificate_is_not_good) {
  const Certificate old = make_certificate(dir_.file("old"), "DNS:localhost", -1);
  const Result result = call(old, old.certificate, "localhost");
  EXPECT_EQ(in_short(result), "no tls");
  EXPECT_NE(result.error().text.find("expired"), std::string::npos) << result.error();
  EXPECT_EQ(in_short(call(good_, other_.certificate, "localhost")), "no tls");
  EXPECT_EQ(in_short(call(good_, "", "localhost")), "no tls") << "the system trusts others";
}

TEST_F(OutboundTls, tells_a_peer_nothing_that_speaks_an_old_version_or_none) {
  EXPECT_EQ(in_short(call(good_, good_.certificate, "localhost", TLS1_1_VERSION)), "no tls");
  FakeServer plain({answer(200, "a")});
  const auto client = local_client({.ca_file = good_.certificate});
  const std::string url = plain.url("localhost");
  outbound::Call call = get("https" + url.substr(4));
  call.limits.connect = std::chrono::milliseconds(300);
  EXPECT_EQ(in_short(ask(*client, call)), "no timeout") << "it waits for a line that never ends";
}

TEST_F(OutboundTls, takes_no_answer_that_may_have_been_cut) {
  const std::string unbounded = "HTTP/1.1 200 OK\r\n\r\nhalf of it";
  FakeServer server({blurt(unbounded)}, make_server_tls(good_));
  const auto client = local_client({.ca_file = good_.certificate});
  EXPECT_EQ(in_short(ask(*client, get(server.url("localhost")))), "maybe lost");
  FakeServer plain({blurt(unbounded)});
  EXPECT_EQ(in_short(ask(*client, get(plain.url()))), "200");
}

TEST_F(OutboundTls, loses_nothing_in_secret) {
  FakeServer server({answer(200, "a"), hang_up(), answer(200, "b")}, make_server_tls(good_));
  const auto client = local_client({.ca_file = good_.certificate});
  EXPECT_EQ(in_short(ask(*client, get(server.url("localhost")))), "200");
  EXPECT_EQ(in_short(ask(*client, get(server.url("localhost")))), "maybe lost");
  EXPECT_EQ(server.seen().size(), 2U);
}

}  // namespace
}  // namespace holdfast::test
