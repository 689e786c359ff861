#include "effects/providers.hpp"

#include <algorithm>

namespace holdfast::effects {
namespace {

using commands::Effect;
using commands::EffectKind;

/// Of an effect that workers lease, a dispatcher only asks what became of it.
constexpr Duration lease_of_questions = std::chrono::seconds(30);

Duration lease_of(const Effect& effect) {
  return effect.kind == EffectKind::pull ? lease_of_questions : effect.lease;
}

}  // namespace

/// Those of workers only to be asked about. Whoever does what has a probe must be able to ask, too.
bool Providers::is_ours(const Effect& effect) const {
  const bool asks = performers_.push != nullptr;
  switch (effect.kind) {
    case EffectKind::push:
      return asks && performers_.push->does(effect);
    case EffectKind::handler:
      return (asks || !effect.probe) && performers_.handler != nullptr &&
             performers_.handler->does(effect);
    case EffectKind::pull:
      return asks && effect.probe.has_value();
    default:
      return false;
  }
}

std::size_t ProviderState::room(Time now) const {
  if (leasing || now < not_before || in_flight >= concurrency_max) return 0;
  return circuit.room(concurrency_max - in_flight, now);
}

void Providers::follow(const std::shared_ptr<const commands::Registry>& registry) {
  if (registry == registry_ || registry == nullptr) return;
  registry_ = registry;
  std::map<std::string, Duration> leases;
  for (const auto& [name, command] : registry->commands) {
    const Effect& effect = command->effect;
    if (!is_ours(effect)) continue;
    Duration& lease = leases[effect.provider];
    lease = std::max(lease, lease_of(effect));
  }
  for (const auto& [name, lease] : leases) {
    const auto declared = registry->providers.find(name);
    const commands::Provider limits =
        declared == registry->providers.end() ? commands::Provider{} : declared->second;
    ProviderState& state = states_[name];
    state.name = name;
    state.lease = lease;
    state.concurrency_max = limits.concurrency_max;
    state.circuit.set_limits(limits.circuit_failures, limits.circuit_pause);
    state.woken = true;
  }
}

ProviderState* Providers::find(std::string_view name) {
  const auto found = states_.find(name);
  return found == states_.end() ? nullptr : &found->second;
}

void Providers::wake_all() {
  for (auto& [name, state] : states_) state.woken = true;
}

std::vector<ProviderState*> Providers::with_room(Time now) {
  std::vector<ProviderState*> found;
  for (auto& [name, state] : states_) {
    if (state.room(now) > 0) found.push_back(&state);
  }
  return found;
}

}  // namespace holdfast::effects
