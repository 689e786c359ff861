#include "base/large_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

/// A piece of memory that knows what should be in it.
struct Piece {
  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  unsigned char mark = 0;

  [[nodiscard]] bool whole() const {
    for (std::size_t i = 0; i < size; ++i) {
      if (bytes[i] != mark) return false;
    }
    return true;
  }
};

Piece make_piece(std::size_t size, unsigned char mark) {
  Piece piece{static_cast<unsigned char*>(allocate_large(size)), size, mark};
  std::memset(piece.bytes, mark, size);
  return piece;
}

/// Small and large ones, a few sizes over and over, and enough of them for large pages.
std::size_t some_size(std::mt19937_64& random) {
  constexpr std::size_t sizes[] = {16, 100, 1'023, 1'024, 1'025, 4'096, 13'000, 53'248, 262'144};
  if (random() % 50 == 0) return 1 + random() % 700'000;
  return sizes[random() % std::size(sizes)];
}

void come_and_go(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Piece> pieces;
  for (int i = 0; i < 6'000; ++i) {
    const bool shrink = i / 1'500 % 2 == 1;  // in waves: whole slabs empty and are cut anew
    if (pieces.empty() || random() % 8 < (shrink ? 2U : 6U)) {
      pieces.push_back(make_piece(some_size(random), static_cast<unsigned char>(random())));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(pieces.back().bytes) % 64, 0U);
    } else {
      std::swap(pieces[random() % pieces.size()], pieces.back());
      ASSERT_TRUE(pieces.back().whole()) << "somebody else wrote into it";
      free_large(pieces.back().bytes, pieces.back().size);
      pieces.pop_back();
    }
  }
  for (const Piece& each : pieces) {
    ASSERT_TRUE(each.whole());
    free_large(each.bytes, each.size);
  }
}

TEST(LargeMemory, pieces_never_overlap) { come_and_go(1); }

TEST(LargeMemory, several_threads_share_it) {
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 2; seed < 6; ++seed) threads.emplace_back(come_and_go, seed);
  for (std::thread& each : threads) each.join();
}

TEST(LargeMemory, arrays_begin_cleared_also_where_others_were_before) {
  constexpr std::size_t count = 100'000;
  for (int round = 0; round < 50; ++round) {
    std::vector<LargeArray<std::uint32_t>> arrays;
    for (int i = 0; i < 200; ++i) {
      auto& array = arrays.emplace_back(count / 100);
      for (std::size_t at = 0; at < array.size(); ++at) {
        ASSERT_EQ(array[at], 0U);
        array[at] = 7;
      }
    }
  }
}

TEST(LargeMemory, an_array_moves_with_its_elements) {
  LargeArray<std::string> one(3);
  one[2] = "a text too long for the string's own room";
  LargeArray<std::string> other = std::move(one);
  EXPECT_EQ(one.size(), 0U);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(other[2], "a text too long for the string's own room");
  other = LargeArray<std::string>(1);
  EXPECT_EQ(other[0], "");
}

}  // namespace
}  // namespace holdfast
