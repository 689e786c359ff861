#include "golden/recorded_service.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <regex>
#include <stdexcept>

#include "golden/step_random.hpp"
#include "http/server.hpp"
#include "keys/keys.hpp"
#include "support/calls.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {

struct RecordedService::Insides {
  std::shared_ptr<SettableClock> clock = std::make_shared<SettableClock>(::holdfast::test::start);
  std::shared_ptr<StepRandom> random = std::make_shared<StepRandom>();
  std::unique_ptr<http::Server> server;
  std::string store;
  std::map<std::string, std::string> credentials;
};

RecordedService::RecordedService(const ServedStore& served)
    : insides_(std::make_unique<Insides>()) {
  http::Settings settings;
  settings.listen = "127.0.0.1:0";
  settings.store = insides_->store = served.file;
  settings.policies = served.policies;
  settings.conflict_status = served.conflict_status;
  settings.sweep_every = Duration::zero();
  if (served.small_limits) {
    settings.limits.body_bytes_max = 1'024;
    settings.limits.batch_body_bytes_max = 2'048;
    settings.limits.batch_operations_max = 3;
    settings.limits.json_depth_max = 4;
  }
  const auto nowhere =
      std::make_shared<spdlog::logger>("nowhere", std::make_shared<spdlog::sinks::null_sink_mt>());
  auto server = http::Server::start(
      settings, {.clock = insides_->clock,
                 .random = insides_->random,
                 .log = std::make_shared<http::Log>(settings.log_level, insides_->clock, nowhere)});
  if (!server) throw std::runtime_error(server.error());
  insides_->server = std::move(*server);
  insides_->random->begin(requests_);  // whatever the start took
}

RecordedService::~RecordedService() = default;

void RecordedService::make_key(const std::string& name, const std::string& tenant,
                               const std::string& principal, const std::string& role) {
  const http::KeyFile file(http::KeyFile::beside(insides_->store));
  auto made = file.create(tenant, principal, http::role_named(role).value(), insides_->clock->now(),
                          *system_random());
  if (!made) throw std::runtime_error(made.error());
  insides_->credentials[name] = made->credential;
}

std::uint16_t RecordedService::port() const { return insides_->server->port(); }

void RecordedService::advance(Duration by) { insides_->clock->advance(by); }

std::size_t RecordedService::sweep() { return insides_->server->service().sweep(); }

namespace {

/// Without what is made up by a process: the number of a request (a recorded refusal names its
/// first one by its token) and the key that signs.
std::string reproducible(const std::string& body) {
  static const std::regex made_up(
      R"re("(request_id":"(?!first-)|public_key":"|signature":")[^"]*")re");
  return std::regex_replace(body, made_up, R"("$1…")");
}

/// Headers in the order of their names.
std::string exchange_text(const Asked& asked, const Answered& answered) {
  std::string text = fmt::format("> {} {}{}\n", asked.method, visible(asked.target),
                                 asked.key.empty() ? "" : " by " + asked.key);
  for (const auto& [name, value] : asked.headers)
    text += fmt::format("> {}: {}\n", name, visible(value));
  if (!asked.body.empty()) text += fmt::format("> {}\n", visible(asked.body));
  text += fmt::format("< {}\n", answered.status);
  if (asked.status_only) return text + "\n";
  const std::string body = reproducible(answered.body);
  for (const auto& [name, value] : answered.headers) {
    if (name == "x-request-id") continue;
    if (name == "content-length" && body != answered.body) continue;
    text += fmt::format("< {}: {}\n", name, value);
  }
  if (!body.empty()) text += fmt::format("< {}\n", body);
  return text + "\n";
}

}  // namespace

std::string RecordedService::ask(const Asked& asked) {
  insides_->random->begin(++requests_);
  Headers headers;
  for (const auto& [name, value] : asked.headers) headers.push_back({name, value});
  if (!asked.key.empty()) {
    headers.push_back({"Authorization", "Bearer " + insides_->credentials.at(asked.key)});
  }
  RawConnection connection(port());
  EXPECT_TRUE(connection.send(request_text(asked.method, asked.target, headers, asked.body)));
  const auto answered = connection.read(std::chrono::seconds(20), asked.method == "HEAD");
  if (!answered) throw std::runtime_error(asked.method + " " + asked.target + ": no answer");
  text_ += exchange_text(asked, *answered);
  return answered->body;
}

std::string RecordedService::raw(const std::string& target) {
  RawConnection connection(port());
  EXPECT_TRUE(connection.send(request_text("GET", target)));
  const auto answered = connection.read();
  return answered ? answered->body : std::string();
}

}  // namespace holdfast::test
