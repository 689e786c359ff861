#include "modules/commands/prepare.hpp"

#include <simdjson.h>

#include "base/hex.hpp"
#include "base/utf8.hpp"
#include "domain/canonical.hpp"
#include "modules/commands/command_row.hpp"
#include "modules/commands/envelope.hpp"
#include "modules/commands/json.hpp"
#include "schema/schema.hpp"

namespace holdfast::commands {
namespace {

constexpr std::size_t misfits_told_max = 20;

Envelope envelope_of(const Submitting& what) {
  return {.actor = what.actor,
          .effective_actor = what.effective_actor,
          .entity = what.entity,
          .action = what.action,
          .target = what.target,
          .args = what.args,
          .command_kind = what.command_kind,
          .correlation_id = what.correlation_id};
}

std::string misfits_text(const std::vector<schema::Misfit>& misfits) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (std::size_t i = 0; i < misfits.size() && i < misfits_told_max; ++i) {
    json.begin_object();
    text_member(json, "detail", misfits[i].text);
    const std::string& pointer = misfits[i].pointer;
    constexpr std::string_view beside = "/..";  // not of the arguments
    text_member(json, "pointer",
                pointer.starts_with(beside) ? pointer.substr(beside.size()) : "/args" + pointer);
    json.end_object();
  }
  json.end_array();
  return text;
}

std::string one_misfit(std::string_view pointer, std::string_view detail) {
  return misfits_text({{std::string(pointer), "", std::string(detail)}});
}

/// JSON as it is kept. What is none becomes a text, which is at least some JSON; then it is false.
bool make_canonical(std::string& json) {
  if (json.empty()) return true;
  auto canonical = canonicalize(json, {.bytes = json.size()});
  if (canonical) {
    json = std::move(*canonical);
    return true;
  }
  std::string text;
  JsonWriter(text).string(is_valid_utf8(json) ? json : to_hex(json));
  json = std::move(text);
  return false;
}

/// Judges the arguments, and seals what is secret in them.
void judge_args(const Submitting& what, const Declaration& declaration, const Sealer& sealer,
                std::string_view tenant, Prepared& prepared) {
  prepared.args = what.args;
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element args;
  simdjson::dom::object object;
  if (parser.parse(what.args.data(), what.args.size()).get(args) != simdjson::SUCCESS ||
      args.get(object) != simdjson::SUCCESS) {
    prepared.misfits = one_misfit("", "This must be an object.");
    return;
  }
  if (what.args.find("\"$sealed\"") != std::string::npos) {
    prepared.misfits = one_misfit("", "The member name $sealed is the engine's own.");
    return;
  }
  if (declaration.args == nullptr) return;
  const auto misfits = declaration.args->check(args);
  if (!misfits.empty()) {
    prepared.misfits = misfits_text(misfits);
    // Whatever is secret is secret also where the rest is wrong.
  }
  prepared.args = seal_all(what.args, declaration.args->secrets_in(args), sealer, tenant);
}

/// A text as JSON, sealed.
std::string sealed_text(const std::string& text, const Sealer& sealer, std::string_view scope) {
  std::string json;
  JsonWriter(json).string(text);
  return seal_all(json, {""}, sealer, scope);
}

/// What the envelope says and a call has a place for.
void take_over(Submitting& what, Call& call) {
  if (call.token.bytes().empty()) call.token = Token(what.idempotency_key);
  if (call.confirmation.empty()) call.confirmation = what.confirmation;
}

/// What of the envelope is not so, whatever its declaration says.
std::string contradiction_in(const Submitting& what, const Call& call) {
  if (!what.tenant.empty() && what.tenant != call.caller.tenant)
    return one_misfit("/../tenant_id", "This is not the caller's tenant.");
  if (!what.idempotency_key.empty() && what.idempotency_key != call.token.bytes())
    return one_misfit("/../idempotency_key", "The Idempotency-Key header says another key.");
  return {};
}

/// The key of a call: the caller's, or the derived one, as its declaration says.
void settle_key(Call& call, const Envelope& envelope, const Declaration& declaration,
                Prepared& prepared) {
  if (declaration.key == KeyOrigin::client) return;
  const std::string& given = call.token.bytes();
  const bool must_agree = declaration.key == KeyOrigin::derived || given.starts_with("ik1-");
  if (!given.empty() && !must_agree) return;
  prepared.derived_key = derived_key(call.caller.tenant, envelope, declaration.principal);
  if (given.empty()) call.token = Token(prepared.derived_key);
  prepared.disagrees = call.token.bytes() != prepared.derived_key;
}

}  // namespace

void Preparer::put_in_force(std::shared_ptr<const Registry> registry) {
  const std::lock_guard lock(mutex_);
  registry_ = std::move(registry);
}

std::shared_ptr<const Registry> Preparer::registry() const {
  const std::lock_guard lock(mutex_);
  return registry_;
}

void Preparer::operator()(Call& call) const {
  const auto* const given = call.command.as<Submitting>();
  if (given == nullptr) return;
  Submitting what = *given;
  if (what.actor.empty()) what.actor = call.caller.principal;
  if (what.effective_actor.empty()) what.effective_actor = what.actor;
  take_over(what, call);
  if (what.args.empty()) what.args = "{}";
  (void)make_canonical(what.args);  // a text is no object, so it does not fit
  const bool target_is_json = make_canonical(what.target);
  const auto prepared = std::make_shared<Prepared>();
  const auto registry = this->registry();
  if (registry != nullptr) {
    prepared->registry = registry->digest;
    prepared->declaration = registry->find(what.entity, what.action);
  }
  const Envelope envelope = envelope_of(what);
  const std::string& tenant = call.caller.tenant;
  const Declaration* const declaration = prepared->declaration.get();
  Envelope same = envelope;
  if (declaration != nullptr && declaration->principal == BindingPrincipal::effective_actor)
    same.actor = same.effective_actor;  // who acts for somebody does not make it another command
  prepared->fingerprint = fingerprint_inputs(tenant, same);
  if (declaration != nullptr) {
    judge_args(what, *declaration, sealer_, tenant, *prepared);
    settle_key(call, envelope, *declaration, *prepared);
  }
  if (!target_is_json) prepared->misfits = one_misfit("/../intent/target", "This must be JSON.");
  if (std::string wrong = contradiction_in(what, call); !wrong.empty())
    prepared->misfits = std::move(wrong);
  if (declaration != nullptr && declaration->effect.kind != EffectKind::none)
    prepared->sealed_token = sealed_text(call.token.bytes(), sealer_, tenant);
  prepared->row_key = row_key(call.caller.tenant, call.token.bytes());
  what.prepared = prepared;
  call.command = Command(std::move(what));
}

}  // namespace holdfast::commands
