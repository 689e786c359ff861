#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

/// Whether this is an RFC 6901 pointer below the root: steps that each begin with a slash, `~` only
/// in `~0` and `~1`.
[[nodiscard]] bool is_json_pointer(std::string_view pointer);

/// The text or the whole number at an RFC 6901 pointer: a text without its quotes and escapes, a
/// number as decimal digits. Nothing if `json` is not JSON, the pointer is none or leads nowhere, a
/// name on its way stands more than once in its object, or something else is there. Integers
/// beyond 64 bits and numbers with a fraction or an exponent are something else. Pure.
[[nodiscard]] std::optional<std::string> scalar_at(std::string_view json, std::string_view pointer);

}  // namespace holdfast
