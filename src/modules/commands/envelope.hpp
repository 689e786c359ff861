#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/digest.hpp"
#include "modules/commands/declaration.hpp"

/// The canonical command envelope, and what is made of it: its key and its fingerprint. Pure.
namespace holdfast::commands {

/// What a caller submits. `args` and `target` are canonical JSON (RFC 8785, see `canonicalize`):
/// `args` an object, `target` any value, empty if there is none; `null` is a target, too. All text
/// is valid UTF-8. Both actors are filled in before a key is made.
struct Envelope {
  std::string actor;            ///< who asks; the principal unless the caller says another
  std::string effective_actor;  ///< on whose behalf; the actor unless the caller says another
  std::string entity;
  std::string action;
  std::string target{};
  std::string args = "{}";
  std::string command_kind{};    ///< recommended by IDS, optional
  std::string correlation_id{};  ///< ephemeral: neither in the key nor in the fingerprint

  [[nodiscard]] std::string name() const { return entity + "." + action; }
};

/// The version of the key inputs. It is one of them, and in the key's text.
inline constexpr int key_version = 1;

/// The inputs of IDS VII.B as canonical JSON: `action`, `actor` (the binding principal), `args`,
/// `command_kind`, `entity`, `target`, `tenant` and `version`. What the caller left out is left
/// out.
[[nodiscard]] std::string key_inputs(std::string_view tenant, const Envelope& envelope,
                                     BindingPrincipal principal);

/// `ik1-` and the SHA-256 of the key inputs in hexadecimal.
[[nodiscard]] std::string derived_key(std::string_view tenant, const Envelope& envelope,
                                      BindingPrincipal principal);

/// Everything that makes a submission the same one: the key inputs with both actors, `actor` and
/// `effective_actor`, whichever is bound, and nothing that is ephemeral. Canonical JSON; its
/// SHA-256 is the digest of a submission.
[[nodiscard]] std::string fingerprint_inputs(std::string_view tenant, const Envelope& envelope);

}  // namespace holdfast::commands
