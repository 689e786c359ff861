#include "http/commands/dead_effects.hpp"

#include "command_views/command_lists.hpp"
#include "http/commands/effect_metrics.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/effect_row.hpp"
#include "modules/commands/kinds.hpp"

namespace holdfast::http {
namespace {

struct GivenUp {
  std::string tenant;
  std::string id;
};

void look_up(Application& application, const std::vector<GivenUp>& all) {
  for (const auto& [tenant, id] : all) {
    const auto command = commands::find_command(application.store(), tenant, id);
    if (!command || !*command) continue;
    const auto effect = commands::EffectRow::read((*command)->effect);
    if (!effect) continue;  // it was tried again meanwhile
    application.effect_metrics().count_dead(effect->entity + "." + effect->action,
                                            effect->provider);
  }
}

}  // namespace

void count_dead_effects(Application& application, std::span<const Record> swept) {
  std::vector<GivenUp> all;
  for (const Record& each : swept) {
    if (each.kind != commands::kinds::settled) continue;
    const auto settled = commands::Settled::read(each.detail);
    if (settled && settled->status == commands::Status::failed)
      all.push_back({each.tenant, settled->id});
  }
  if (all.empty()) return;
  application.run([&application, all = std::move(all)] { look_up(application, all); });
}

}  // namespace holdfast::http
