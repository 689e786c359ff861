#include "effects/stir.hpp"

#include "effects/reports.hpp"
#include "holdfast/commands.hpp"
#include "modules/commands/prepare.hpp"

namespace holdfast::effects {
namespace {

void add_provider_of(const Submitting& what, Stir& stir) {
  if (what.prepared == nullptr || what.prepared->declaration == nullptr) return;
  const commands::Effect& effect = what.prepared->declaration->effect;
  const bool called =
      effect.kind == commands::EffectKind::push || effect.kind == commands::EffectKind::handler;
  if (called && !stir.providers.contains(effect.provider)) stir.providers.insert(effect.provider);
}

}  // namespace

Stir stir_of(const BatchReport& batch) {
  Stir stir;
  stir.any = batch.swept > 0;  // leases that ended
  for (const Work& each : batch.work) {
    const Command& command = each.request.command();
    if (const auto* const what = command.as<Submitting>()) {
      add_provider_of(*what, stir);
    } else if (command.as<Retrying>() != nullptr) {
      stir.any = true;
    } else if (command.as<Failing>() != nullptr) {
      // A worker's: its effect may be ours to ask about.
      stir.any = stir.any || each.request.call.caller.principal != engine_principal;
    }
  }
  return stir;
}

}  // namespace holdfast::effects
