#include "modules/commands/envelope.hpp"

#include "base/json_members.hpp"

namespace holdfast::commands {
namespace {

void raw_member(JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  json.raw(value);
}

/// The members of the key, in the order of RFC 8785. The fingerprint has one more, which comes
/// after `command_kind`.
std::string inputs(std::string_view tenant, const Envelope& envelope, std::string_view actor,
                   bool with_effective_actor) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  text_member(json, "action", envelope.action);
  text_member(json, "actor", actor);
  raw_member(json, "args", envelope.args);
  if (!envelope.command_kind.empty()) text_member(json, "command_kind", envelope.command_kind);
  if (with_effective_actor) text_member(json, "effective_actor", envelope.effective_actor);
  text_member(json, "entity", envelope.entity);
  if (!envelope.target.empty()) raw_member(json, "target", envelope.target);
  text_member(json, "tenant", tenant);
  integer_member(json, "version", key_version);
  json.end_object();
  return text;
}

}  // namespace

std::string key_inputs(std::string_view tenant, const Envelope& envelope,
                       BindingPrincipal principal) {
  const bool effective = principal == BindingPrincipal::effective_actor;
  return inputs(tenant, envelope, effective ? envelope.effective_actor : envelope.actor, false);
}

std::string derived_key(std::string_view tenant, const Envelope& envelope,
                        BindingPrincipal principal) {
  return "ik" + std::to_string(key_version) + "-" +
         sha256(key_inputs(tenant, envelope, principal)).hex();
}

std::string fingerprint_inputs(std::string_view tenant, const Envelope& envelope) {
  return inputs(tenant, envelope, envelope.actor, true);
}

}  // namespace holdfast::commands
