#include "http/commands/effect_metrics.hpp"

#include <algorithm>

#include "holdfast/commands.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/json.hpp"

namespace holdfast::http {
namespace {

using commands::EffectRow;
using effects::Circuit;

/// Leases to workers that are remembered, at most: a worker that dies says nothing.
constexpr std::size_t given_max = 100'000;

constexpr std::string_view attempts_name = "holdfast_effect_attempts_total";
constexpr std::string_view seconds_name = "holdfast_effect_seconds";
constexpr std::string_view circuit_name = "holdfast_provider_circuit";
constexpr std::string_view waiting_name = "holdfast_effects_waiting";
constexpr std::string_view dead_name = "holdfast_effects_dead_total";

/// What a worker's report came to.
std::string_view outcome_of(const Answer& answer, const std::optional<commands::Settled>& settled) {
  if (answer.operation == Completing::operation) return "done";
  if (settled && settled->reason == commands::outcome_unknown) return "unknown";
  if (settled && settled->reason == "refused") return "refused";
  const auto moved = commands::Moved::read(answer.document);
  return moved && moved->uncertain ? "unknown" : "retry";
}

/// The provider of a queue: what stands after its first word, and of a worker's after the second.
std::pair<std::string, std::string_view> queue_named(std::string_view list) {
  const bool workers = list.starts_with("work ");
  list.remove_prefix(std::min(list.find(' ') + 1, list.size()));
  if (workers) list.remove_prefix(std::min(list.find(' ') + 1, list.size()));
  return {std::string(list), workers ? "worker" : "dispatcher"};
}

}  // namespace

EffectMetrics::EffectMetrics()
    : queues_(std::string(EffectRow::tenant_of_queues), EffectRow::space) {}

void EffectMetrics::count(const effects::Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  add(attempt.command, attempt.provider, name(attempt.stage), name(attempt.verdict),
      std::chrono::duration<double>(attempt.took).count());
}

void EffectMetrics::count(const Answer& answer) {
  if (answer.rejection || answer.replayed || answer.document.empty()) return;
  if (answer.operation == Leasing::operation) return note_leases(answer);
  if (answer.operation == Completing::operation || answer.operation == Failing::operation)
    note_report(answer);
}

void EffectMetrics::note_leases(const Answer& answer) {
  commands::ObjectReader reader(answer.document);
  const auto at = Steady::now();
  const std::lock_guard lock(mutex_);
  reader.array("effects", [&](const simdjson::dom::element& element) {
    std::string_view id;
    std::string_view provider;
    std::string_view entity;
    std::string_view action;
    const bool good = element["id"].get(id) == simdjson::SUCCESS &&
                      element["kind"].get(provider) == simdjson::SUCCESS &&
                      element["request"]["entity"].get(entity) == simdjson::SUCCESS &&
                      element["request"]["action"].get(action) == simdjson::SUCCESS;
    if (!good) return;
    given_[std::string(id)] = {fmt::format("{}.{}", entity, action), std::string(provider), at};
    given_first_.emplace_back(id);
  });
  for (; given_first_.size() > given_max; given_first_.pop_front())
    given_.erase(given_first_.front());
}

void EffectMetrics::note_report(const Answer& answer) {
  const auto settled = commands::Settled::read(answer.document);
  const std::string_view outcome = outcome_of(answer, settled);
  const std::lock_guard lock(mutex_);
  const auto given = given_.find(commands::id_in(answer.document));
  if (given == given_.end()) return add("", "", "call", outcome, -1);
  const auto took = std::chrono::duration<double>(Steady::now() - given->second.at).count();
  add(given->second.command, given->second.provider, "call", outcome, took);
  if (settled && settled->status == commands::Status::failed)
    ++dead_[{given->second.command, given->second.provider}];
  given_.erase(given);
}

/// Under the mutex. `seconds` below zero: nobody knows.
void EffectMetrics::add(const std::string& command, const std::string& provider,
                        std::string_view stage, std::string_view outcome, double seconds) {
  ++attempts_[{command, provider, std::string(stage), std::string(outcome)}];
  if (seconds < 0) return;
  auto& histogram = seconds_[provider];
  if (histogram == nullptr) histogram = std::make_unique<Seconds>(second_bounds);
  histogram->observe(seconds);
}

void EffectMetrics::count_dead(const std::string& command, const std::string& provider) {
  const std::lock_guard lock(mutex_);
  ++dead_[{command, provider}];
}

void EffectMetrics::ask_for_providers(std::function<effects::FiguresByProvider()> figures) {
  const std::lock_guard lock(mutex_);
  figures_ = std::move(figures);
}

void EffectMetrics::write(std::string& out, const Store& store) const {
  write_attempts(out);
  write_providers(out);
  write_waiting(out, store);
}

void EffectMetrics::write_attempts(std::string& out) const {
  const std::lock_guard lock(mutex_);
  write_head(out, attempts_name, "counter",
             "Attempts at effects, and questions about them, that ended on this node. Without "
             "names: leased through another.");
  for (const auto& [labels, value] : attempts_) {
    const auto& [command, provider, stage, outcome] = labels;
    write_line(out, attempts_name,
               fmt::format("command=\"{}\",provider=\"{}\",stage=\"{}\",outcome=\"{}\"", command,
                           provider, stage, outcome),
               value);
  }
  write_head(out, seconds_name, "histogram",
             "From the beginning of an attempt, or its lease to a worker, to what came of it.");
  for (const auto& [provider, seconds] : seconds_)
    seconds->write(out, seconds_name, fmt::format("provider=\"{}\"", provider));
  write_head(out, dead_name, "counter",
             "Effects that were given up: their commands failed, and an operator may retry them.");
  for (const auto& [labels, value] : dead_)
    write_line(out, dead_name,
               fmt::format("command=\"{}\",provider=\"{}\"", labels.first, labels.second), value);
}

void EffectMetrics::write_providers(std::string& out) const {
  effects::FiguresByProvider figures;
  {
    const std::lock_guard lock(mutex_);
    if (figures_) figures = figures_();
  }
  constexpr std::string_view in_flight = "holdfast_effects_in_flight";
  write_head(out, in_flight, "gauge", "Attempts under way on this node.");
  for (const auto& [provider, each] : figures)
    write_line(out, in_flight, fmt::format("provider=\"{}\"", provider), each.in_flight);
  write_head(out, circuit_name, "gauge",
             "Whether a provider is called from this node: 1 for the state it is in.");
  constexpr std::pair<Circuit::State, std::string_view> states[] = {
      {Circuit::State::closed, "closed"},
      {Circuit::State::open, "open"},
      {Circuit::State::trying, "trying"}};
  for (const auto& [provider, each] : figures) {
    for (const auto& [state, text] : states)
      write_line(out, circuit_name, fmt::format("provider=\"{}\",state=\"{}\"", provider, text),
                 each.circuit == state ? 1 : 0);
  }
}

/// Those of all tenants' workers together.
void EffectMetrics::write_waiting(std::string& out, const Store& store) const {
  std::map<std::pair<std::string, std::string_view>, std::uint64_t> waiting;
  for (const ListSize& each : queues_.counted(store))
    waiting[queue_named(each.parent)] += each.rows;
  write_head(out, waiting_name, "gauge",
             "Effects in the store that nobody has leased, by who is to lease them.");
  for (const auto& [labels, value] : waiting)
    write_line(out, waiting_name,
               fmt::format("provider=\"{}\",for=\"{}\"", labels.first, labels.second), value);
}

}  // namespace holdfast::http
