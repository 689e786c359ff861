#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Base64 by RFC 4648, section 4: the alphabet with `+` and `/`, always padded.
namespace holdfast::signatures {

[[nodiscard]] std::string to_base64(std::string_view bytes);

/// Strict: no white space, no missing padding, no bits behind the last byte. Each sequence of bytes
/// has one spelling. Not in constant time: for what is public, or read once.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace holdfast::signatures
