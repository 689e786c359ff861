#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>

#include "registry/member.hpp"

namespace holdfast::registry {

/// A TOML value as JSON text. Notes what JSON has no word for: dates, times, `nan` and `inf`.
[[nodiscard]] std::string json_of(const toml::node& value, Problems& problems);

/// What a JSON pointer points to, or as far towards it as there is something.
[[nodiscard]] const toml::node& node_at(const toml::node& root, std::string_view pointer);

}  // namespace holdfast::registry
