#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "engine/service.hpp"
#include "http/commands/registry_keeper.hpp"
#include "http/monitoring/log.hpp"
#include "http/webhooks/webhook_metrics.hpp"
#include "modules/webhooks/source.hpp"
#include "settings/settings.hpp"
#include "signatures/secret.hpp"

namespace holdfast::http {

/// What a node needs to take webhooks in and to see to what follows: the sources that the registry
/// in force declares, their secrets, and the dispatcher of the inbox. All members may be called
/// from any thread.
class WebhookIntake {
 public:
  /// What is passed must outlive it.
  WebhookIntake(Service& service, const Settings& settings, const RegistryKeeper& registry,
                Log& log);
  ~WebhookIntake();
  WebhookIntake(const WebhookIntake&) = delete;
  WebhookIntake& operator=(const WebhookIntake&) = delete;

  /// Reads the file of secrets, and begins to see to what follows, unless this node is not to. The
  /// error is one line that says which setting cannot be used.
  [[nodiscard]] tl::expected<void, std::string> start();
  /// Reads the file of secrets again. A bad one is logged, and the secrets from before stay.
  void read_again();
  /// To be called with every batch that became durable.
  void note(const BatchReport& batch);
  /// Finishes what is under way, within a limit. The rest is left to its leases.
  void stop();

  /// Null if none of that name is declared.
  [[nodiscard]] std::shared_ptr<const webhooks::Source> source(std::string_view name) const;
  /// The secrets of a source. One that is not in the file, or cannot be one, is left out, and that
  /// is logged: with none, everything is forged.
  [[nodiscard]] std::vector<signatures::Secret> secrets_of(const webhooks::Source& source) const;
  [[nodiscard]] WebhookMetrics& metrics() { return metrics_; }

 private:
  struct Impl;
  WebhookMetrics metrics_;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
