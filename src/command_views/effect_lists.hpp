#pragma once

#include <optional>
#include <string>

#include "command_views/command_lists.hpp"
#include "command_views/effect_views.hpp"

/// Effects of a tenant's commands. They are found by their commands: queues are nobody's.
namespace holdfast::commands {

/// The effect of a command, open or given up; nothing if there is no such command, or none left.
[[nodiscard]] StoreResult<std::optional<EffectView>> find_effect(const Store& store,
                                                                 const std::string& tenant,
                                                                 const std::string& id);

/// Those of that status, or all, in the order of their commands. `asked.statuses` is not looked at.
[[nodiscard]] StoreResult<Page<EffectView>> list_effects_of(const Store& store, CommandsAsked asked,
                                                            std::optional<EffectStatus> status);

}  // namespace holdfast::commands
