#pragma once

#include <map>
#include <memory>
#include <string>

#include "holdfast/client.hpp"
#include "http/server.hpp"
#include "support/scenarios/scenario_target.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

/// The service over HTTP, with the client library in front: every caller of a scenario has a key of
/// its own. Sweeps, counts and the audit look behind the service.
class HttpTarget final : public ScenarioTarget {
 public:
  void start(const Rules& rules) override;
  void set_time(Instant instant) override { clock_->set(instant); }
  Answer submit(Call call) override;
  std::vector<Answer> submit_at_once(const Call& call, std::size_t count) override;
  std::size_t sweep() override { return server_->service().sweep(); }
  void restart() override;
  std::optional<HoldDetails> hold(HoldId id, const std::string& tenant) override;
  std::vector<HoldDetails> holds(const HoldQuery& query, const std::string& tenant) override;
  std::optional<TokenResult> token(const std::string& token, const std::string& tenant) override;
  Resource resource(const std::string& name, const std::string& tenant) override;
  Counts counts() override { return server_->service().store().counts(); }
  std::vector<std::string> violations() override;

 private:
  void serve();
  Client& client_of(const Caller& caller);

  const TempDir dir_;
  const std::shared_ptr<SettableClock> clock_ =
      std::make_shared<SettableClock>(::holdfast::test::start);
  http::Settings settings_;
  std::unique_ptr<http::Server> server_;
  std::map<std::pair<std::string, std::string>, std::string> keys_;  // by tenant and principal
  std::map<std::pair<std::string, std::string>, Client> clients_;
};

}  // namespace holdfast::test
