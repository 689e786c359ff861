#include "registry/publish.hpp"

#include <algorithm>
#include <vector>

#include "base/assert.hpp"
#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "domain/canonical.hpp"
#include "domain/module.hpp"
#include "modules/webhooks/source.hpp"
#include "schema/schema.hpp"

namespace holdfast::registry {
namespace {

using commands::CommandClass;
using commands::ConfirmBy;
using commands::Declaration;
using commands::Effect;
using commands::EffectKind;
using commands::KeyOrigin;
using commands::Probe;
using commands::Provider;
using commands::RequestTemplate;
using commands::Shield;

void optional_text(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) text_member(json, name, text);
}

void duration_member(JsonWriter& json, std::string_view name, Duration duration) {
  text_member(json, name, to_short_text(duration));
}

void statuses_member(JsonWriter& json, std::string_view name, const std::vector<int>& statuses) {
  if (statuses.empty()) return;
  json.key(name);
  json.begin_array();
  for (const int each : statuses) json.integer(each);
  json.end_array();
}

void write_request(JsonWriter& json, const RequestTemplate& request) {
  text_member(json, "method", request.method);
  text_member(json, "url", request.url);
  if (request.headers.empty()) return;
  json.key("headers");
  json.begin_object();
  for (const auto& [name, text] : request.headers) text_member(json, name, text);
  json.end_object();
}

void write_probe(JsonWriter& json, const Probe& probe, Shield shield) {
  json.key("probe");
  json.begin_object();
  write_request(json, probe.request);
  optional_text(json, "body", probe.request.body);
  statuses_member(json, "found", probe.found);
  statuses_member(json, "absent", probe.absent);
  if (shield == Shield::s4) {
    text_member(json, "list", probe.list);
    text_member(json, "id", probe.id);
  }
  json.end_object();
}

void write_effect(JsonWriter& json, const Effect& effect) {
  json.key("effect");
  json.begin_object();
  text_member(json, "kind", name(effect.kind));
  text_member(json, "shield", name(effect.shield));
  text_member(json, "provider", effect.provider);
  if (effect.kind == EffectKind::push) {
    write_request(json, effect.request);
    if (effect.shield == Shield::s1) text_member(json, "key_header", effect.key_header);
    statuses_member(json, "done", effect.answers.done);
    statuses_member(json, "refused", effect.answers.refused);
    statuses_member(json, "not_done", effect.answers.not_done);
    duration_member(json, "timeout", effect.timeout);
  }
  optional_text(json, "body", effect.request.body);
  duration_member(json, "lease", effect.lease);
  integer_member(json, "attempts", effect.attempts_max);
  duration_member(json, "backoff", effect.backoff);
  duration_member(json, "backoff_max", effect.backoff_max);
  if (effect.probe) write_probe(json, *effect.probe, effect.shield);
  json.end_object();
}

void write_confirmation(JsonWriter& json, const Declaration& command) {
  const bool required = command.confirm_by != ConfirmBy::nobody;
  text_member(json, "confirmation", required ? "required" : "none");
  if (!required) return;
  text_member(json, "confirm_by", name(command.confirm_by));
  duration_member(json, "confirmation_lifetime", command.confirmation_lifetime);
}

void write_command(JsonWriter& json, const Declaration& command) {
  json.begin_object();
  text_member(json, "declared_by", "registry");
  text_member(json, "entity", command.entity);
  text_member(json, "action", command.action);
  optional_text(json, "summary", command.summary);
  text_member(json, "class", name(command.command_class));
  optional_text(json, "justification", command.justification);
  if (command.window) duration_member(json, "window", *command.window);
  json.key("critical");
  json.boolean(command.critical);
  text_member(json, "on_reject", command.on_reject == OnReject::record ? "record" : "release");
  duration_member(json, "on_overlap", command.on_overlap);
  text_member(json, "key_mode", name(command.key));
  text_member(json, "principal", name(command.principal));
  write_confirmation(json, command);
  if (command.args != nullptr) {
    json.key("args");
    json.raw(command.args->text());
  }
  if (command.effect.kind != EffectKind::none) write_effect(json, command.effect);
  if (command.compensation)
    text_member(json, "compensation",
                command.compensation->entity + "." + command.compensation->action);
  json.end_object();
}

/// An operation of a module, which has an address of its own.
void write_operation(JsonWriter& json, const Module& module, const OperationSpec& spec) {
  const Policy& policy = spec.row.policy;
  const std::string_view name = spec.row.name;
  const std::size_t dot = name.find('.');
  json.begin_object();
  text_member(json, "declared_by", module.name);
  text_member(json, "entity", name.substr(0, dot));
  text_member(json, "action", dot == std::string_view::npos ? "" : name.substr(dot + 1));
  optional_text(json, "summary", spec.contract.summary);
  const bool windowed = policy.token_class == TokenClass::i2_windowed;
  text_member(json, "class", commands::name(windowed ? CommandClass::i2 : CommandClass::i1));
  if (policy.window) duration_member(json, "window", *policy.window);
  text_member(json, "on_reject", policy.on_reject == OnReject::record ? "record" : "release");
  duration_member(json, "on_overlap", policy.overlap_wait);
  const bool derived = policy.key_mode == KeyMode::derived;
  text_member(json, "key_mode", commands::name(derived ? KeyOrigin::derived : KeyOrigin::client));
  const bool confirmed = policy.confirmation == Confirmation::required;
  text_member(json, "confirmation", confirmed ? "required" : "none");
  if (!spec.address.method.empty()) {
    text_member(json, "method", spec.address.method);
    text_member(json, "path", spec.address.pattern);
  }
  json.end_object();
}

void write_provider(JsonWriter& json, const Provider& provider) {
  json.begin_object();
  text_member(json, "name", provider.name);
  integer_member(json, "concurrency", static_cast<std::int64_t>(provider.concurrency_max));
  integer_member(json, "circuit_failures", provider.circuit_failures);
  duration_member(json, "circuit_pause", provider.circuit_pause);
  json.end_object();
}

void write_commands(JsonWriter& json, const commands::Registry& registry) {
  json.key("commands");
  json.begin_array();
  for (const Module* module : modules()) {
    for (const OperationSpec& each : module->operations) write_operation(json, *module, each);
  }
  for (const auto& [name, command] : registry.commands) {
    write_command(json, *command);
  }
  json.end_array();
}

struct SchemeWriter {
  JsonWriter& json;

  void operator()(const signatures::Standard&) const { text_member(json, "scheme", "standard"); }
  void operator()(const signatures::Github&) const { text_member(json, "scheme", "github"); }
  void operator()(const signatures::Timestamped& scheme) const {
    text_member(json, "scheme", "timestamped");
    text_member(json, "header", scheme.header);
    write_id(scheme.event_id);
  }
  void operator()(const signatures::Hmac& scheme) const {
    text_member(json, "scheme", "hmac");
    text_member(json, "header", scheme.header);
    text_member(json, "hash", scheme.hash == signatures::Hash::sha512 ? "sha512" : "sha256");
    text_member(json, "encoding",
                scheme.encoding == signatures::Encoding::base64 ? "base64" : "hex");
    optional_text(json, "prefix", scheme.prefix);
    optional_text(json, "timestamp_header", scheme.timestamp_header.value_or(""));
    write_id(scheme.event_id);
  }
  void write_id(const signatures::IdPlace& place) const {
    if (const auto* const header = std::get_if<signatures::IdInHeader>(&place)) {
      text_member(json, "event_id_header", header->name);
    } else {
      text_member(json, "event_id", std::get<signatures::IdInBody>(place).pointer);
    }
  }
};

void write_webhook(JsonWriter& json, const webhooks::Source& source) {
  json.begin_object();
  text_member(json, "name", source.name);
  text_member(json, "tenant", source.tenant);
  std::visit(SchemeWriter{json}, source.scheme);
  json.key("secrets");
  json.begin_array();
  for (const std::string& each : source.secrets) json.string(each);
  json.end_array();
  if (signatures::covers_time(source.scheme)) duration_member(json, "tolerance", source.tolerance);
  duration_member(json, "window", source.window);
  text_member(json, name(source.follows), source.target);
  if (!source.args.empty()) {
    json.key("args");
    json.begin_object();
    for (const auto& [member, pointer] : source.args) text_member(json, member, pointer);
    json.end_object();
  }
  if (source.follows == webhooks::Follows::forward)
    duration_member(json, "timeout", source.timeout);
  integer_member(json, "attempts", source.attempts_max);
  duration_member(json, "backoff", source.backoff);
  duration_member(json, "backoff_max", source.backoff_max);
  json.end_object();
}

void write_webhooks(JsonWriter& json, const webhooks::Sources& sources) {
  json.key("webhooks");
  json.begin_array();
  for (const auto& [name, source] : sources.by_name) write_webhook(json, *source);
  json.end_array();
}

}  // namespace

std::string published(const commands::Registry& registry) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_commands(json, registry);
  json.key("providers");
  json.begin_array();
  for (const auto& [name, provider] : registry.providers) write_provider(json, provider);
  json.end_array();
  if (registry.webhooks != nullptr) write_webhooks(json, *registry.webhooks);
  json.end_object();
  auto canonical = canonicalize(text, {.depth = 128, .bytes = SIZE_MAX});
  HOLDFAST_ASSERT(canonical.has_value());
  return std::move(*canonical);
}

}  // namespace holdfast::registry
