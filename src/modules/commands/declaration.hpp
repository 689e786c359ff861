#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/clock.hpp"
#include "holdfast/operations.hpp"

namespace holdfast::schema {
class Schema;
}

namespace holdfast::webhooks {
struct Sources;
}

/// What an operator declares of a command. Declarations are read from a registry file by
/// `src/registry`; here is what they mean. They never change once they are read: a new file makes
/// new ones.
namespace holdfast::commands {

/// The IDS classes. I0 is a question and changes nothing, so it cannot be submitted.
enum class CommandClass : std::uint8_t { i0, i1, i2, i3 };

/// Who makes the key of a command: see `keys.hpp`.
enum class KeyOrigin : std::uint8_t {
  client,   ///< the caller; a submission without a key is refused
  derived,  ///< always derived from the envelope; a client's key that disagrees is a conflict
  both,     ///< the caller's if there is one, which may then be any; else derived
};

/// Whose id is part of the derived key.
enum class BindingPrincipal : std::uint8_t { actor, effective_actor };

/// Who has to confirm a command before it runs.
enum class ConfirmBy : std::uint8_t {
  nobody,
  self,   ///< the caller, with the confirmation token it was given
  other,  ///< somebody else approves it first: four eyes
};

enum class Shield : std::uint8_t { none, s1, s2, s3, s4 };
enum class EffectKind : std::uint8_t { none, push, pull, handler };

class ParsedRequest;  // see template.hpp

/// An HTTP request with fields of the envelope in it. `{args.amount}`, `{target}`, `{key}`,
/// `{command_id}`, `{secret.NAME}` and so on stand for values; in a URL they are percent-encoded,
/// in a JSON body they are JSON, in a header they may have no control characters.
struct RequestTemplate {
  std::string method{};
  std::string url{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};  ///< empty: the envelope's `args` as JSON, unless the method has none
  /// The same, read: what requests are made with. Set by whoever reads declarations.
  std::shared_ptr<const ParsedRequest> parsed{};
};

/// Which of a provider's answers mean what. After a status in none of the lists nobody knows
/// whether the call took place: its shield says what is done then.
struct AnswerRules {
  std::vector<int> done{};      ///< empty: 200 to 299
  std::vector<int> refused{};   ///< empty: 400 to 499 but for 408, 409, 425 and 429
  std::vector<int> not_done{};  ///< certainly not done, and to be tried again; empty: 425 and 429
};

/// How to ask a provider what became of a call whose answer was lost (S3), or for the list of what
/// it has done under our key (S4).
struct Probe {
  RequestTemplate request{};
  std::vector<int> found{};   ///< it was done; empty: 200 to 299
  std::vector<int> absent{};  ///< it was not; empty: 404
  /// Of S4: a JSON pointer to the list in the answer, and one from an item to its id.
  std::string list{};
  std::string id{};
};

struct Effect {
  EffectKind kind = EffectKind::none;
  Shield shield = Shield::none;
  /// Push: who is called, for limits and the circuit breaker. Pull and handler: the name under
  /// which workers lease it.
  std::string provider{};
  RequestTemplate request{};
  AnswerRules answers{};
  std::optional<Probe> probe{};
  /// The header that carries our key to the provider (S1).
  std::string key_header = "Idempotency-Key";
  Duration timeout = std::chrono::seconds(10);
  /// How long a dispatcher or worker has before the effect is another's. Longer than `timeout`.
  Duration lease = std::chrono::seconds(30);
  std::uint32_t attempts_max = 10;
  Duration backoff = std::chrono::seconds(1);
  Duration backoff_max = std::chrono::minutes(5);
};

/// A command that undoes another: submitted by the engine, with a key derived from the first one's
/// id, so exactly once.
struct Compensation {
  std::string entity;
  std::string action;
};

struct Declaration {
  std::string entity;
  std::string action;
  std::string summary{};
  CommandClass command_class = CommandClass::i1;
  std::string justification{};
  std::optional<Duration> window{};  ///< unset: for as long as the store exists (I1)
  bool critical = false;
  OnReject on_reject = OnReject::record;
  Duration on_overlap = std::chrono::seconds(10);  ///< how long a duplicate waits by itself
  KeyOrigin key = KeyOrigin::client;
  BindingPrincipal principal = BindingPrincipal::actor;
  ConfirmBy confirm_by = ConfirmBy::nobody;
  Duration confirmation_lifetime = std::chrono::minutes(5);
  std::shared_ptr<const schema::Schema> args{};  ///< null: any object
  Effect effect{};
  std::optional<Compensation> compensation{};

  [[nodiscard]] std::string name() const { return entity + "." + action; }
};

/// How calls to one provider are limited. Providers that nobody declares have the defaults.
struct Provider {
  std::string name;
  std::size_t concurrency_max = 64;
  /// The circuit opens after so many failures in a row, and lets one call through after the pause.
  std::uint32_t circuit_failures = 10;
  Duration circuit_pause = std::chrono::seconds(10);
};

/// Every command there is, by name. Shared between threads; never changes.
struct Registry {
  std::map<std::string, std::shared_ptr<const Declaration>, std::less<>> commands;
  std::map<std::string, Provider, std::less<>> providers;
  /// Who sends webhooks, and what follows: see `modules/webhooks/source.hpp`. Null: nobody does.
  std::shared_ptr<const webhooks::Sources> webhooks{};
  std::string digest;     ///< SHA-256 of `published`, in hexadecimal
  std::string published;  ///< canonical JSON: what GET /v1/registry answers; without secrets

  /// Null if no command has that name.
  [[nodiscard]] std::shared_ptr<const Declaration> find(std::string_view entity,
                                                        std::string_view action) const {
    const auto found = commands.find(std::string(entity) + "." + std::string(action));
    return found == commands.end() ? nullptr : found->second;
  }
};

[[nodiscard]] std::string_view name(CommandClass value);
[[nodiscard]] std::string_view name(KeyOrigin value);
[[nodiscard]] std::string_view name(BindingPrincipal value);
[[nodiscard]] std::string_view name(ConfirmBy value);
[[nodiscard]] std::string_view name(Shield value);
[[nodiscard]] std::string_view name(EffectKind value);

}  // namespace holdfast::commands
