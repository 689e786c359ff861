#pragma once

#include <memory>
#include <string>
#include <vector>

#include "domain/rules.hpp"
#include "engine/service.hpp"
#include "holdfast/types.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {

/// What a scenario is played against: the library here, the service over HTTP elsewhere.
/// One thread at a time. What cannot be done fails the test.
class ScenarioTarget {
 public:
  virtual ~ScenarioTarget() = default;

  /// Before anything else, once.
  virtual void start(const Rules& rules) = 0;
  virtual void set_time(Instant instant) = 0;

  virtual Answer submit(Call call) = 0;
  /// So many equal calls at the same time.
  virtual std::vector<Answer> submit_at_once(const Call& call, std::size_t count) = 0;
  /// Expires what has lapsed; how many holds.
  virtual std::size_t sweep() = 0;
  /// Stops and starts again, where anything is kept at all.
  virtual void restart() = 0;

  virtual std::optional<HoldDetails> hold(HoldId id, const std::string& tenant) = 0;
  virtual std::vector<HoldDetails> holds(const HoldQuery& query, const std::string& tenant) = 0;
  virtual std::optional<TokenResult> token(const std::string& token, const std::string& tenant) = 0;
  virtual Resource resource(const std::string& name, const std::string& tenant) = 0;
  virtual Counts counts() = 0;
  /// What the audit says, a line for each breach.
  virtual std::vector<std::string> violations() = 0;
};

/// The library's service, in this process, on one of the embedded engines.
class LibraryTarget final : public ScenarioTarget {
 public:
  explicit LibraryTarget(std::string engine) : engine_(std::move(engine)) {}

  void start(const Rules& rules) override;
  void set_time(Instant instant) override { place_->clock()->set(instant); }
  Answer submit(Call call) override;
  std::vector<Answer> submit_at_once(const Call& call, std::size_t count) override;
  std::size_t sweep() override { return service_->sweep(); }
  void restart() override;
  std::optional<HoldDetails> hold(HoldId id, const std::string& tenant) override;
  std::vector<HoldDetails> holds(const HoldQuery& query, const std::string& tenant) override;
  std::optional<TokenResult> token(const std::string& token, const std::string& tenant) override;
  Resource resource(const std::string& name, const std::string& tenant) override;
  Counts counts() override { return service_->store().counts(); }
  std::vector<std::string> violations() override;

 private:
  void open();

  const std::string engine_;
  const std::shared_ptr<Random> random_ = seeded_random(1);
  std::optional<StoreUnderTest> place_;
  std::unique_ptr<Service> service_;
};

}  // namespace holdfast::test
