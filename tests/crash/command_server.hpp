#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "signatures/sign.hpp"
#include "store/open.hpp"
#include "support/http/http_server.hpp"
#include "support/journals/audit.hpp"
#include "support/processes/service_process.hpp"
#include "support/servers/scripted_provider.hpp"
#include "support/stores/store_under_test.hpp"

/// The real program with a registry: pushes and work that is leased behind every shield, webhooks
/// that become commands and webhooks that are sent on, and a provider that counts.
namespace holdfast::test {

inline constexpr std::string_view webhook_secret =
    "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
inline constexpr std::string_view webhook_body = R"({"amount":"1"})";
inline constexpr std::array<std::string_view, 4> shields{"s1", "s2", "s3", "s4"};

[[nodiscard]] inline std::string request_of(std::string_view shield, const std::string& url) {
  return fmt::format("url = \"{}/charges\"\nheaders = {{ {} }}\ntimeout = \"900ms\"", url,
                     shield == "s1" ? "" : "X-Key = \"{key}\"");
}

/// A push, or the same as work that is leased.
[[nodiscard]] inline std::string command_table(std::string_view shield, const std::string& url,
                                               bool push) {
  std::string small(shield);
  std::string text =
      fmt::format(R"(
[[command]]
entity = "{5}"
action = "{0}"
class = "I3"
{2}
[command.effect]
kind = "{6}"
shield = "S{1}"
provider = "{7}"
{3}
{4}
attempts = 1000
backoff = "1ms"
backoff_max = "50ms"
)",
                  small, small.substr(1), shield == "s4" ? "compensation = \"refund.do\"" : "",
                  push ? request_of(shield, url) : "", push ? "lease = \"1s\"" : "",
                  push ? "pay" : "work", push ? "push" : "pull", push ? "payer" : "bench");
  if (shield == "s3")
    text += fmt::format("[command.effect.probe]\nurl = \"{}/charges/{{key}}\"\n", url);
  if (shield == "s4")
    text += fmt::format(
        "[command.effect.probe]\nurl = \"{}/list/{{key}}\"\nlist = \"/data\"\nid = \"/id\"\n", url);
  return text;
}

[[nodiscard]] inline std::string registry_text(const std::string& url) {
  std::string text;
  for (const std::string_view shield : shields) {
    for (const bool push : {true, false}) text += command_table(shield, url, push);
  }
  return text + fmt::format(R"(
[[command]]
entity = "refund"
action = "do"
class = "I3"
[command.effect]
kind = "push"
shield = "S1"
provider = "payer"
url = "{0}/refunds"
timeout = "900ms"
lease = "1s"
attempts = 1000
backoff = "1ms"
backoff_max = "50ms"

[[provider]]
name = "payer"
circuit_failures = 1000000

[[webhook]]
name = "bank"
scheme = "standard"
secrets = ["SENDER"]
command = "pay.s1"
args = {{ amount = "/amount" }}
attempts = 1000
backoff = "1ms"
backoff_max = "50ms"

[[webhook]]
name = "mirror"
scheme = "standard"
secrets = ["SENDER"]
forward = "{0}/charges"
timeout = "900ms"
attempts = 1000
backoff = "1ms"
backoff_max = "50ms"
)",
                            url);
}

class CommandServer : public testing::TestWithParam<std::string> {
 public:
  /// Until it is answered, and neither for want of time nor of a service.
  static Answered until_definite(std::uint16_t port, const std::string& request) {
    while (true) {
      RawConnection connection(port);
      if (connection.send(request)) {
        const auto answered = connection.read(std::chrono::seconds(10));
        const bool in_flight =
            answered && answered->body.find("protocol.idempotency_in_flight") != std::string::npos;
        if (answered && answered->status < 500 && !in_flight) return *answered;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

 protected:
  CommandServer() {
    using std::filesystem::perms;
    std::ofstream(dir_.file("registry.toml")) << registry_text(provider_.url());
    std::ofstream(dir_.file("secrets")) << "SENDER=" << webhook_secret << "\n";
    std::filesystem::permissions(dir_.file("secrets"), perms::owner_read | perms::owner_write);
    std::ofstream(dir_.file("settings.toml"))
        << "sweep_every = \"10ms\"\n[outbound]\nallow = \"127.0.0.1\"\n";
  }

  [[nodiscard]] ServiceProcess serve() const {
    return ServiceProcess(
        place_.name(), {"--registry", dir_.file("registry.toml"), "--secrets", dir_.file("secrets"),
                        "--config", dir_.file("settings.toml")});
  }

  static Answered get(std::uint16_t port, const std::string& target) {
    return until_definite(port, request_text("GET", target));
  }

  static std::string submission(const std::string& shield, const std::string& key,
                                const std::string& entity = "pay") {
    return request_text(
        "POST", "/v1/commands", {{"Idempotency-Key", key}},
        fmt::format(R"({{"intent":{{"entity":"{}","action":"{}"}},"args":{{}}}})", entity, shield));
  }
  static std::string webhook(const std::string& source, const std::string& event) {
    const std::array secrets{*signatures::Secret::standard(webhook_secret)};
    const auto made =
        signatures::sign_standard(secrets, event, system_clock()->now(), webhook_body);
    return request_text("POST", "/v1/webhooks/" + source,
                        {{"webhook-id", made->id},
                         {"webhook-timestamp", made->timestamp},
                         {"webhook-signature", made->signature}},
                        std::string(webhook_body));
  }

  /// How the command of a key ended, once it has.
  struct Ended {
    std::string status;
    std::string reason;
  };
  static Ended ended(std::uint16_t port, const std::string& id) {
    for (int i = 0; i < 12'000; ++i) {
      const Json command(get(port, "/v1/commands/" + id).body);
      if (const std::string status = command.text("/status"); status != "in_progress")
        return {status, command.has("/reason") ? command.text("/reason") : ""};
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {"stuck", ""};
  }

  void expect_kept(const std::string& shield, const std::string& key, const Ended& ended) const {
    if (shield != "s2") {
      EXPECT_EQ(ended.status, "executed") << key;
      EXPECT_EQ(provider_.effects(key), 1) << key;
      return;
    }
    EXPECT_LE(provider_.calls(key), 1) << key;
    if (ended.status == "executed") {
      EXPECT_EQ(provider_.effects(key), 1) << key;
    } else {
      EXPECT_EQ(ended.reason, "outcome_unknown") << key;
    }
  }

  const TempDir dir_;
  ScriptedProvider provider_;
  const StoreUnderTest place_{GetParam(), {}};
};

}  // namespace holdfast::test
