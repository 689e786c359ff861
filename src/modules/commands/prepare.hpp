#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "holdfast/commands.hpp"
#include "modules/commands/declaration.hpp"
#include "modules/commands/secrets.hpp"

namespace holdfast::commands {

/// What is found out of a submission before it is queued, on its caller's thread: all that does not
/// depend on what the store knows.
struct Prepared {
  std::shared_ptr<const Declaration> declaration{};  ///< null: the registry has no such command
  std::string registry{};                            ///< the digest of the registry that was asked
  std::string derived_key{};
  std::string row_key{};       ///< of the command's row
  std::string fingerprint{};   ///< what the digest is made of; see `envelope.hpp`
  std::string sealed_token{};  ///< the token, sealed, as JSON
  std::string args{};          ///< with what is secret sealed
  std::string misfits{};       ///< where the arguments do not fit, as a JSON array; empty: they do
  bool disagrees = false;      ///< the caller's key is not the one that is derived
};

/// Prepares submissions by the registry in force. All members may be called from any thread.
class Preparer {
 public:
  explicit Preparer(const HashKey& store_secret) : sealer_(store_secret) {}

  void put_in_force(std::shared_ptr<const Registry> registry);
  /// Null as long as there is none.
  [[nodiscard]] std::shared_ptr<const Registry> registry() const;
  [[nodiscard]] const Sealer& sealer() const { return sealer_; }

  /// Of a submission: fills in what its caller left out, its key among it, and `prepared`. Leaves
  /// any other call as it is.
  void operator()(Call& call) const;

 private:
  const Sealer sealer_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Registry> registry_;  ///< guarded by the mutex
};

}  // namespace holdfast::commands
