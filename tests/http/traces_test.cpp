// Traces (W3C Trace Context), from the call of a client to the call of a provider and into the log.

#include <sstream>

#include "http/commands_service.hpp"
#include "support/servers/scripted_provider.hpp"

namespace holdfast::test {
namespace {

constexpr const char* a_trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr const char* another_trace = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

class Traces : public CommandsService {
 protected:
  void begin(http::Settings settings = {}) {
    declare(fmt::format(R"(
[[command]]
entity = "payment"
action = "charge"
class = "I3"
[command.effect]
kind = "push"
shield = "S1"
provider = "acquirer"
url = "{}/charges"
key_header = "Idempotency-Key"
)",
                        provider_.url()));
    settings.registry = registry_file();
    settings.outbound.allow = "127.0.0.1";
    start(std::move(settings));
  }
  void charge(const std::string& key, const Headers& more) const {
    EXPECT_EQ(submit(key, envelope("payment.charge"), more).status, 202) << key;
  }

  ScriptedProvider provider_;
};

TEST_F(Traces, GoFromTheCallToTheProviderAndTheLog) {
  http::Settings settings;
  settings.log_level = http::LogLevel::info;
  settings.log_requests = true;
  begin(settings);
  charge("good-1", {{"traceparent", a_trace}});
  provider_.wait_for_calls(1);
  EXPECT_EQ(provider_.seen().at(0).headers.at("traceparent"), a_trace);
  const std::string said = fmt::format(R"("traceparent":"{}")", a_trace);
  EXPECT_TRUE(
      eventually([&] { return logged().find(R"("message":"attempt")") != std::string::npos; }));
  std::istringstream lines(logged());
  int requests = 0;
  int attempts_logged = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(said) == std::string::npos) continue;
    requests += line.find("/v1/commands") != std::string::npos ? 1 : 0;
    attempts_logged += line.find(R"("command":"payment.charge")") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(requests, 1) << logged();
  EXPECT_EQ(attempts_logged, 1) << logged();
  // A retry is part of another trace, and is the same command all the same.
  const Answered again =
      submit("good-1", envelope("payment.charge"), {{"traceparent", another_trace}});
  EXPECT_EQ(again.header("idempotent-replayed"), "true") << again.body;
  EXPECT_EQ(Json(again.body).text("/correlation_id"), a_trace);
  EXPECT_EQ(provider_.calls("good-1"), 1);
}

TEST_F(Traces, ThatAreNoneGoNowhere) {
  begin();
  const std::string tied = R"({"intent":{"entity":"payment","action":"charge"},)"
                           R"("correlation_id":"order-4711"})";
  EXPECT_EQ(submit("good-1", tied, {{"traceparent", a_trace}}).status, 202);
  charge("good-2", {{"traceparent", "not-a-trace"}});
  charge("good-3", {{"traceparent", a_trace}, {"traceparent", another_trace}});
  provider_.wait_for_calls(3);
  for (const auto& each : provider_.seen())
    EXPECT_FALSE(each.headers.contains("traceparent")) << each.headers.at("idempotency-key");
  EXPECT_EQ(Json(get("/v1/commands?key=good-1").body).text("/items/0/correlation_id"),
            "order-4711");
}

}  // namespace
}  // namespace holdfast::test
