#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <tl/expected.hpp>

#include "engine/service.hpp"
#include "http/monitoring/log.hpp"
#include "http/monitoring/metrics.hpp"

namespace holdfast::commands {
class Preparer;
struct Registry;
}  // namespace holdfast::commands

namespace holdfast::http {

/// Keeps the registry in force: read from its file at the start, again when it is told to, and
/// written into the journal when it is another. All members may be called from any thread.
class RegistryKeeper {
 public:
  using Read = std::shared_ptr<const commands::Registry>;

  /// A registry as its file has it, or as it is without a file: no commands. The error is one line
  /// that says where in the file.
  [[nodiscard]] static tl::expected<Read, std::string> read(const std::string& file);

  /// `secret` is the store's. Puts the registry into force.
  RegistryKeeper(std::string file, Read registry, const HashKey& secret);
  ~RegistryKeeper();
  RegistryKeeper(const RegistryKeeper&) = delete;
  RegistryKeeper& operator=(const RegistryKeeper&) = delete;

  [[nodiscard]] Read registry() const;
  [[nodiscard]] const commands::Preparer& preparer() const { return *preparer_; }
  /// Completes what is submitted: see `ServiceOptions::prepare`.
  void prepare(Call& call) const;

  /// Reads the file again. A bad one is logged and the registry in force stays.
  void read_again(Service& service, Log& log);
  /// Writes into the journal which registry is in force, unless it says so. Without a file nothing
  /// is written. Waits for the store; what it refuses is logged.
  void adopt(Service& service, Log& log);

 private:
  const std::string file_;
  const std::unique_ptr<commands::Preparer> preparer_;
  std::mutex reading_;  // one at a time
};

/// Counts the first answer to a submission, if its command is in the registry.
void count_command(const Answer& answer, const RegistryKeeper& registry, Metrics& metrics);

/// Whether the answer has values that are sealed, and its caller may see them.
[[nodiscard]] bool holds_secrets(const Answer& answer);
/// Opens them: whoever is to act on an effect needs its arguments.
void open_secrets(Answer& answer, const std::string& tenant, const RegistryKeeper& registry);

}  // namespace holdfast::http
