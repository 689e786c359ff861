// Giving back what was confirmed: CAP-2. As much as was confirmed, and once.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class Cancel : public StoreTest {
 protected:
  Hold held(std::int64_t quantity) {
    if (!declared_) {
      EXPECT_THAT(harness().submit(declare("seats", 10, "d")), done());
    }
    declared_ = true;
    return harness().must_place(
        {.resource = "seats", .requester = "g", .duration = 1h, .quantity = quantity});
  }
  Hold confirmed(std::int64_t quantity) {
    const Hold hold = held(quantity);
    const Answer answer = harness().submit(confirm(hold.id, harness().next_token()));
    EXPECT_THAT(answer, in_state(HoldState::confirmed));
    return *answer.hold;
  }
  [[nodiscard]] std::int64_t in_use() {
    return harness().store().resource("default", "seats")->in_use;
  }

 private:
  bool declared_ = false;
};
HOLDFAST_ON_EVERY_STORE(Cancel);

TEST_P(Cancel, gives_back_all_that_was_confirmed) {
  Harness& on = harness();
  const Hold hold = confirmed(6);
  on.advance(1000h);
  const Answer answer = on.submit(cancel(hold.id, "x"));
  ASSERT_THAT(answer, done());
  EXPECT_THAT(answer, first());
  Hold expected = hold;
  expected.quantity_cancelled = 6;
  EXPECT_EQ(answer.hold, expected) << "it was confirmed, and that stays so";
  EXPECT_EQ(on.hold(hold.id), expected);
  EXPECT_EQ(in_use(), 0);
  EXPECT_EQ(held(10).quantity, 10);
}

TEST_P(Cancel, gives_back_parts_until_there_is_nothing_left) {
  Harness& on = harness();
  const Hold hold = confirmed(6);
  EXPECT_EQ(on.submit(cancel_part(hold.id, 2, "a")).hold->quantity_cancelled, 2);
  EXPECT_EQ(in_use(), 4);
  EXPECT_EQ(on.submit(cancel_part(hold.id, 3, "b")).hold->quantity_cancelled, 5);
  EXPECT_EQ(in_use(), 1);
  const Answer over = on.submit(cancel_part(hold.id, 2, "c"));
  EXPECT_THAT(over, refused(Rejection::quantity_exceeded));
  EXPECT_EQ(over.hold->quantity_cancelled, 5);
  EXPECT_EQ(on.submit(cancel(hold.id, "rest")).hold->quantity_cancelled, 6);
  EXPECT_EQ(in_use(), 0);
  EXPECT_THAT(on.submit(cancel(hold.id, "again")), refused(Rejection::not_confirmed));
  EXPECT_THAT(on.submit(cancel_part(hold.id, 1, "once more")), refused(Rejection::not_confirmed));
  EXPECT_EQ(in_use(), 0);
}

TEST_P(Cancel, twice_with_one_token_gives_back_once) {
  Harness& on = harness();
  const Hold hold = confirmed(6);
  const Answer original = on.submit(cancel_part(hold.id, 2, "x"));
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(on.submit(cancel_part(hold.id, 2, "x")), replay_of(original));
  EXPECT_EQ(in_use(), 4);
}

TEST_P(Cancel, twice_with_two_tokens_is_refused_the_second_time) {
  Harness& on = harness();
  const Hold hold = confirmed(6);
  EXPECT_THAT(on.submit(cancel(hold.id, "x")), done());
  const Answer second = on.submit(cancel(hold.id, "y"));
  EXPECT_THAT(second, refused(Rejection::not_confirmed));
  EXPECT_EQ(second.hold, on.hold(hold.id));
  EXPECT_EQ(in_use(), 0);
}

TEST_P(Cancel, of_what_was_never_confirmed_is_refused) {
  Harness& on = harness();
  const Hold one = held(2);
  const Hold released = held(2);
  const Hold expired = held(2);
  EXPECT_THAT(on.submit(cancel(one.id, "a")), refused(Rejection::not_confirmed));
  EXPECT_THAT(on.submit(release(released.id, "r")), done());
  EXPECT_THAT(on.submit(cancel(released.id, "b")), refused(Rejection::not_confirmed));
  on.at(expired.expires_at);
  EXPECT_THAT(on.submit(expire(expired.id, "e")), done());
  EXPECT_THAT(on.submit(cancel(expired.id, "c")), refused(Rejection::not_confirmed));
  EXPECT_THAT(on.submit(cancel(one.id, "d2")), refused(Rejection::not_confirmed)) << "lapsed";
  EXPECT_THAT(on.submit(cancel({77, 1}, "n")), refused(Rejection::not_known));
  EXPECT_THAT(on.submit(cancel({one.id.ordinal, one.id.salt ^ 1U}, "s")),
              refused(Rejection::not_known));
  EXPECT_THAT(on.submit(cancel(one.id, "t", {.tenant = "acme", .principal = "p"})),
              refused(Rejection::not_known));
}

TEST_P(Cancel, of_a_part_while_the_rest_is_still_held) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 4, "c")), done());
  const Answer answer = on.submit(cancel_part(hold.id, 3, "x"));
  EXPECT_THAT(answer, in_state(HoldState::held));
  EXPECT_EQ(answer.hold->quantity_confirmed, 4);
  EXPECT_EQ(answer.hold->quantity_cancelled, 3);
  EXPECT_EQ(in_use(), 3) << "two held, one confirmed";
  EXPECT_THAT(on.submit(confirm_part(hold.id, 3, "more")), refused(Rejection::quantity_exceeded))
      << "what was cancelled is not held again";
  EXPECT_THAT(on.submit(confirm(hold.id, "rest")), in_state(HoldState::confirmed));
  EXPECT_EQ(in_use(), 3);
  EXPECT_EQ(on.submit(cancel(hold.id, "all")).hold->quantity_cancelled, 6);
  EXPECT_EQ(in_use(), 0);
}

TEST_P(Cancel, of_an_expired_hold_gives_back_what_was_confirmed_of_it) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 4, "c")), done());
  on.at(hold.expires_at);
  EXPECT_THAT(on.submit(cancel_part(hold.id, 1, "lapsed")), done());
  EXPECT_EQ(in_use(), 3);
  EXPECT_EQ(on.sweep(), 1U);
  EXPECT_EQ(in_use(), 3);
  const Answer answer = on.submit(cancel(hold.id, "x"));
  EXPECT_THAT(answer, in_state(HoldState::expired));
  EXPECT_EQ(answer.hold->quantity_cancelled, 4);
  EXPECT_EQ(in_use(), 0);
}

TEST_P(Cancel, of_a_released_hold_gives_back_what_was_confirmed_of_it) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_part(hold.id, 4, "c")), done());
  ASSERT_THAT(on.submit(release(hold.id, "r")), done());
  EXPECT_EQ(in_use(), 4);
  const Answer answer = on.submit(cancel(hold.id, "x"));
  EXPECT_THAT(answer, in_state(HoldState::released));
  EXPECT_EQ(answer.hold->quantity_released(), 2);
  EXPECT_EQ(in_use(), 0);
}

TEST_P(Cancel, of_a_final_confirm_gives_back_no_more_than_that) {
  Harness& on = harness();
  const Hold hold = held(6);
  ASSERT_THAT(on.submit(confirm_finally(hold.id, 2, "f")), done());
  EXPECT_THAT(on.submit(cancel_part(hold.id, 3, "over")), refused(Rejection::quantity_exceeded));
  EXPECT_EQ(on.submit(cancel(hold.id, "x")).hold->quantity_cancelled, 2);
  EXPECT_EQ(in_use(), 0);
}

TEST_P(Cancel, in_one_batch_the_next_may_take_what_is_given_back) {
  Harness& on = harness();
  const Hold hold = confirmed(10);
  const Placing four{.resource = "seats", .requester = "g", .duration = 1h, .quantity = 4};
  const auto answers = on.submit({place(four, "p"), cancel_part(hold.id, 4, "x"), place(four, "q"),
                                  cancel_part(hold.id, 4, "x"), cancel_part(hold.id, 7, "y"),
                                  place(four, "r"), cancel(hold.id, "z"), place(four, "s")});
  EXPECT_THAT(answers[0], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[1], done());
  EXPECT_THAT(answers[2], done());
  EXPECT_THAT(answers[3], replay_of(answers[1]));
  EXPECT_THAT(answers[4], refused(Rejection::quantity_exceeded));
  EXPECT_THAT(answers[5], refused(Rejection::resource_unavailable));
  EXPECT_EQ(answers[6].hold->quantity_cancelled, 10);
  EXPECT_THAT(answers[7], done());
  EXPECT_EQ(in_use(), 8);
}

TEST_P(Cancel, survives_opening_the_store_again) {
  Harness& on = harness();
  const Hold hold = confirmed(6);
  ASSERT_THAT(on.submit(cancel_part(hold.id, 2, "a")), done());
  on.reopen();
  EXPECT_EQ(on.hold(hold.id).quantity_cancelled, 2);
  EXPECT_EQ(in_use(), 4);
  EXPECT_THAT(on.submit(cancel_part(hold.id, 5, "b")), refused(Rejection::quantity_exceeded));
  ASSERT_THAT(on.submit(cancel(hold.id, "c")), done());
  on.reopen();
  EXPECT_EQ(in_use(), 0);
  EXPECT_THAT(on.submit(cancel(hold.id, "e")), refused(Rejection::not_confirmed));
}

}  // namespace
}  // namespace holdfast::test
