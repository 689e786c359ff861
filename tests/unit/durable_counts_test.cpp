#include "store/sqlite/state/durable_counts.hpp"

#include <gtest/gtest.h>

namespace holdfast::sqlite {
namespace {

Counts after(std::uint64_t records, std::uint64_t live_tokens) {
  return {.records = records, .holds = records, .live_tokens = live_tokens};
}

TEST(DurableCounts, are_those_of_the_last_durable_commit) {
  DurableCounts counts;
  counts.committed(after(0, 0), 0);
  counts.committed(after(10, 10), 0);
  counts.committed(after(25, 25), 0);
  EXPECT_EQ(counts.at(0).holds, 0U);
  EXPECT_EQ(counts.at(9).holds, 0U);
  EXPECT_EQ(counts.at(10).holds, 10U);
  EXPECT_EQ(counts.at(24).holds, 10U);
  EXPECT_EQ(counts.at(25).holds, 25U);
  EXPECT_EQ(counts.at(99).holds, 25U);
}

/// What was durable at the last commit is not asked for again: only what came since is kept.
TEST(DurableCounts, drop_what_nobody_can_ask_for) {
  DurableCounts counts;
  for (std::uint64_t i = 0; i < 1000; ++i) counts.committed(after(i, i), i);
  EXPECT_EQ(counts.at(999).holds, 999U);
  EXPECT_EQ(counts.at(0).holds, 999U);
}

TEST(DurableCounts, lose_forgotten_tokens_at_once) {
  DurableCounts counts;
  counts.committed(after(3, 3), 0);
  counts.committed(after(10, 10), 3);
  counts.forgotten(4);
  EXPECT_EQ(counts.at(3).live_tokens, 0U);
  EXPECT_EQ(counts.at(10).live_tokens, 6U);
  EXPECT_EQ(counts.at(10).holds, 10U);
}

}  // namespace
}  // namespace holdfast::sqlite
