#include "base/siphash.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <set>
#include <string>

namespace holdfast {
namespace {

constexpr HashKey reference_key{0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};  // 00 01 … 0f

std::string hex(const Hash128& hash) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {hash.low, hash.high}) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      const auto byte = static_cast<std::size_t>((half >> shift) & 0xffU);
      text += digits[byte >> 4U];
      text += digits[byte & 15U];
    }
  }
  return text;
}

/// The bytes 00 01 02 … of that length.
std::string counting(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(i);
  return bytes;
}

// From the reference implementation's vectors_sip128; `openssl mac … SIPHASH` agrees.
TEST(Siphash, matches_the_reference_vectors) {
  const std::vector<std::pair<std::size_t, std::string>> vectors{
      {0, "a3817f04ba25a8e66df67214c7550293"},  {1, "da87c1d86b99af44347659119b22fc45"},
      {2, "8177228da4a45dc7fca38bdef60affe4"},  {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},
      {8, "3b62a9ba6258f5610f83e264f31497b4"},  {15, "5493e99933b0a8117e08ec0f97cfc3d9"},
      {16, "6ee2a4ca67b054bbfd3315bf85230577"}, {63, "5150d1772f50834a503e069a973fbd7c"}};
  for (const auto& [length, expected] : vectors) {
    EXPECT_EQ(hex(siphash128(reference_key, counting(length))), expected) << length;
  }
}

TEST(Siphash, depends_on_every_bit_of_key_and_input) {
  const std::string input = counting(24);
  std::set<std::string> seen{hex(siphash128(reference_key, input))};
  for (std::size_t bit = 0; bit < 128; ++bit) {
    HashKey key = reference_key;
    key[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    EXPECT_TRUE(seen.insert(hex(siphash128(key, input))).second);
  }
  for (std::size_t bit = 0; bit < 8 * input.size(); ++bit) {
    std::string other = input;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(seen.insert(hex(siphash128(reference_key, other))).second);
  }
}

TEST(Siphash, a_pair_is_told_apart_from_every_other_split) {
  std::set<std::string> seen;
  const std::string whole = counting(40);
  for (std::size_t at = 0; at <= whole.size(); ++at) {
    const std::string_view text = whole;
    EXPECT_TRUE(
        seen.insert(hex(siphash128(reference_key, text.substr(0, at), text.substr(at)))).second);
  }
  // Lengths that are equal in their low byte, which is all the padding keeps.
  const std::string long_first(256, 'a');
  EXPECT_NE(siphash128(reference_key, long_first, ""), siphash128(reference_key, "", long_first));
}

}  // namespace
}  // namespace holdfast
