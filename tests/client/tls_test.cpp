#include <fmt/format.h>

#include "client/fixture.hpp"
#include "support/http/certificates.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class OverTls : public HttpTest {
 protected:
  void start_tls(const std::string& client_ca = {}) {
    http::Settings settings;
    settings.tls = {.certificate = ours_.certificate, .key = ours_.key, .client_ca = client_ca};
    start(settings);
  }
  [[nodiscard]] ClientOptions trusting(const std::string& host) const {
    return {.url = fmt::format("https://{}:{}", host, port()),
            .attempts_max = 3,
            .ca_file = ours_.certificate,
            .pace = pace_};
  }
  [[nodiscard]] static Reply ask(ClientOptions options) {
    auto client = holdfast::connect(std::move(options));
    EXPECT_TRUE(client) << client.error().message;
    return client->place(stay);
  }

  const Certificate ours_ = make_certificate(dir_.file("ours"));
  const Certificate others_ = make_certificate(dir_.file("others"));
  const std::shared_ptr<SimulatedPace> pace_ = std::make_shared<SimulatedPace>();
};

TEST_F(OverTls, TalksToAServerItTrusts) {
  start_tls();
  auto client = holdfast::connect(trusting("localhost"));
  ASSERT_TRUE(client);
  EXPECT_THAT(client->place(stay), is_done());
  EXPECT_THAT(client->declare("r", 2), is_done()) << "on the same connection";
  EXPECT_THAT(ask(trusting("127.0.0.1")), testing::Not(is_unknown())) << "an address is a name";
}

TEST_F(OverTls, TellsNothingToAServerItDoesNotTrust) {
  start_tls();
  ClientOptions careful = trusting("localhost");
  careful.ca_file = others_.certificate;
  const Reply reply = ask(careful);
  ASSERT_THAT(reply, is_refused(0, "unreachable"));
  EXPECT_EQ(reply.error().attempts, 1U) << "it will not be trusted the next time either";
  EXPECT_THAT(reply.error().text(), HasSubstr("certificate verify failed"));
  careful.ca_file.clear();
  EXPECT_THAT(ask(careful), is_refused(0, "unreachable"));
}

TEST_F(OverTls, TellsNothingToAServerOfAnotherName) {
  http::Settings settings;
  const Certificate elsewhere = make_certificate(dir_.file("elsewhere"), "DNS:elsewhere.test");
  settings.tls.certificate = elsewhere.certificate;
  settings.tls.key = elsewhere.key;
  start(settings);
  ClientOptions options = trusting("localhost");
  options.ca_file = elsewhere.certificate;
  EXPECT_THAT(ask(options), is_refused(0, "unreachable"));
}

TEST_F(OverTls, TellsNothingToAServerWithoutTls) {
  start();
  EXPECT_THAT(ask(trusting("localhost")), is_refused(0, "unreachable"));
}

TEST_F(OverTls, ShowsItsCertificateWhenAsked) {
  start_tls(others_.certificate);
  ClientOptions known = trusting("localhost");
  known.certificate_file = others_.certificate;
  known.certificate_key_file = others_.key;
  EXPECT_THAT(ask(known), is_done());
  known.certificate_file = ours_.certificate;
  known.certificate_key_file = ours_.key;
  // Whoever is not told why, because the connection broke first, does not know what became of it.
  for (const ClientOptions& unknown : {known, trusting("localhost")}) {
    const Reply reply = ask(unknown);
    ASSERT_FALSE(reply) << "not one the server knows";
    if (reply.error().text().find("alert") != std::string::npos) {
      EXPECT_THAT(reply, is_refused(0, "unreachable"));
      EXPECT_EQ(reply.error().attempts, 1U);
    }
  }
  EXPECT_FALSE(holdfast::connect([&] {
    ClientOptions mixed = known;
    mixed.certificate_file = others_.certificate;
    return mixed;
  }()))
      << "a certificate and a key that do not belong together";
}

}  // namespace
}  // namespace holdfast::test
