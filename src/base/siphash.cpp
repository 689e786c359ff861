#include "base/siphash.hpp"

#include <bit>
#include <cstring>

namespace holdfast {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  explicit State(const HashKey& key)
      : v0(key[0] ^ 0x736f6d6570736575ULL),
        v1(key[1] ^ 0x646f72616e646f6dULL ^ 0xee),
        v2(key[0] ^ 0x6c7967656e657261ULL),
        v3(key[1] ^ 0x7465646279746573ULL) {}

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }

  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  void absorb(std::string_view bytes) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, 8);
      absorb(word);
    }
    std::uint64_t last = static_cast<std::uint64_t>(bytes.size() & 0xff) << 56;
    // Little endian: the low bytes. An empty view may point to nothing, which memcpy must not see.
    if (at < bytes.size()) std::memcpy(&last, bytes.data() + at, bytes.size() - at);
    absorb(last);
  }

  Hash128 finish() {
    Hash128 out;
    v2 ^= 0xee;
    for (int i = 0; i < 4; ++i) round();
    out.low = v0 ^ v1 ^ v2 ^ v3;
    v1 ^= 0xdd;
    for (int i = 0; i < 4; ++i) round();
    out.high = v0 ^ v1 ^ v2 ^ v3;
    return out;
  }
};

static_assert(std::endian::native == std::endian::little);

}  // namespace

Hash128 siphash128(const HashKey& key, std::string_view bytes) {
  State state(key);
  state.absorb(bytes);
  return state.finish();
}

Hash128 siphash128(const HashKey& key, std::string_view first, std::string_view second) {
  State state(key);
  state.absorb(static_cast<std::uint64_t>(first.size()));  // where the first one ends
  state.absorb(first);
  state.absorb(second);
  return state.finish();
}

}  // namespace holdfast
