#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast {

/// A short text in a place of its own, for what every answer has and nobody keeps: instants, ids.
class ShortText {
 public:
  static constexpr std::size_t size_max = 47;

  ShortText() = default;
  /// At most `size_max` bytes.
  explicit ShortText(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
    text.copy(bytes_.data(), size_);
  }

  operator std::string_view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, size_max> bytes_;  // only what `size_` counts is ever read
  std::uint8_t size_ = 0;
};

}  // namespace holdfast
