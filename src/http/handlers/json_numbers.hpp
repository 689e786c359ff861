#pragma once

#include <string_view>

namespace holdfast::http {

/// Whether every number in a text, which must be JSON, is one that all programs read alike (RFC
/// 7493, 2.2). Those with more digits than a double has are rounded by some without a word.
[[nodiscard]] bool has_exchangeable_numbers(std::string_view json);

}  // namespace holdfast::http
