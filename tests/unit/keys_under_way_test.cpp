#include "engine/keys_under_way.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast {
namespace {

/// All in one row of the index, were it to look at less than the whole key.
Hash128 numbered(std::uint64_t i) { return {7, i}; }

TEST(KeysUnderWay, are_there_from_the_first_call_to_the_last) {
  KeysUnderWay keys;
  EXPECT_FALSE(keys.contains(numbered(1)));
  keys.enter(numbered(1));
  keys.enter(numbered(1));
  keys.enter(numbered(2));
  EXPECT_TRUE(keys.contains(numbered(1)) && keys.contains(numbered(2)));
  EXPECT_FALSE(keys.contains(numbered(3)));
  keys.leave(numbered(1));
  EXPECT_TRUE(keys.contains(numbered(1)));
  keys.leave(numbered(1));
  EXPECT_FALSE(keys.contains(numbered(1)));
  EXPECT_TRUE(keys.contains(numbered(2)));
}

TEST(KeysUnderWay, leave_as_a_batch) {
  KeysUnderWay keys;
  const std::vector<std::uint64_t> batch{1, 2, 2, 3};
  for (const std::uint64_t each : batch) keys.enter(numbered(each));
  keys.enter(numbered(3));
  keys.leave(batch, numbered);
  EXPECT_FALSE(keys.contains(numbered(1)) || keys.contains(numbered(2)));
  EXPECT_TRUE(keys.contains(numbered(3)));
}

TEST(KeysUnderWayDeathTest, never_leave_twice) {
  KeysUnderWay keys;
  keys.enter(numbered(1));
  keys.leave(numbered(1));
  EXPECT_DEATH(keys.leave(numbered(1)), "");
}

}  // namespace
}  // namespace holdfast
