#include "effects/circuit.hpp"

#include <gtest/gtest.h>

namespace holdfast::effects {
namespace {

using std::chrono::seconds;
using State = Circuit::State;

class EffectCircuit : public testing::Test {
 protected:
  EffectCircuit() { circuit_.set_limits(3, seconds(10)); }

  void fail(int times) {
    for (int i = 0; i < times; ++i) (void)circuit_.ended(false, now_);
  }

  Circuit circuit_;
  Time now_{seconds(1000)};
};

TEST_F(EffectCircuit, opens_after_so_many_failures_in_a_row) {
  fail(2);
  EXPECT_FALSE(circuit_.ended(true, now_));
  fail(2);
  EXPECT_EQ(circuit_.room(5, now_), 5U);
  EXPECT_TRUE(circuit_.ended(false, now_));
  EXPECT_EQ(circuit_.room(5, now_), 0U);
}

TEST_F(EffectCircuit, lets_one_call_through_after_the_pause) {
  fail(3);
  EXPECT_EQ(circuit_.room(5, now_ + seconds(10) - Duration(1)), 0U);
  now_ += seconds(10);
  EXPECT_EQ(circuit_.room(5, now_), 1U);
  circuit_.begun(now_);
  EXPECT_EQ(circuit_.room(5, now_), 0U);
  EXPECT_FALSE(circuit_.ended(false, now_));
  EXPECT_EQ(circuit_.room(5, now_ + seconds(9)), 0U);
  now_ += seconds(10);
  circuit_.begun(now_);
  EXPECT_TRUE(circuit_.ended(true, now_));
  EXPECT_EQ(circuit_.room(5, now_), 5U);
}

TEST_F(EffectCircuit, lets_another_through_if_the_one_came_to_nothing) {
  fail(3);
  now_ += seconds(10);
  circuit_.begun(now_);
  circuit_.withdrawn();
  EXPECT_EQ(circuit_.room(5, now_), 1U);
}

TEST_F(EffectCircuit, does_not_wait_longer_for_failures_of_calls_that_were_under_way) {
  fail(3);
  now_ += seconds(9);
  fail(3);
  now_ += seconds(1);
  EXPECT_EQ(circuit_.room(5, now_), 1U);
}

TEST_F(EffectCircuit, is_closed_by_a_call_that_was_under_way_and_worked) {
  fail(3);
  EXPECT_TRUE(circuit_.ended(true, now_));
  EXPECT_EQ(circuit_.state(), State::closed);
}

}  // namespace
}  // namespace holdfast::effects
