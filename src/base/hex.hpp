#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Bytes as hexadecimal digits, in lower case only, so that each has one spelling.
namespace holdfast {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

[[nodiscard]] inline std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    text += hex_digits[static_cast<unsigned char>(byte) >> 4U];
    text += hex_digits[static_cast<unsigned char>(byte) & 15U];
  }
  return text;
}

/// To as many bytes as there is room for, no fewer and no more.
template <typename Bytes>
[[nodiscard]] bool from_hex(std::string_view text, Bytes& bytes) {
  if (text.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t high = hex_digits.find(text[2 * i]);
    const std::size_t low = hex_digits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    bytes[i] = static_cast<typename Bytes::value_type>(high * 16 + low);
  }
  return true;
}

}  // namespace holdfast
