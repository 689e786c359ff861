#include "base/utf8.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>

namespace holdfast {
namespace {

// UTF-8 sorts by code point, UTF-16 does too except that surrogate pairs (lead bytes F0..F4) come
// before U+E000..U+FFFF (lead bytes EE and EF). Moving those two behind the pairs repairs it.
unsigned utf16_rank(char byte) noexcept {
  const unsigned value = static_cast<unsigned char>(byte);
  return value == 0xEE || value == 0xEF ? value + 0x10 : value;
}

// How many bytes the well-formed character at the front has; 0 if there is none.
std::size_t character_size(std::string_view text) {
  for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (is_valid_utf8(text.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

bool is_valid_utf8(std::string_view text) noexcept {
  return text.empty() || simdjson::validate_utf8(text.data(), text.size());
}

std::string to_valid_utf8(std::string_view bytes) {
  if (is_valid_utf8(bytes)) return std::string(bytes);
  std::string text;
  while (!bytes.empty()) {
    const std::size_t size = character_size(bytes);
    text += size == 0 ? std::string_view("\uFFFD") : bytes.substr(0, size);
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

bool utf16_less(std::string_view left, std::string_view right) noexcept {
  const std::size_t common = std::min(left.size(), right.size());
  std::size_t i = 0;
  while (i < common && left[i] == right[i]) ++i;
  // The prefixes are equal, so both bytes here are lead bytes or both are continuations.
  // Continuations never exceed 0xBF, so ranking every byte alike is safe.
  if (i == common) return left.size() < right.size();
  return utf16_rank(left[i]) < utf16_rank(right[i]);
}

}  // namespace holdfast
