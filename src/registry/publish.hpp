#pragma once

#include <map>
#include <string>

#include "modules/commands/declaration.hpp"

namespace holdfast::registry {

/// Schemas of arguments as JSON, by the name of their command.
using SchemaTexts = std::map<std::string, std::string, std::less<>>;

/// Canonical JSON of everything that is declared, defaults filled in, and of the operations of the
/// modules. Secrets are only names in it.
[[nodiscard]] std::string published(const commands::Registry& registry, const SchemaTexts& schemas);

}  // namespace holdfast::registry
