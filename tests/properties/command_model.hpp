#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/commands/declaration.hpp"
#include "support/calls.hpp"

/// What commands and their effects ought to do, said once more in plain maps: written from
/// docs/commands.md and the diagram in `effect_row.hpp`, and sharing nothing with the module.
namespace holdfast::test {

struct ModelEffect {
  commands::Shield shield = commands::Shield::s1;
  std::uint64_t attempts_max = 1;
  char stage = 'c';  ///< call, probe, reconcile
  bool uncertain = false;
  std::int64_t fence = 0;
  std::uint64_t attempts = 0;
  std::optional<Instant> lease_until{};
  Instant ready_at{};      ///< not before this
  Instant ready_latest{};  ///< nor after this: back-off has jitter, and the store is asked for it
};

struct ModelCommand {
  std::string id{};
  std::string tenant{};
  std::string body{};
  std::string status = "in_progress";
  std::string reason{};
  std::optional<Instant> expires{};  ///< its key is free again then, if it has ended long ago
  Instant ended{};                   ///< meaningful unless it is in progress
  std::optional<ModelEffect> effect{};
  std::optional<ModelEffect> left{};  ///< of one that failed
};

class CommandModel {
 public:
  std::map<std::string, ModelCommand> commands;  ///< by tenant and key, the latest of each

  /// Null if the tenant has no command with that id now.
  [[nodiscard]] ModelCommand* find(const std::string& tenant, const std::string& id);

  // Each returns why it is refused; nothing when it is done.
  using Refusal = std::optional<Rejection>;
  [[nodiscard]] Refusal renew(ModelCommand* command, std::int64_t fence, Duration lease,
                              Instant now);
  [[nodiscard]] Refusal complete(ModelCommand* command, std::int64_t fence, Instant now);
  [[nodiscard]] Refusal fail(ModelCommand* command, std::int64_t fence, const std::string& verdict,
                             Instant now);
  [[nodiscard]] Refusal retry(ModelCommand* command, Instant now);
  [[nodiscard]] Refusal resolve(ModelCommand* command, const std::string& status, Instant now);
  [[nodiscard]] Refusal cancel(ModelCommand* command, Instant now);
  /// Loses what is to be lost by then; how many.
  std::size_t sweep(Instant now);

  /// Whether a worker of that tenant, or a dispatcher, could lease it now.
  [[nodiscard]] static bool leasable(const ModelCommand& command, bool dispatches, Instant now);
  static void lease(ModelCommand& command, Instant until);

 private:
  static void lose(ModelCommand& command, Instant now);
  static void again(ModelCommand& command, Instant now);
  static void end(ModelCommand& command, std::string status, std::string reason, Instant now);
  static void wait(ModelEffect& effect, char stage, Instant now, bool backs_off);
};

}  // namespace holdfast::test
