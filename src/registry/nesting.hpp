#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holdfast::registry {

struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Where a TOML text nests values or dotted keys deeper than any registry needs. Looked for before
/// it is parsed: parser and tree follow nesting by recursion.
[[nodiscard]] std::optional<Place> nested_too_deep(std::string_view toml);

}  // namespace holdfast::registry
