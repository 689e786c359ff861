#include "command_views/effect_lists.hpp"

#include <vector>

namespace holdfast::commands {
namespace {

/// The effect of a command: in the queues while it is open, and with the command once it failed.
/// Nothing if it has none.
StoreResult<std::optional<EffectView>> effect_of(const Store& store, CommandRow command) {
  if (!command.open()) {
    auto left = EffectRow::read(command.effect);
    if (!left || command.status != Status::failed) return std::nullopt;
    return EffectView{std::move(command), std::move(*left)};
  }
  const auto page =
      store.rows(EffectRow::tenant_of_queues,
                 {.space = EffectRow::space, .key = std::string(row_key_in(command.id))});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return std::nullopt;
  const auto& effect = *row_of<EffectRow>(&page->items.front().row);
  if (effect.id != command.id || effect.tenant.empty()) return std::nullopt;
  return EffectView{std::move(command), effect};
}

/// Which commands may have an effect of that status.
std::vector<Status> statuses_of(std::optional<EffectStatus> status) {
  if (status == EffectStatus::waiting || status == EffectStatus::leased)
    return {Status::in_progress};
  if (status == EffectStatus::dead) return {Status::failed};
  return {Status::in_progress, Status::failed};
}

}  // namespace

StoreResult<std::optional<EffectView>> find_effect(const Store& store, const std::string& tenant,
                                                   const std::string& id) {
  auto command = find_command(store, tenant, id);
  if (!command) return tl::unexpected(command.error());
  if (!*command) return std::nullopt;
  return effect_of(store, std::move(**command));
}

StoreResult<Page<EffectView>> list_effects_of(const Store& store, CommandsAsked asked,
                                              std::optional<EffectStatus> status) {
  const std::vector<Status> of_commands = statuses_of(status);
  asked.statuses = of_commands;
  Page<EffectView> page;
  StoreResult<void> trouble;
  const auto commands = list_commands_of(store, asked, [&](const CommandRow& row) {
    auto found = effect_of(store, row);
    if (!found) trouble = tl::unexpected(found.error());
    const bool takes = found && *found && (!status || (*found)->status() == *status);
    if (takes) page.items.push_back(std::move(**found));
    return takes;
  });
  if (!commands) return tl::unexpected(commands.error());
  if (!trouble) return tl::unexpected(trouble.error());
  page.next = commands->next;
  return page;
}

}  // namespace holdfast::commands
