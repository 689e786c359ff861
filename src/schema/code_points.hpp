#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::schema {

/// Takes the first character off UTF-8 text that is not empty. Whatever is not UTF-8 counts byte
/// for byte as U+FFFD, and never takes more than there is.
[[nodiscard]] char32_t take_code_point(std::string_view& text);

/// How many characters there are.
[[nodiscard]] std::size_t code_point_count(std::string_view text);

}  // namespace holdfast::schema
