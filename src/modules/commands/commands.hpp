#pragma once

#include "domain/module.hpp"

/// The module of commands: any change of state exactly once, effects outside included. See
/// `holdfast/commands.hpp` for the words.
namespace holdfast::commands {

[[nodiscard]] std::unique_ptr<ModuleBooks> make_books();

extern const Module module;

}  // namespace holdfast::commands
