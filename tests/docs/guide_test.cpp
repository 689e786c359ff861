// The guide's examples, as tests. The text between the braces is the guide's, to the letter.

#include <gtest/gtest.h>

#include "holdfast/holdfast.hpp"

namespace {

TEST(Guide, testing_your_own_code) {
  using namespace std::chrono_literals;
  const holdfast::Instant start{1'700'000'000s};
  // clang-format off
auto clock = std::make_shared<holdfast::SettableClock>(start);
auto rooms = holdfast::open({.sweep_every = 0s, .clock = clock});
const auto held = rooms->place({.resource = "r", .requester = "q", .duration = 10min}, holdfast::Token("t1"));
clock->advance(10min);
const auto late = rooms->confirm(held.hold->id, holdfast::Token("t2"));
// late.rejection == holdfast::Rejection::window_elapsed
  // clang-format on
  EXPECT_EQ(late.rejection, holdfast::Rejection::window_elapsed);
}

}  // namespace
