#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "engine/service.hpp"
#include "http/commands/effect_metrics.hpp"
#include "http/monitoring/log.hpp"
#include "settings/settings.hpp"

namespace holdfast::commands {
class Preparer;
}

namespace holdfast::http {

/// The dispatcher of effects of a node, with what it needs: the client that calls providers, and
/// the file of secrets. All members may be called from any thread.
class Dispatching {
 public:
  /// Reads the file of secrets and begins to dispatch. What is passed must outlive it; `metrics`
  /// ask it how providers stand for as long as it is there. The error is one line that says which
  /// setting cannot be used.
  [[nodiscard]] static tl::expected<std::unique_ptr<Dispatching>, std::string> start(
      const Settings& settings, Service& service, const commands::Preparer& preparer, Log& log,
      EffectMetrics& metrics);
  ~Dispatching();
  Dispatching(const Dispatching&) = delete;
  Dispatching& operator=(const Dispatching&) = delete;

  /// To be called with every batch that became durable.
  void note(const BatchReport& batch);
  /// Reads the file of secrets again. A bad one is logged, and the secrets from before stay.
  void read_again();
  /// Finishes what is in flight, within a limit. What is not finished by then is left to its lease.
  void stop();

 private:
  struct Impl;
  explicit Dispatching(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
