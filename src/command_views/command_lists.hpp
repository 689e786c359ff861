#pragma once

#include <functional>
#include <span>
#include <string>

#include "modules/commands/command_row.hpp"
#include "store/store.hpp"

/// Commands of a tenant, newest first. Each status has a list of its own in the store; here they
/// are one, with one cursor.
namespace holdfast::commands {

struct CommandsAsked {
  std::string tenant;
  std::span<const Status> statuses = commands::statuses;
  std::string cursor{};
  std::size_t limit = page_items_default;
};

/// The commands that are wanted. A page may be shorter than asked for, and even empty, and still
/// have a next one: a long search is cut into steps. A command whose status changes meanwhile is
/// there once.
[[nodiscard]] StoreResult<Page<CommandRow>> list_commands_of(
    const Store& store, const CommandsAsked& asked,
    const std::function<bool(const CommandRow&)>& wanted);

/// The command with that id; nothing if there is none, or its key has another one by now.
[[nodiscard]] StoreResult<std::optional<CommandRow>> find_command(const Store& store,
                                                                  const std::string& tenant,
                                                                  const std::string& id);
/// The last command of a key.
[[nodiscard]] StoreResult<std::optional<CommandRow>> find_command_by_key(const Store& store,
                                                                         const std::string& tenant,
                                                                         const std::string& key);

}  // namespace holdfast::commands
