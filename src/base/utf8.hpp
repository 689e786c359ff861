#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// Whether `text` is well-formed UTF-8: shortest forms only, no surrogates, nothing past U+10FFFF.
// Needs no padding behind `text`. Pure and safe to call from any thread.
[[nodiscard]] bool is_valid_utf8(std::string_view text) noexcept;

// The text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string to_valid_utf8(std::string_view bytes);

// Whether `left` comes before `right` when both are compared as sequences of UTF-16 code units,
// the order RFC 8785 (3.2.3) gives to object members. It is not byte order: U+1F600 comes before
// U+FB33. Precondition: both are valid UTF-8. A strict weak ordering; pure.
[[nodiscard]] bool utf16_less(std::string_view left, std::string_view right) noexcept;

}  // namespace holdfast
