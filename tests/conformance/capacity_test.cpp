// CAP-1 and CAP-2: quantities sum, never wrap, and are returned exactly once.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();

class Capacity : public StoreTest {
 protected:
  Placing seats(std::int64_t quantity, Duration duration = 1h) const {
    return {.resource = "seats", .requester = "g", .duration = duration, .quantity = quantity};
  }
  std::int64_t in_use() { return harness().store().resource("default", "seats")->in_use; }
};
HOLDFAST_ON_EVERY_STORE(Capacity);

TEST_P(Capacity, is_one_unless_declared) {
  Harness& on = harness();
  EXPECT_EQ(*on.store().resource("default", "seats"),
            (Resource{.name = "seats", .capacity = 1, .in_use = 0, .declared = false}));
  on.must_place(seats(1));
  EXPECT_EQ(*on.store().resource("default", "seats"),
            (Resource{.name = "seats", .capacity = 1, .in_use = 1, .declared = false}));
  EXPECT_THAT(on.submit(place(seats(1), "t")), refused(Rejection::resource_unavailable));
}

TEST_P(Capacity, a_declaration_answers_what_was_declared) {
  Harness& on = harness();
  const Answer answer = on.submit(declare("seats", 5, "d"));
  ASSERT_THAT(answer, done());
  EXPECT_THAT(answer, first());
  EXPECT_EQ(answer.resource->name, "seats");
  EXPECT_EQ(answer.resource->capacity, 5);
  EXPECT_EQ(answer.token_expires, never) << "declaring is class I1: its token is kept for good";
  EXPECT_EQ(*on.store().resource("default", "seats"),
            (Resource{.name = "seats", .capacity = 5, .in_use = 0, .declared = true}));
}

TEST_P(Capacity, quantities_sum_up_to_the_capacity_and_not_beyond) {
  Harness& on = harness();
  on.submit(declare("seats", 10, "d"));
  on.must_place(seats(4));
  on.must_place(seats(5));
  EXPECT_THAT(on.submit(place(seats(2), "t2")), refused(Rejection::resource_unavailable));
  EXPECT_EQ(in_use(), 9);
  on.must_place(seats(1));
  EXPECT_EQ(in_use(), 10);
  EXPECT_THAT(on.submit(place(seats(1), "t1")), refused(Rejection::resource_unavailable));
}

TEST_P(Capacity, a_quantity_above_the_whole_capacity_is_invalid) {
  Harness& on = harness();
  on.submit(declare("seats", 10, "d"));
  EXPECT_THAT(on.submit(place(seats(11), "t")), invalid(Reason::quantity_above_capacity));
  EXPECT_THAT(on.submit(place(seats(10), "u")), done());
}

TEST_P(Capacity, quantities_out_of_bounds_are_invalid_and_never_wrap) {
  Harness& on = harness();
  on.submit(declare("seats", quantity_max, "d"));
  on.must_place(seats(quantity_max - 1));
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-1}, int64_min, int64_max,
                                   quantity_max + 1, int64_max - quantity_max}) {
    EXPECT_THAT(on.submit(place(seats(wrong), on.next_token())), invalid(Reason::quantity_bounds))
        << wrong;
  }
  EXPECT_THAT(on.submit(place(seats(quantity_max), "most")),
              refused(Rejection::resource_unavailable));
  EXPECT_THAT(on.submit(place(seats(2), "two")), refused(Rejection::resource_unavailable));
  on.must_place(seats(1));
  EXPECT_EQ(in_use(), quantity_max);
}

TEST_P(Capacity, capacities_out_of_bounds_are_invalid) {
  Harness& on = harness();
  for (const std::int64_t wrong :
       {std::int64_t{0}, std::int64_t{-5}, int64_min, int64_max, quantity_max + 1}) {
    EXPECT_THAT(on.submit(declare("seats", wrong, on.next_token())),
                invalid(Reason::capacity_bounds))
        << wrong;
  }
  EXPECT_FALSE(on.store().resource("default", "seats")->declared);
  EXPECT_THAT(on.submit(declare("", 5, "blank")), invalid(Reason::resource_blank));
}

TEST_P(Capacity, is_never_lowered_below_what_is_in_use) {
  Harness& on = harness();
  on.submit(declare("seats", 10, "d10"));
  on.must_place(seats(3));
  const Hold confirmed = on.must_place(seats(4));
  EXPECT_THAT(on.submit(confirm(confirmed.id, "c")), done());
  const Answer refusal = on.submit(declare("seats", 6, "d6"));
  EXPECT_THAT(refusal, refused(Rejection::capacity_in_use));
  EXPECT_FALSE(refusal.resource);
  EXPECT_EQ(on.store().resource("default", "seats")->capacity, 10);
  EXPECT_THAT(on.submit(declare("seats", 7, "d7")), done());
  EXPECT_THAT(on.submit(place(seats(1), "t")), refused(Rejection::resource_unavailable));
  EXPECT_THAT(on.submit(declare("seats", 8, "d8")), done());
  EXPECT_THAT(on.submit(place(seats(1), "u")), done());
  EXPECT_THAT(on.submit(declare("seats", 6, "d6")), replay_of(refusal));
}

TEST_P(Capacity, lapsed_holds_do_not_stop_it_from_being_lowered) {
  Harness& on = harness();
  on.submit(declare("seats", 10, "d"));
  const Hold early = on.must_place(seats(6, 1min));
  on.must_place(seats(4, 1h));
  on.at(early.expires_at - 1us);
  EXPECT_THAT(on.submit(declare("seats", 4, "too soon")), refused(Rejection::capacity_in_use));
  on.at(early.expires_at);
  EXPECT_THAT(on.submit(declare("seats", 4, "now")), done());
  EXPECT_EQ(on.state(early.id), HoldState::expired) << "or else it would exceed the capacity";
  EXPECT_EQ(in_use(), 4);
}

TEST_P(Capacity, is_returned_exactly_once) {
  Harness& on = harness();
  on.submit(declare("seats", 5, "d"));
  const Hold released = on.must_place(seats(2));
  const Hold lapsed = on.must_place(seats(3, 1min));
  EXPECT_THAT(on.submit(release(released.id, "r")), done());
  on.submit(release(released.id, "r"));
  on.submit(release(released.id, "r2"));
  EXPECT_EQ(in_use(), 3);
  on.at(lapsed.expires_at);
  EXPECT_EQ(in_use(), 0);
  EXPECT_THAT(on.submit(expire(lapsed.id, "e")), done());
  on.submit(expire(lapsed.id, "e"));
  on.submit(expire(lapsed.id, "e2"));
  EXPECT_EQ(on.sweep(), 0U);
  EXPECT_EQ(in_use(), 0);
  on.must_place(seats(5));
  EXPECT_THAT(on.submit(place(seats(1), "t")), refused(Rejection::resource_unavailable));
}

TEST_P(Capacity, one_place_expires_as_many_lapsed_holds_as_it_needs_earliest_first) {
  Harness& on = harness();
  on.submit(declare("seats", 10, "d"));
  const Hold third = on.must_place(seats(3, 3min));
  const Hold first_hold = on.must_place(seats(3, 1min));
  const Hold second = on.must_place(seats(3, 2min));
  on.at(start + 5min);
  const std::uint64_t before = on.records();
  on.must_place(seats(6));
  EXPECT_EQ(on.state(first_hold.id), HoldState::expired);
  EXPECT_EQ(on.state(second.id), HoldState::expired);
  EXPECT_EQ(on.state(third.id), HoldState::held) << "not needed; the sweeper's";
  EXPECT_EQ(on.records(), before + 3) << "two expiries and the place";
  EXPECT_EQ(in_use(), 6);
  EXPECT_EQ(on.sweep(), 1U);
}

TEST_P(Capacity, a_place_that_fails_expires_nothing) {
  Harness& on = harness();
  on.submit(declare("seats", 10, "d"));
  on.must_place(seats(6, 1h));
  const Hold lapsed = on.must_place(seats(3, 1min));
  on.at(start + 5min);
  EXPECT_THAT(on.submit(place(seats(5), "t")), refused(Rejection::resource_unavailable));
  EXPECT_EQ(on.state(lapsed.id), HoldState::held);
}

TEST_P(Capacity, the_same_resource_twice_in_one_batch_is_summed) {
  Harness& on = harness();
  on.submit(declare("seats", 5, "d"));
  const auto answers = on.submit(
      {place(seats(3), "a"), place(seats(3), "b"), place(seats(2), "c"), place(seats(1), "e")});
  EXPECT_THAT(answers[0], done());
  EXPECT_THAT(answers[1], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[2], done());
  EXPECT_THAT(answers[3], refused(Rejection::resource_unavailable));
  EXPECT_EQ(in_use(), 5);
}

TEST_P(Capacity, what_one_call_of_a_batch_returns_the_next_may_take) {
  Harness& on = harness();
  on.submit(declare("seats", 5, "d"));
  const Hold hold = on.must_place(seats(5));
  const auto answers =
      on.submit({place(seats(1), "a"), release(hold.id, "r"), release(hold.id, "r2"),
                 place(seats(5), "b"), place(seats(1), "c")});
  EXPECT_THAT(answers[0], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[1], done());
  EXPECT_THAT(answers[2], refused(Rejection::not_held));
  EXPECT_THAT(answers[3], done());
  EXPECT_THAT(answers[4], refused(Rejection::resource_unavailable));
}

TEST_P(Capacity, a_lapsed_hold_makes_room_only_once_in_a_batch) {
  Harness& on = harness();
  on.submit(declare("seats", 5, "d"));
  const Hold lapsed = on.must_place(seats(5, 1min));
  on.at(lapsed.expires_at);
  const auto answers = on.submit(
      {place(seats(3), "a"), place(seats(3), "b"), expire(lapsed.id, "e"), place(seats(2), "c")});
  EXPECT_THAT(answers[0], done());
  EXPECT_THAT(answers[1], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[2], refused(Rejection::not_held));
  EXPECT_THAT(answers[3], done());
  EXPECT_EQ(in_use(), 5);
}

TEST_P(Capacity, declaring_and_placing_in_one_batch_see_each_other) {
  Harness& on = harness();
  const auto answers =
      on.submit({place(seats(2), "a"), declare("seats", 4, "d"), place(seats(2), "b"),
                 declare("seats", 1, "low"), place(seats(2), "c"), place(seats(1), "e")});
  EXPECT_THAT(answers[0], invalid(Reason::quantity_above_capacity));
  EXPECT_THAT(answers[1], done());
  EXPECT_THAT(answers[2], done());
  EXPECT_THAT(answers[3], refused(Rejection::capacity_in_use));
  EXPECT_THAT(answers[4], done());
  EXPECT_THAT(answers[5], refused(Rejection::resource_unavailable));
}

TEST_P(Capacity, survives_opening_the_store_again) {
  Harness& on = harness();
  on.submit(declare("seats", 5, "d"));
  on.must_place(seats(2));
  const Hold lapsed = on.must_place(seats(3, 1min));
  on.at(lapsed.expires_at);
  on.reopen();
  EXPECT_EQ(*on.store().resource("default", "seats"),
            (Resource{.name = "seats", .capacity = 5, .in_use = 2, .declared = true}));
  on.must_place(seats(3));
  on.reopen();
  EXPECT_EQ(in_use(), 5);
  EXPECT_THAT(on.submit(place(seats(1), "t")), refused(Rejection::resource_unavailable));
}

}  // namespace
}  // namespace holdfast::test
