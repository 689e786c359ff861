// What metrics and the log say of effects, of providers, and of events that are sent.

#include "http/commands_service.hpp"
#include "support/servers/scripted_provider.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Watching : public CommandsService {
 protected:
  /// Beside what workers do, `payment.charge` calls a provider, at most twice.
  void begin(http::Settings settings = {}) {
    declare(std::string(declared_commands) + fmt::format(R"(
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
attempts = 2
backoff = "1ms"
backoff_max = "1ms"

[[provider]]
name = "acquirer"
circuit_failures = 2
circuit_pause = "1h"
)",
                                                         provider_.url()));
    settings.registry = registry_file();
    settings.outbound.allow = "127.0.0.1";
    start(std::move(settings));
  }

  void charge(const std::string& key) const {
    EXPECT_EQ(submit(key, envelope("payment.charge")).status, 202) << key;
  }
  [[nodiscard]] std::string metrics() const { return get("/metrics").body; }
  void expect_soon(const std::string& line) const {
    EXPECT_TRUE(eventually([&] { return metrics().find("\n" + line + "\n") != std::string::npos; }))
        << line << "\n"
        << metrics();
  }
  [[nodiscard]] static std::string attempts(const std::string& labels, int count) {
    return fmt::format("holdfast_effect_attempts_total{{{}}} {}", labels, count);
  }
  [[nodiscard]] static std::string dead(const std::string& labels, int count) {
    return fmt::format("holdfast_effects_dead_total{{{}}} {}", labels, count);
  }

  ScriptedProvider provider_{[](const std::string& key, int) {
    if (key.starts_with("bad")) return Trouble::refuses;
    if (key.starts_with("slow")) return Trouble::hangs;
    return key.starts_with("ill") ? Trouble::fails_before : Trouble::none;
  }};
};

TEST_F(Watching, CountsAttemptsByCommandProviderAndOutcome) {
  begin();
  const std::string names = R"(command="payment.charge",provider="acquirer")";
  expect_soon(R"(holdfast_provider_circuit{provider="acquirer",state="closed"} 1)");
  charge("good-1");
  charge("good-2");
  charge("bad-1");
  expect_soon(attempts(names + R"(,stage="call",outcome="done")", 2));
  expect_soon(attempts(names + R"(,stage="call",outcome="refused")", 1));
  expect_soon(dead(names, 1));
  expect_soon(R"(holdfast_effect_seconds_count{provider="acquirer"} 3)");
  EXPECT_THAT(metrics(), HasSubstr(R"(holdfast_effect_seconds_bucket{provider="acquirer",le=")"));
  expect_soon(R"(holdfast_effects_in_flight{provider="acquirer"} 0)");
}

TEST_F(Watching, SaysHowManyCallsAreUnderWay) {
  begin();
  charge("slow-1");
  charge("slow-2");
  provider_.wait_for_calls(2);
  expect_soon(R"(holdfast_effects_in_flight{provider="acquirer"} 2)");
  provider_.release();
  expect_soon(R"(holdfast_effects_in_flight{provider="acquirer"} 0)");
}

TEST_F(Watching, SaysThatACircuitIsOpen) {
  begin();
  charge("ill-1");
  charge("ill-2");
  expect_soon(R"(holdfast_provider_circuit{provider="acquirer",state="open"} 1)");
  EXPECT_THAT(metrics(),
              HasSubstr(R"(holdfast_provider_circuit{provider="acquirer",state="closed"} 0)"));
  expect_soon(R"(holdfast_effects_waiting{provider="acquirer",for="dispatcher"} 2)");
}

TEST_F(Watching, CountsWhatWorkersDoAndWhatWaitsForThem) {
  begin();
  const std::string names = R"(command="parcel.ship",provider="warehouse")";
  const std::string waiting = R"(holdfast_effects_waiting{provider="warehouse",for="worker"} )";
  std::vector<std::string> ids;
  for (const char* key : {"k-1", "k-2", "k-3", "k-4"}) {
    ids.push_back(Json(ship(key).body).text("/command_id"));
    clock_->advance(std::chrono::milliseconds(1));
  }
  expect_soon(waiting + "4");
  for (int i = 0; i < 4; ++i) ASSERT_EQ(lease(fmt::format("w-{}", i), "warehouse").status, 200);
  EXPECT_THAT(metrics(), Not(HasSubstr(waiting)));
  ASSERT_EQ(on_effect("r-1", ids[0], "complete", R"({"fence":1})").status, 200);
  ASSERT_EQ(on_effect("r-2", ids[1], "fail", R"({"fence":1,"verdict":"refused"})").status, 200);
  ASSERT_EQ(on_effect("r-2", ids[1], "fail", R"({"fence":1,"verdict":"refused"})").status, 200);
  ASSERT_EQ(on_effect("r-3", ids[2], "fail", R"({"fence":1})").status, 200);
  EXPECT_THAT(metrics(),
              AllOf(HasSubstr(attempts(names + R"(,stage="call",outcome="done")", 1)),
                    HasSubstr(attempts(names + R"(,stage="call",outcome="refused")", 1)),
                    HasSubstr(attempts(names + R"(,stage="call",outcome="retry")", 1)),
                    HasSubstr(waiting + "1\n"), HasSubstr(dead(names, 1)),
                    HasSubstr(R"(holdfast_effect_seconds_count{provider="warehouse"} 3)")));
  // The last worker dies. Nobody knows whether it shipped: the command fails when its lease ends.
  clock_->advance(std::chrono::minutes(2));
  EXPECT_EQ(server_->service().sweep(), 1U);
  expect_soon(dead(names, 2));
}

/// Another node leased it: this one does not know what it is.
TEST_F(Watching, CountsReportsOnWhatWasLeasedElsewhere) {
  begin();
  const std::string id = Json(ship("k-1").body).text("/command_id");
  ASSERT_EQ(lease("w-1", "warehouse").status, 200);
  restart();
  ASSERT_EQ(on_effect("r-1", id, "complete", R"({"fence":1})").status, 200);
  EXPECT_THAT(metrics(),
              HasSubstr(attempts(R"(command="",provider="",stage="call",outcome="done")", 1)));
}

TEST_F(Watching, CountsEventsThatAreSent) {
  begin();
  const auto subscribe = [&](const std::string& key, const std::string& url) {
    EXPECT_EQ(call("POST", "/v1/subscriptions", keyed(key),
                   fmt::format(R"({{"url":"{}","events":["hold.placed"]}})", url))
                  .status,
              201);
  };
  subscribe("s-1", provider_.url() + "/charges");
  subscribe("s-2", "http://127.0.0.1:1/nobody");
  EXPECT_THAT(metrics(), HasSubstr("\nholdfast_deliveries_total{outcome=\"taken\"} 0\n"));
  EXPECT_EQ(place("h-1", holding("room_307")).status, 201);
  expect_soon(R"(holdfast_deliveries_total{outcome="taken"} 1)");
  expect_soon(R"(holdfast_deliveries_total{outcome="failed"} 1)");
  expect_soon(R"(holdfast_deliveries_total{outcome="gone"} 0)");
  expect_soon("holdfast_delivery_seconds_count 2");
}

/// As requests are, if these are.
TEST_F(Watching, LogsAttempts) {
  http::Settings settings;
  settings.log_level = http::LogLevel::info;
  settings.log_requests = true;
  begin(settings);
  charge("bad-1");
  EXPECT_TRUE(
      eventually([&] { return logged().find(R"("message":"attempt")") != std::string::npos; }));
  EXPECT_THAT(logged(),
              HasSubstr(R"("command":"payment.charge","provider":"acquirer","stage":"call",)"
                        R"("outcome":"refused","ms":")"));
  EXPECT_THAT(logged(), Not(HasSubstr("bad-1")));
}

}  // namespace
}  // namespace holdfast::test
