// Keys and fingerprints of commands: what is published, what we make and what a script that shares
// nothing with us makes are the same.

#include <gtest/gtest.h>
#include <simdjson.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "domain/canonical.hpp"
#include "modules/commands/envelope.hpp"
#include "support/command.hpp"
#include "support/json.hpp"
#include "support/paths.hpp"

namespace holdfast::commands {
namespace {

const std::string vectors_file = HOLDFAST_SOURCE_DIR "/docs/vectors/command_keys.json";

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Vector {
  std::string name;
  std::string tenant;
  BindingPrincipal principal = BindingPrincipal::actor;
  Envelope envelope;
  std::string inputs;
  std::string key;
  std::string fingerprint_inputs;
  std::string fingerprint;
  std::string same_key_as;
};

std::string text_at(simdjson::ondemand::object& object, std::string_view name) {
  std::string_view text;
  return object[name].get_string().get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

/// As it is written in the file, in canonical form; empty if it is not there.
std::string canonical_at(simdjson::ondemand::object& object, std::string_view name) {
  simdjson::ondemand::value value;
  if (object[name].get(value) != simdjson::SUCCESS) return {};
  std::string_view raw;
  if (simdjson::to_json_string(value).get(raw) != simdjson::SUCCESS) return {};
  const auto form = canonicalize(raw);
  return form ? *form : form.error().message;
}

Envelope envelope_in(simdjson::ondemand::object request) {
  Envelope envelope;
  envelope.actor = text_at(request, "actor_id");
  envelope.effective_actor = text_at(request, "effective_actor_id");
  if (envelope.effective_actor.empty()) envelope.effective_actor = envelope.actor;
  envelope.command_kind = text_at(request, "command_kind");
  envelope.correlation_id = text_at(request, "correlation_id");
  const std::string args = canonical_at(request, "args");
  if (!args.empty()) envelope.args = args;
  simdjson::ondemand::object intent = request["intent"].get_object();
  envelope.entity = text_at(intent, "entity");
  envelope.action = text_at(intent, "action");
  envelope.target = canonical_at(intent, "target");
  return envelope;
}

Vector vector_in(simdjson::ondemand::object object) {
  Vector vector;
  vector.name = text_at(object, "name");
  vector.tenant = text_at(object, "tenant");
  if (text_at(object, "principal") == name(BindingPrincipal::effective_actor))
    vector.principal = BindingPrincipal::effective_actor;
  vector.inputs = text_at(object, "key_inputs");
  vector.key = text_at(object, "key");
  vector.fingerprint_inputs = text_at(object, "fingerprint_inputs");
  vector.fingerprint = text_at(object, "fingerprint");
  vector.same_key_as = text_at(object, "same_key_as");
  vector.envelope = envelope_in(object["request"].get_object());
  return vector;
}

std::vector<Vector> published() {
  const simdjson::padded_string text(read_text(vectors_file));
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document = parser.iterate(text);
  std::vector<Vector> all;
  for (auto each : document["vectors"]) all.push_back(vector_in(each.get_object()));
  return all;
}

/// What the script says: a line for each vector and each refused text, its fields by tabs.
std::map<std::string, std::vector<std::string>> computed_by_script() {
  std::istringstream lines(test::output_of(
      "python3 '" HOLDFAST_SOURCE_DIR "/tests/unit/command_keys.py' '" + vectors_file + "'"));
  std::map<std::string, std::vector<std::string>> all;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    std::getline(fields, name, '\t');
    for (std::string field; std::getline(fields, field, '\t');) all[name].push_back(field);
  }
  return all;
}

TEST(CommandKeys, are_those_that_are_published) {
  const std::vector<Vector> vectors = published();
  EXPECT_GE(vectors.size(), 20U);
  for (const Vector& each : vectors) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(key_inputs(each.tenant, each.envelope, each.principal), each.inputs);
    EXPECT_EQ(derived_key(each.tenant, each.envelope, each.principal), each.key);
    EXPECT_EQ(fingerprint_inputs(each.tenant, each.envelope), each.fingerprint_inputs);
    EXPECT_EQ(sha256(each.fingerprint_inputs).hex(), each.fingerprint);
    EXPECT_EQ(canonicalize(each.inputs), each.inputs);
    EXPECT_EQ(canonicalize(each.fingerprint_inputs), each.fingerprint_inputs);
  }
}

TEST(CommandKeys, are_the_same_only_where_that_is_said) {
  std::map<std::string, std::string> first_with;
  for (const Vector& each : published()) {
    const auto [place, fresh] = first_with.emplace(each.key, each.name);
    EXPECT_EQ(fresh ? "" : place->second, each.same_key_as) << each.name;
  }
}

TEST(CommandKeys, are_what_an_independent_script_computes) {
  auto lines = computed_by_script();
  for (const Vector& each : published()) {
    const std::vector<std::string> wanted{each.key, each.fingerprint, each.inputs,
                                          each.fingerprint_inputs};
    EXPECT_EQ(lines[each.name], wanted) << each.name;
  }
}

TEST(CommandKeys, what_has_no_canonical_form_is_refused_by_both) {
  const test::Json document(read_text(vectors_file));
  auto lines = computed_by_script();
  ASSERT_GT(document.size("/refused"), 0U);
  for (std::size_t i = 0; i < document.size("/refused"); ++i) {
    const std::string at = "/refused/" + std::to_string(i);
    const auto form = canonicalize(document.text(at + "/json"));
    ASSERT_FALSE(form) << *form;
    EXPECT_EQ(to_string(form.error().kind), document.text(at + "/reason"));
    EXPECT_EQ(lines[document.text(at + "/name")], std::vector<std::string>{"refused"});
  }
}

Envelope an_envelope() {
  return {.actor = "web_shop",
          .effective_actor = "guest_g91",
          .entity = "payment",
          .action = "charge",
          .target = "\"order-1\"",
          .args = R"({"amount":1250})",
          .command_kind = "mutation",
          .correlation_id = "c-1"};
}

using Change = std::function<void(Envelope&)>;

/// Every input of the key but the tenant and the actors, each changed or left out.
std::map<std::string, Change> input_changes() {
  return {{"entity", [](Envelope& e) { e.entity = "deposit"; }},
          {"action", [](Envelope& e) { e.action = "capture"; }},
          {"target", [](Envelope& e) { e.target = "\"order-2\""; }},
          {"no target", [](Envelope& e) { e.target.clear(); }},
          {"target null", [](Envelope& e) { e.target = "null"; }},
          {"args", [](Envelope& e) { e.args = R"({"amount":1251})"; }},
          {"no args", [](Envelope& e) { e.args = "{}"; }},
          {"kind", [](Envelope& e) { e.command_kind = "other"; }},
          {"no kind", [](Envelope& e) { e.command_kind.clear(); }},
          // What moves from one member to another is another input, too.
          {"moved", [](Envelope& e) { std::swap(e.entity, e.action); }}};
}

TEST(CommandKeys, every_input_changes_the_key_and_the_fingerprint) {
  std::set<std::string> prints{fingerprint_inputs("acme", an_envelope())};
  for (const auto principal : {BindingPrincipal::actor, BindingPrincipal::effective_actor}) {
    std::set<std::string> keys{derived_key("acme", an_envelope(), principal)};
    for (const auto& [what, change] : input_changes()) {
      Envelope envelope = an_envelope();
      change(envelope);
      EXPECT_TRUE(keys.insert(derived_key("acme", envelope, principal)).second) << what;
      prints.insert(fingerprint_inputs("acme", envelope));
    }
    EXPECT_TRUE(keys.insert(derived_key("globex", an_envelope(), principal)).second);
  }
  prints.insert(fingerprint_inputs("globex", an_envelope()));
  EXPECT_EQ(prints.size(), input_changes().size() + 2);
}

TEST(CommandKeys, the_bound_actor_counts_and_the_other_does_not) {
  Envelope retried = an_envelope();
  retried.actor = "retry_job";
  Envelope for_another = an_envelope();
  for_another.effective_actor = "guest_k22";
  const auto key = [](const Envelope& envelope, BindingPrincipal principal) {
    return derived_key("acme", envelope, principal);
  };
  constexpr auto actor = BindingPrincipal::actor;
  constexpr auto effective = BindingPrincipal::effective_actor;
  EXPECT_NE(key(retried, actor), key(an_envelope(), actor));
  EXPECT_EQ(key(retried, effective), key(an_envelope(), effective));
  EXPECT_EQ(key(for_another, actor), key(an_envelope(), actor));
  EXPECT_NE(key(for_another, effective), key(an_envelope(), effective));
}

TEST(CommandKeys, what_is_ephemeral_counts_nowhere) {
  // Time stamps, message and trace ids are no members of an envelope at all.
  Envelope again = an_envelope();
  again.correlation_id = "c-2";
  for (const auto principal : {BindingPrincipal::actor, BindingPrincipal::effective_actor})
    EXPECT_EQ(derived_key("acme", again, principal), derived_key("acme", an_envelope(), principal));
  EXPECT_EQ(fingerprint_inputs("acme", again), fingerprint_inputs("acme", an_envelope()));
}

TEST(CommandKeys, the_fingerprint_has_every_input_of_the_key_and_more) {
  const test::Json print(fingerprint_inputs("acme", an_envelope()));
  for (const auto principal : {BindingPrincipal::actor, BindingPrincipal::effective_actor}) {
    const test::Json key(key_inputs("acme", an_envelope(), principal));
    for (const std::string& each : key.keys("")) {
      const bool bound = each == "actor" && principal == BindingPrincipal::effective_actor;
      EXPECT_EQ(print.raw(bound ? "/effective_actor" : "/" + each), key.raw("/" + each)) << each;
    }
    EXPECT_GT(print.keys("").size(), key.keys("").size());
  }
}

TEST(CommandKeys, enums_have_the_names_of_the_file_and_the_wire) {
  EXPECT_EQ(name(CommandClass::i0), "I0");
  EXPECT_EQ(name(CommandClass::i3), "I3");
  EXPECT_EQ(name(KeyOrigin::both), "both");
  EXPECT_EQ(name(BindingPrincipal::effective_actor), "effective_actor_id");
  EXPECT_EQ(name(ConfirmBy::other), "other");
  EXPECT_EQ(name(Shield::s4), "S4");
  EXPECT_EQ(name(EffectKind::handler), "handler");
}

}  // namespace
}  // namespace holdfast::commands
