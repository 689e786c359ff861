#include "effects/leases.hpp"

#include "modules/commands/json.hpp"

namespace holdfast::effects {
namespace {

namespace dom = simdjson::dom;
using commands::ObjectReader;
using commands::Shield;

std::optional<Shield> shield_named(std::string_view wanted) {
  for (const Shield each : {Shield::s1, Shield::s2, Shield::s3, Shield::s4}) {
    if (name(each) == wanted) return each;
  }
  return std::nullopt;
}

bool read_request(const dom::element& element, Job& job) {
  ObjectReader request(element);
  commands::Envelope& envelope = job.envelope;
  request.text("action", envelope.action, true);
  request.text("actor_id", envelope.actor);
  request.json("args", envelope.args);
  request.text("correlation_id", envelope.correlation_id);
  request.text("effective_actor_id", envelope.effective_actor);
  request.text("entity", envelope.entity, true);
  request.json("idempotency_key", job.sealed_key);
  request.json("target", envelope.target);
  return request.good();
}

bool read_effect(const dom::element& element, Job& job) {
  ObjectReader effect(element);
  std::string shield;
  std::string stage;
  effect.text("id", job.id, true);
  effect.number("fence", job.fence, true);
  effect.number("attempt", job.attempt, true);
  effect.text("kind", job.provider, true);
  effect.json("result", job.result);
  effect.text("shield", shield, true);
  effect.text("stage", stage, true);
  effect.text("tenant", job.tenant, true);
  effect.flag("uncertain", job.uncertain);
  const auto shield_found = shield_named(shield);
  const auto stage_found = commands::stage_named(stage);
  dom::element request;
  if (!effect.good() || !shield_found || !stage_found) return false;
  if (element["request"].get(request) != simdjson::SUCCESS) return false;
  job.shield = *shield_found;
  job.stage = *stage_found;
  return read_request(request, job);
}

/// The values that are sealed in `sealed`, as they stand in `opened`, the same document.
void collect(const dom::element& sealed, const dom::element& opened,
             std::vector<std::string>& found) {
  dom::object object;
  dom::array array;
  if (sealed.get(object) == simdjson::SUCCESS) {
    if (object.size() == 1 && object["$sealed"].error() == simdjson::SUCCESS) {
      found.push_back(commands::canonical_text(opened));
      return;
    }
    for (const auto& each : object) {
      dom::element other;
      if (opened.at_key(each.key).get(other) == simdjson::SUCCESS)
        collect(each.value, other, found);
    }
  } else if (sealed.get(array) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const auto& each : array) {
      dom::element other;
      if (opened.at(index++).get(other) == simdjson::SUCCESS) collect(each, other, found);
    }
  }
}

}  // namespace

std::optional<std::vector<Job>> read_leases(std::string_view document) {
  dom::parser parser;
  dom::element root;
  dom::array effects;
  if (parser.parse(document.data(), document.size()).get(root) != simdjson::SUCCESS ||
      root["effects"].get(effects) != simdjson::SUCCESS)
    return std::nullopt;
  std::vector<Job> jobs;
  for (const dom::element& each : effects) {
    if (!read_effect(each, jobs.emplace_back())) return std::nullopt;
  }
  return jobs;
}

bool open_arguments(Job& job, const commands::Sealer& sealer) {
  const auto key = commands::open_all(job.sealed_key, sealer, job.tenant);
  dom::parser key_parser;
  std::string_view opened_key;
  if (!key || key_parser.parse(*key).get(opened_key) != simdjson::SUCCESS) return false;
  job.key = opened_key;
  const std::string sealed = job.envelope.args;
  job.args_shown = sealed;
  if (sealed.find("\"$sealed\"") == std::string::npos) return true;
  auto opened = commands::open_all(sealed, sealer, job.tenant);
  if (!opened) return false;
  job.args_shown = commands::without_secrets(sealed);
  job.envelope.args = std::move(*opened);
  dom::parser sealed_parser;
  dom::parser opened_parser;
  dom::element before;
  dom::element after;
  if (sealed_parser.parse(sealed).get(before) != simdjson::SUCCESS ||
      opened_parser.parse(job.envelope.args).get(after) != simdjson::SUCCESS)
    return false;
  collect(before, after, job.sealed);
  return true;
}

}  // namespace holdfast::effects
