#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"

namespace holdfast {

/// A short text in a place of its own, for what every answer has and nobody keeps: instants, ids.
class ShortText {
 public:
  static constexpr std::size_t size_max = 47;

  /// At most `size_max` bytes.
  explicit ShortText(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
    HOLDFAST_ASSERT(text.size() <= size_max);
    text.copy(bytes_.data(), size_);
  }

  /// Good for as long as this is.
  operator std::string_view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, size_max> bytes_;  // only what `size_` counts is ever read
  std::uint8_t size_ = 0;
};

}  // namespace holdfast
