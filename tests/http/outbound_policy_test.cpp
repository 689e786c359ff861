// What a registry has the service call: nobody on this machine or beside it, unless the
// configuration allows it, and never as anybody else wants it.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "signatures/sign.hpp"
#include "support/http/http_server.hpp"
#include "support/servers/fake_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

constexpr std::string_view secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

class OutboundPolicyOverHttp : public HttpTest {
 protected:
  void begin(const std::string& url, const std::string& allow) {
    stop();
    std::ofstream(dir_.file("registry.toml")) << fmt::format(R"(
[[command]]
entity = "card"
action = "charge"
class = "I3"
[command.effect]
kind = "push"
shield = "S1"
provider = "cards"
url = "{0}/charges"
headers = {{ X-Note = "{{args.note}}" }}
attempts = 2
backoff = "1ms"
backoff_max = "2ms"

[[webhook]]
name = "mirror"
scheme = "standard"
secrets = ["SENDER"]
forward = "{0}/webhooks"
attempts = 2
backoff = "1ms"
backoff_max = "2ms"
)",
                                                             url);
    using std::filesystem::perms;
    std::ofstream(dir_.file("secrets")) << "SENDER=" << secret << "\n";
    std::filesystem::permissions(dir_.file("secrets"), perms::owner_read | perms::owner_write);
    http::Settings settings;
    settings.registry = dir_.file("registry.toml");
    settings.secrets = dir_.file("secrets");
    settings.outbound.allow = allow;
    settings.store = dir_.file(fmt::format("{}.db", ++stores_));
    start(settings);
  }

  /// The address of the command, or of the entry that was taken in.
  std::string charge(const std::string& note = "n") {
    const Answered accepted = call(
        "POST", "/v1/commands", {{"Idempotency-Key", fmt::format("k{}", ++keys_)}},
        fmt::format(R"({{"intent":{{"entity":"card","action":"charge"}},"args":{{"note":"{}"}}}})",
                    note));
    EXPECT_EQ(accepted.status, 202) << accepted.body;
    return "/v1/commands/" + Json(accepted.body).text("/command_id");
  }
  std::string send() const {
    const std::array secrets{*signatures::Secret::standard(secret)};
    const auto made = signatures::sign_standard(secrets, "evt_1", clock_->now(), "{}");
    const Answered taken = call("POST", "/v1/webhooks/mirror",
                                {{"webhook-id", made->id},
                                 {"webhook-timestamp", made->timestamp},
                                 {"webhook-signature", made->signature},
                                 {"Content-Type", "text/plain; note=\"\xc3\xa9\""}},
                                "{}");
    EXPECT_EQ(taken.status, 200) << taken.body;
    return "/v1/inbox/" + Json(taken.body).text("/id");
  }
  /// What is at that address once it stands so; its pauses pass meanwhile.
  std::string ended(const std::string& address, const std::string& status) {
    std::string body;
    EXPECT_TRUE(eventually([&] {
      clock_->advance(std::chrono::milliseconds(1));
      body = get(address).body;
      return Json(body).text("/status") == status;
    })) << body;
    return body;
  }

 private:
  int stores_ = 0;
  int keys_ = 0;
};

TEST_F(OutboundPolicyOverHttp, CallsNothingOnThisMachineUnlessThatIsAllowed) {
  FakeServer inside;
  inside.always(answer(200, R"({"charge":"ch_1"})"));
  const std::string port = inside.url().substr(inside.url().rfind(':'));
  for (const char* host :
       {"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "127.1.2.3"}) {
    begin("http://" + std::string(host) + port, "");
    EXPECT_THAT(ended(charge(), "failed"), HasSubstr("address policy")) << host;
    EXPECT_THAT(ended(send(), "dead"), HasSubstr("address policy")) << host;
  }
  EXPECT_EQ(inside.connections(), 0U);
  begin(inside.url(), "127.0.0.1");
  ended(charge(), "executed");
  ended(send(), "done");
  EXPECT_EQ(inside.seen().size(), 2U);
}

TEST_F(OutboundPolicyOverHttp, IsNotLedAroundByARedirect) {
  FakeServer inside;
  inside.always(answer(200, "secret"));
  FakeServer outside;
  outside.always(answer(307, "", "Location: " + inside.url("127.0.0.2") + "\r\n"));
  begin(outside.url(), "127.0.0.1");
  ended(charge(), "failed");
  ended(send(), "dead");
  EXPECT_EQ(inside.connections(), 0U);
}

TEST_F(OutboundPolicyOverHttp, SendsNoHeaderThatAnArgumentMakes) {
  FakeServer provider;
  provider.always(answer(200, "{}"));
  begin(provider.url(), "127.0.0.1");
  EXPECT_THAT(ended(charge(R"(a\r\nX-Evil: 1)"), "failed"), HasSubstr("control character"));
  EXPECT_TRUE(provider.seen().empty());
  ended(charge("plain"), "executed");
  EXPECT_EQ(provider.seen().at(0).header("x-note"), "plain");
}

}  // namespace
}  // namespace holdfast::test
