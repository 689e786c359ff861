#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace holdfast {

/// 128 bits of keyed hash: enough to stand for the hashed bytes where the key is secret,
/// because nobody can then look for two inputs that meet.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

using HashKey = std::array<std::uint64_t, 2>;

/// SipHash-2-4 with 128 bits of output.
[[nodiscard]] Hash128 siphash128(const HashKey& key, std::string_view bytes);

/// The same over two strings; distinct pairs are distinct inputs, wherever they are split.
[[nodiscard]] Hash128 siphash128(const HashKey& key, std::string_view first,
                                 std::string_view second);

}  // namespace holdfast
