#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/types.hpp"

/// Commands: any change of state that is to happen exactly once, effects outside included.
///
/// A *command* is declared in a registry by its entity and action (`payment.charge`), with its
/// class, its window and its effect. Whoever submits one gets its outcome: at once if it has no
/// effect outside, else when its effect has settled. Until then it is in progress, and says so to
/// everybody who asks again.
///
/// An *effect* is what a command does outside. The intent to act is committed with the command.
/// Then a dispatcher or a worker *leases* the effect, acts, and *completes* or *fails* it. Each
/// lease has a *fence*, a number that grows: whoever comes with an older one is refused.
///
/// Everything here is a value, as in `types.hpp`.
namespace holdfast {

namespace commands {
struct Prepared;
}

/// A command to submit. Its token is the caller's, or derived from the envelope, as its declaration
/// says. `target` and `args` are JSON; `args` is an object.
struct Submitting {
  static constexpr Operation operation{20};
  std::string entity;
  std::string action;
  std::string target{};
  std::string args = "{}";
  std::string actor{};            ///< who asks; empty: the caller's principal
  std::string effective_actor{};  ///< on whose behalf; empty: the actor
  std::string command_kind{};
  // Ephemeral: with another one it is the same command.
  std::string correlation_id{};
  std::string tenant{};           ///< of the envelope: if it says one, it is the caller's
  std::string idempotency_key{};  ///< of the envelope: the token, where the call has none
  std::string confirmation{};     ///< of the envelope: the token of a confirmation
  /// What the engine finds out of it before it is queued. Left alone by callers.
  std::shared_ptr<const commands::Prepared> prepared{};
};

/// Four eyes: somebody other than who submits a command approves it, with its confirmation token.
struct Approving {
  static constexpr Operation operation{28};
  std::string id;
  std::string confirmation;
};

/// A worker takes the next effects of these kinds: at most `max`, each for as long as `lease`.
struct Leasing {
  static constexpr Operation operation{21};
  std::vector<std::string> kinds;
  std::int64_t max = 1;
  Duration lease = std::chrono::seconds(30);
  bool dispatches = false;  ///< the engine's own dispatcher: effects of all tenants
};

/// A worker needs longer: its lease ends that long after now.
struct Renewing {
  static constexpr Operation operation{22};
  std::string id;
  std::int64_t fence = 0;
  Duration lease = std::chrono::seconds(30);
};

/// The effect took place. `result` is JSON, and becomes part of the command's outcome.
struct Completing {
  static constexpr Operation operation{23};
  std::string id;
  std::int64_t fence = 0;
  std::string result{};
};

/// The effect did not take place, or nobody knows. The verdict is `retry` (it is tried again, as
/// often as declared), `refused` (never again), `unknown` (its shield says what then) or, of a
/// probe, `absent` (it did not happen).
struct Failing {
  static constexpr Operation operation{24};
  std::string id;
  std::int64_t fence = 0;
  std::string verdict = "retry";
  std::string error{};
  std::string result{};  ///< what the provider answered, as JSON
};

/// An operator has an effect tried again, now: one that waits, or one that failed for good.
struct Retrying {
  static constexpr Operation operation{25};
  std::string id;
};

/// An operator knows how a command ended: `executed`, `failed` or `compensated`.
struct Resolving {
  static constexpr Operation operation{26};
  std::string id;
  std::string status;
  std::string result{};
};

/// An operator gives an effect up that nobody is at work on. The command failed.
struct CancellingEffect {
  static constexpr Operation operation{27};
  std::string id;
};

/// The service adopts another registry: the journal says from when on it is in force.
struct Adopting {
  static constexpr Operation operation{29};
  std::string digest;  ///< SHA-256 of what it publishes, in hexadecimal
};

}  // namespace holdfast
