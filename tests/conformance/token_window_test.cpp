// Duplicate Prevention through the port: DP-1, DP-2, DP-3, DP-4, and with them IR-6 and
// IR-7, to the microsecond.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class TokenWindow : public StoreTest {};
HOLDFAST_ON_EVERY_STORE(TokenWindow);

const Placing room_for_a_day{.resource = "room_307", .requester = "guest_g91", .duration = 24h};

TEST_P(TokenWindow, a_token_is_seen_until_one_microsecond_before_its_window_ends) {
  Harness& on = harness();
  const Answer original = on.submit(place(room_for_a_day, "t"));
  for (const Duration later : {Duration(0), Duration(1us), Duration(10min) - 1us}) {
    on.at(start + later);
    EXPECT_THAT(on.submit(place(room_for_a_day, "t")), replay_of(original));
  }
  EXPECT_EQ(on.store().counts().holds, 1U);
}

TEST_P(TokenWindow, at_exactly_the_window_a_token_is_not_seen) {
  Harness& on = harness();
  const Answer original = on.submit(place(room_for_a_day, "t"));
  on.at(start + 10min);
  EXPECT_FALSE(*on.store().token("default", "t"));
  const Answer again = on.submit(place(room_for_a_day, "t"));
  EXPECT_THAT(again, refused(Rejection::resource_unavailable)) << "a fresh request, judged anew";
  EXPECT_THAT(again, first());
  EXPECT_EQ(again.token_expires, start + 20min);
}

TEST_P(TokenWindow, after_the_window_too) {
  Harness& on = harness();
  const Answer original = on.submit(place(room_for_a_day, "t"));
  on.at(start + 10min + 1us);
  EXPECT_THAT(on.submit(confirm(original.hold->id, "t")), done())
      << "the binding is gone: the token may serve another operation";
}

TEST_P(TokenWindow, a_replay_never_moves_the_end_of_the_window) {
  Harness& on = harness();
  const Answer original = on.submit(place(room_for_a_day, "t"));
  for (int minute = 1; minute < 10; ++minute) {
    on.at(start + std::chrono::minutes(minute));
    const Answer again = on.submit(place(room_for_a_day, "t"));
    EXPECT_THAT(again, replay_of(original));
    EXPECT_EQ(again.token_expires, start + 10min);
  }
  on.at(start + 10min);
  EXPECT_THAT(on.submit(place(room_for_a_day, "t")), first());
}

TEST_P(TokenWindow, a_collision_never_moves_it_either) {
  Harness& on = harness();
  const Answer original = on.submit(place(room_for_a_day, "t"));
  on.at(start + 10min - 1us);
  EXPECT_THAT(on.submit(release(original.hold->id, "t")), refused(Rejection::token_collision));
  on.at(start + 10min);
  EXPECT_THAT(on.submit(release(original.hold->id, "t")), done());
}

TEST_P(TokenWindow, looking_a_token_up_changes_nothing) {
  Harness& on = harness();
  EXPECT_FALSE(*on.store().token("default", "t"));
  const Answer original = on.submit(place(room_for_a_day, "t"));
  const std::uint64_t records = on.records();
  on.at(start + 9min);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(*on.store().token("default", "t"));
  EXPECT_EQ(on.records(), records);
  EXPECT_EQ((*on.store().token("default", "t"))->answer.token_expires, original.token_expires);
}

TEST_P(TokenWindow, a_token_recorded_afresh_has_a_whole_window_again) {
  Harness& on = harness();
  on.submit(place(room_for_a_day, "t"));
  on.at(start + 10min);
  const Answer second = on.submit(place(room_for_a_day, "t"));
  on.at(start + 20min - 1us);
  EXPECT_THAT(on.submit(place(room_for_a_day, "t")), replay_of(second));
  on.at(start + 20min);
  EXPECT_THAT(on.submit(place(room_for_a_day, "t")), first());
}

TEST_P(TokenWindow, forgetting_is_not_needed_for_a_window_to_end_nor_does_it_hasten_it) {
  Harness& on = harness();
  const Answer original = on.submit(place(room_for_a_day, "t"));
  on.at(start + 10min - 1us);
  EXPECT_FALSE(on.store().forget_expired(100));
  EXPECT_EQ(on.store().counts().live_tokens, 1U);
  EXPECT_THAT(on.submit(place(room_for_a_day, "t")), replay_of(original));
  on.at(start + 10min);
  EXPECT_FALSE(on.store().forget_expired(100));
  EXPECT_EQ(on.store().counts().live_tokens, 0U);
  EXPECT_FALSE(*on.store().token("default", "t"));
}

TEST_P(TokenWindow, forgetting_goes_in_bounded_steps) {
  Harness& on = harness();
  std::vector<Call> calls;
  for (int i = 0; i < 25; ++i) calls.push_back(confirm({}, on.next_token()));
  on.submit(std::move(calls));
  EXPECT_EQ(on.store().counts().live_tokens, 25U);
  on.at(start + 10min);
  EXPECT_TRUE(on.store().forget_expired(10));
  EXPECT_EQ(on.store().counts().live_tokens, 15U);
  int steps = 1;
  while (on.store().forget_expired(10)) ASSERT_LT(++steps, 10);
  EXPECT_EQ(on.store().counts().live_tokens, 0U);
}

TEST_P(TokenWindow, a_token_used_afresh_survives_the_forgetting_of_its_first_life) {
  Harness& on = harness();
  on.submit(place(room_for_a_day, "t"));
  on.at(start + 10min);
  const Answer second = on.submit(place(room_for_a_day, "t"));
  on.at(start + 15min);
  while (on.store().forget_expired(1)) {
  }
  EXPECT_THAT(on.submit(place(room_for_a_day, "t")), replay_of(second));
}

TEST_P(TokenWindow, windows_survive_opening_the_store_again) {
  Harness& on = harness();
  const Answer original = on.submit(place(room_for_a_day, "t"));
  on.at(start + 10min - 1us);
  on.reopen();
  EXPECT_THAT(on.submit(place(room_for_a_day, "t")), replay_of(original));
  on.at(start + 10min);
  on.reopen();
  EXPECT_FALSE(*on.store().token("default", "t"));
  EXPECT_THAT(on.submit(place(room_for_a_day, "t")), first());
}

TEST_P(TokenWindow, outcome_and_guard_come_and_go_together) {
  Harness& on = harness();
  on.submit(place(room_for_a_day, "t"));
  for (Duration later = 0s; later < 21min; later += 1min) {
    on.at(start + later);
    const bool seen = later < 10min;
    const auto found = *on.store().token("default", "t");
    EXPECT_EQ(found.has_value(), seen);
    EXPECT_TRUE(!found || found->answer.recorded) << "a token without an outcome cannot exist";
  }
}

}  // namespace
}  // namespace holdfast::test
