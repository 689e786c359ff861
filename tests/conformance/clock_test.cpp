// A clock may step in either direction; the store's own time never runs back (PC-8).

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class ClockSteps : public StoreTest {};
HOLDFAST_ON_EVERY_STORE(ClockSteps);

TEST_P(ClockSteps, after_a_step_back_time_stands_still_until_the_clock_has_caught_up) {
  Harness& on = harness();
  on.at(start + 1h);
  const Hold hold = on.must_place(room);
  on.at(start);
  EXPECT_EQ(on.now(), start + 1h);
  const Answer second = on.submit(place({.resource = "b", .requester = "g", .duration = 1h}, "b"));
  EXPECT_EQ(second.hold->placed_at, start + 1h);
  on.at(start + 1h + 1us);
  EXPECT_EQ(on.now(), start + 1h + 1us);
  EXPECT_EQ(on.state(hold.id), HoldState::held);
}

TEST_P(ClockSteps, a_step_back_forgets_no_token_and_keeps_none_longer_than_its_window) {
  Harness& on = harness();
  on.at(start + 1h);
  const Answer original = on.submit(place(room, "t"));
  on.at(start - 1000h);
  EXPECT_THAT(on.submit(place(room, "t")), replay_of(original));
  on.at(start + 1h + 10min - 1us);
  EXPECT_THAT(on.submit(place(room, "t")), replay_of(original));
  on.at(start + 1h + 10min);
  EXPECT_THAT(on.submit(place(room, "t")), first());
}

TEST_P(ClockSteps, a_step_back_revives_no_lapsed_hold) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at);
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), refused(Rejection::window_elapsed));
  on.at(start);
  EXPECT_THAT(on.submit(confirm(hold.id, "c2")), refused(Rejection::window_elapsed))
      << "the refusal is on record: time went that far";
  EXPECT_THAT(on.submit(expire(hold.id, "e")), done());
}

TEST_P(ClockSteps, a_step_forward_lapses_what_it_passes) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(start + 24h * 365 * 100);
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), refused(Rejection::window_elapsed));
  on.must_place(room);
  EXPECT_EQ(on.state(hold.id), HoldState::expired);
}

TEST_P(ClockSteps, what_was_forgotten_during_a_wrong_step_forward_stays_forgotten) {
  Harness& on = harness();
  on.submit(place(room, "t"));
  on.at(start + 1h);
  EXPECT_FALSE(on.store().forget_expired(100));
  on.at(start + 1min);
  EXPECT_GE(on.now(), start + 1h) << "or else the token could be used twice within its window";
  EXPECT_THAT(on.submit(place(room, "t")), first());
}

TEST_P(ClockSteps, a_wrong_step_forward_that_nobody_noticed_forgets_nothing) {
  Harness& on = harness();
  const Answer original = on.submit(place(room, "t"));
  on.at(start + 1h);
  EXPECT_FALSE(*on.store().token("default", "t"));
  on.at(start + 1min);
  EXPECT_THAT(on.submit(place(room, "t")), replay_of(original));
}

TEST_P(ClockSteps, time_does_not_run_back_when_the_store_is_opened_again) {
  Harness& on = harness();
  on.at(start + 1h);
  const Answer original = on.submit(place(room, "t"));
  on.at(start);
  on.reopen();
  EXPECT_EQ(on.now(), start + 1h);
  EXPECT_THAT(on.submit(place(room, "t")), replay_of(original));
  EXPECT_EQ(on.must_place({.resource = "b", .requester = "g", .duration = 1h}).placed_at,
            start + 1h);
}

TEST_P(ClockSteps, a_wrong_clock_at_opening_lets_no_token_run_twice_within_its_window) {
  Harness& on = harness();
  const Answer original = on.submit(place(room, "t"));
  on.at(start + 1h);
  on.reopen();
  on.at(start + 1min);
  const Answer again = on.submit(place(room, "t"));
  EXPECT_TRUE(again.replayed || on.now() >= original.token_expires) << words(again);
}

TEST_P(ClockSteps, one_reading_serves_a_whole_batch) {
  Harness& on = harness();
  std::vector<Call> calls;
  for (int i = 0; i < 10; ++i) {
    const std::string name = on.next_token();
    calls.push_back(place({.resource = name, .requester = "g", .duration = 1h}, name));
  }
  for (const Answer& answer : on.submit(std::move(calls))) {
    EXPECT_EQ(answer.hold->placed_at, start);
  }
}

TEST_P(ClockSteps, records_are_in_order_of_time_whatever_the_clock_does) {
  Harness& on = harness();
  for (const Duration step : std::vector<Duration>{5min, -3min, 1h, -2h, 0min, 90min, -1min}) {
    on.advance(step);
    on.must_place({.resource = on.next_token(), .requester = "g", .duration = 1h});
    on.sweep();
  }
  Instant before = start;
  const auto records = *on.store().records(0, 1000);
  for (const Record& record : records) {
    EXPECT_GE(record.at, before);
    before = record.at;
  }
}

}  // namespace
}  // namespace holdfast::test
