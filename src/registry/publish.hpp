#pragma once

#include <string>

#include "modules/commands/declaration.hpp"

namespace holdfast::registry {

/// Canonical JSON of everything that is declared, defaults filled in, and of the operations of the
/// modules. Secrets are only names in it.
[[nodiscard]] std::string published(const commands::Registry& registry);

}  // namespace holdfast::registry
