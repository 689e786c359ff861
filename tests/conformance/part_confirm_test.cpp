// Holds that are confirmed in parts: CAP-1, CAP-2. The rest stays held until it is confirmed,
// released or lapses.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class PartConfirm : public StoreTest {
 protected:
  /// Ten seats, and a hold of some of them.
  Hold held(std::int64_t quantity) {
    if (!declared_) {
      EXPECT_THAT(harness().submit(declare("seats", 10, "d")), done());
    }
    declared_ = true;
    return harness().must_place(
        {.resource = "seats", .requester = "g", .duration = 1h, .quantity = quantity});
  }
  [[nodiscard]] std::int64_t in_use() {
    return harness().store().resource("default", "seats")->in_use;
  }
  void expect(const Hold& hold, HoldState state, std::int64_t confirmed, std::int64_t released) {
    EXPECT_EQ(hold.state, state);
    EXPECT_EQ(hold.quantity_confirmed, confirmed);
    EXPECT_EQ(hold.quantity_released(), released);
    EXPECT_EQ(hold.quantity_cancelled, 0);
    EXPECT_EQ(harness().hold(hold.id), hold) << "and so it is looked up";
  }

 private:
  bool declared_ = false;
};
HOLDFAST_ON_EVERY_STORE(PartConfirm);

TEST_P(PartConfirm, the_rest_stays_held) {
  Harness& on = harness();
  const Hold hold = held(6);
  on.advance(1min);
  const Answer answer = on.submit(confirm_part(hold.id, 2, "a"));
  ASSERT_THAT(answer, done());
  EXPECT_THAT(answer, first());
  Hold expected = hold;
  expected.quantity_confirmed = 2;
  EXPECT_EQ(answer.hold, expected);
  EXPECT_FALSE(answer.hold->resolved_at);
  EXPECT_EQ(on.hold(hold.id), expected);
  EXPECT_EQ(in_use(), 6) << "all of it is still taken";
  EXPECT_EQ(on.store().counts().live_holds, 1U);
  EXPECT_EQ(on.store().counts().confirmed_holds, 0U);
}

TEST_P(PartConfirm, part_by_part_until_all_of_it_is_confirmed) {
  Harness& on = harness();
  const Hold hold = held(6);
  expect(*on.submit(confirm_part(hold.id, 2, "a")).hold, HoldState::held, 2, 0);
  expect(*on.submit(confirm_part(hold.id, 1, "b")).hold, HoldState::held, 3, 0);
  on.advance(1min);
  const Answer last = on.submit(confirm_part(hold.id, 3, "c"));
  expect(*last.hold, HoldState::confirmed, 6, 0);
  EXPECT_EQ(last.hold->resolved_at, start + 1min);
  EXPECT_THAT(on.submit(confirm_part(hold.id, 1, "e")), refused(Rejection::not_held));
  on.advance(1000h);
  EXPECT_EQ(on.sweep(), 0U);
  EXPECT_EQ(in_use(), 6);
  EXPECT_EQ(on.store().counts().confirmed_holds, 1U);
}

TEST_P(PartConfirm, then_the_rest_at_once) {
  Harness& on = harness();
  const Hold hold = held(6);
  expect(*on.submit(confirm_part(hold.id, 2, "a")).hold, HoldState::held, 2, 0);
  expect(*on.submit(confirm(hold.id, "rest")).hold, HoldState::confirmed, 6, 0);
  EXPECT_EQ(in_use(), 6);
}

TEST_P(PartConfirm, finally_releases_the_rest_at_once) {
  Harness& on = harness();
  const Hold hold = held(6);
  const Answer answer = on.submit(confirm_finally(hold.id, 2, "f"));
  expect(*answer.hold, HoldState::confirmed, 2, 4);
  EXPECT_EQ(answer.hold->resolved_at, start);
  EXPECT_EQ(in_use(), 2);
  EXPECT_EQ(held(8).quantity, 8) << "the rest is free again";
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), refused(Rejection::not_held));
  EXPECT_THAT(on.submit(release(hold.id, "r")), refused(Rejection::not_held));
}

TEST_P(PartConfirm, parts_and_then_finally) {
  Harness& on = harness();
  const Hold hold = held(6);
  expect(*on.submit(confirm_part(hold.id, 1, "a")).hold, HoldState::held, 1, 0);
  expect(*on.submit(confirm_finally(hold.id, 3, "f")).hold, HoldState::confirmed, 4, 2);
  EXPECT_EQ(in_use(), 4);
}

TEST_P(PartConfirm, finally_all_of_what_is_held_is_confirming_it) {
  Harness& on = harness();
  const Hold hold = held(6);
  expect(*on.submit(confirm_finally(hold.id, 6, "f")).hold, HoldState::confirmed, 6, 0);
  EXPECT_EQ(in_use(), 6);
}

TEST_P(PartConfirm, releasing_gives_back_what_is_still_held) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 2, "a")), done());
  expect(*on.submit(release(hold.id, "r")).hold, HoldState::released, 2, 4);
  EXPECT_EQ(in_use(), 2);
  EXPECT_EQ(held(8).quantity, 8);
  EXPECT_THAT(on.submit(confirm_part(hold.id, 1, "b")), refused(Rejection::not_held));
}

TEST_P(PartConfirm, what_is_still_held_lapses_and_what_is_confirmed_does_not) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 2, "a")), done());
  on.at(hold.expires_at - 1us);
  EXPECT_EQ(in_use(), 6);
  EXPECT_THAT(on.submit(confirm_part(hold.id, 1, "b")), done());
  on.at(hold.expires_at);
  EXPECT_EQ(in_use(), 3);
  EXPECT_THAT(on.submit(confirm_part(hold.id, 1, "late")), refused(Rejection::window_elapsed));
  EXPECT_EQ(on.sweep(), 1U);
  expect(on.hold(hold.id), HoldState::expired, 3, 0);
  EXPECT_EQ(in_use(), 3);
  EXPECT_EQ(held(7).quantity, 7);
}

TEST_P(PartConfirm, placing_over_a_lapsed_rest_gets_no_more_than_the_rest) {
  Harness& on = harness();
  const Hold first_hold = held(6);
  const Hold second = held(4);
  ASSERT_THAT(on.submit(confirm_part(first_hold.id, 5, "a")), done());
  ASSERT_THAT(on.submit(confirm_part(second.id, 3, "b")), done());
  on.at(first_hold.expires_at);
  EXPECT_EQ(in_use(), 8);
  const Placing three{.resource = "seats", .requester = "g", .duration = 1h, .quantity = 3};
  EXPECT_THAT(on.submit(place(three, "three")), refused(Rejection::resource_unavailable));
  EXPECT_EQ(on.state(first_hold.id), HoldState::held) << "it would have been in vain";
  EXPECT_EQ(held(2).quantity, 2);
  EXPECT_EQ(on.state(first_hold.id), HoldState::expired);
  EXPECT_EQ(on.state(second.id), HoldState::expired);
  EXPECT_EQ(in_use(), 10);
}

TEST_P(PartConfirm, no_more_than_is_still_held) {
  Harness& on = harness();
  const Hold hold = held(6);
  const Answer over = on.submit(confirm_part(hold.id, 7, "over"));
  EXPECT_THAT(over, refused(Rejection::quantity_exceeded));
  EXPECT_EQ(over.hold, hold);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 4, "a")), done());
  EXPECT_THAT(on.submit(confirm_part(hold.id, 3, "b")), refused(Rejection::quantity_exceeded));
  EXPECT_THAT(on.submit(confirm_finally(hold.id, 3, "c")), refused(Rejection::quantity_exceeded));
  expect(on.hold(hold.id), HoldState::held, 4, 0);
  EXPECT_THAT(on.submit(confirm_part(hold.id, 2, "e")), in_state(HoldState::confirmed));
  EXPECT_THAT(on.submit(confirm_part(hold.id, 7, "over")), replay_of(over));
}

TEST_P(PartConfirm, quantities_out_of_bounds_are_invalid) {
  Harness& on = harness();
  const Hold hold = held(6);
  for (const std::int64_t wrong :
       {std::int64_t{0}, std::int64_t{-1}, quantity_max + 1,
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_THAT(on.submit(confirm_part(hold.id, wrong, on.next_token())),
                invalid(Reason::quantity_bounds))
        << wrong;
    EXPECT_THAT(on.submit(cancel_part(hold.id, wrong, on.next_token())),
                invalid(Reason::quantity_bounds))
        << wrong;
  }
  EXPECT_THAT(on.submit(confirm_part(hold.id, quantity_max, "most")),
              refused(Rejection::quantity_exceeded));
  EXPECT_EQ(on.hold(hold.id), hold);
}

TEST_P(PartConfirm, of_a_part_is_another_request_than_of_all) {
  Harness& on = harness();
  const Hold hold = held(6);
  const Answer answer = on.submit(confirm_part(hold.id, 6, "t"));
  EXPECT_THAT(answer, in_state(HoldState::confirmed));
  EXPECT_THAT(on.submit(confirm(hold.id, "t")), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(confirm_finally(hold.id, 6, "t")), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(confirm_part(hold.id, 5, "t")), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(confirm_part(hold.id, 6, "t")), replay_of(answer));
}

TEST_P(PartConfirm, the_rest_can_be_extended_and_lapses_then) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 2, "a")), done());
  const Answer extended = on.submit(extend(hold.id, 2h, "e"));
  expect(*extended.hold, HoldState::held, 2, 0);
  EXPECT_EQ(extended.hold->expires_at, start + 2h);
  on.at(start + 2h - 1us);
  EXPECT_EQ(in_use(), 6);
  on.at(start + 2h);
  EXPECT_EQ(in_use(), 2);
  EXPECT_EQ(held(8).quantity, 8);
}

TEST_P(PartConfirm, the_capacity_cannot_go_below_what_is_confirmed_and_held) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 2, "a")), done());
  EXPECT_THAT(on.submit(declare("seats", 5, "d5")), refused(Rejection::capacity_in_use));
  ASSERT_THAT(on.submit(confirm_finally(hold.id, 1, "f")), done());
  EXPECT_THAT(on.submit(declare("seats", 2, "d2")), refused(Rejection::capacity_in_use));
  EXPECT_THAT(on.submit(declare("seats", 3, "d3")), done());
}

TEST_P(PartConfirm, in_one_batch_each_call_sees_those_before_it) {
  Harness& on = harness();
  const Hold hold = held(10);
  const Placing four{.resource = "seats", .requester = "g", .duration = 1h, .quantity = 4};
  const auto answers =
      on.submit({confirm_part(hold.id, 3, "a"), place(four, "p"), confirm_part(hold.id, 8, "b"),
                 confirm_finally(hold.id, 3, "c"), place(four, "q"), confirm_part(hold.id, 3, "a"),
                 confirm_finally(hold.id, 3, "c")});
  EXPECT_EQ(answers[0].hold->quantity_confirmed, 3);
  EXPECT_THAT(answers[1], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[2], refused(Rejection::quantity_exceeded));
  EXPECT_EQ(answers[3].hold->quantity_confirmed, 6);
  EXPECT_THAT(answers[4], done());
  EXPECT_THAT(answers[5], replay_of(answers[0]));
  EXPECT_THAT(answers[6], replay_of(answers[3]));
  EXPECT_EQ(in_use(), 10);
}

TEST_P(PartConfirm, survives_opening_the_store_again) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 2, "a")), done());
  on.reopen();
  expect(on.hold(hold.id), HoldState::held, 2, 0);
  EXPECT_EQ(in_use(), 6);
  EXPECT_THAT(on.submit(confirm_part(hold.id, 5, "b")), refused(Rejection::quantity_exceeded));
  ASSERT_THAT(on.submit(confirm_finally(hold.id, 1, "f")), done());
  on.reopen();
  expect(on.hold(hold.id), HoldState::confirmed, 3, 3);
  EXPECT_EQ(in_use(), 3);
  EXPECT_EQ(held(7).quantity, 7);
}

}  // namespace
}  // namespace holdfast::test
