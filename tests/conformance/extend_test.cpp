// Holds that are given more time: PC-5, PC-7. A hold lapses at its new expiry, and not before.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class Extend : public StoreTest {
 protected:
  [[nodiscard]] std::int64_t in_use(const std::string& resource = "room_307") {
    return harness().store().resource("default", resource)->in_use;
  }
};
HOLDFAST_ON_EVERY_STORE(Extend);

TEST_P(Extend, makes_a_hold_expire_that_long_after_now) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.advance(30min);
  const Answer answer = on.submit(extend(hold.id, 1h, "e"));
  ASSERT_THAT(answer, done());
  EXPECT_THAT(answer, first());
  Hold expected = hold;
  expected.expires_at = start + 90min;
  EXPECT_EQ(answer.hold, expected) << "and nothing else";
  EXPECT_EQ(on.hold(hold.id), expected);
  EXPECT_EQ(on.store().counts().next_expiry, start + 90min);
}

TEST_P(Extend, never_makes_a_hold_expire_earlier) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const Answer shorter = on.submit(extend(hold.id, 1min, "shorter"));
  EXPECT_THAT(shorter, done());
  EXPECT_EQ(shorter.hold->expires_at, start + 1h);
  const Answer equal = on.submit(extend(hold.id, 1h, "equal"));
  EXPECT_THAT(equal, done());
  EXPECT_EQ(equal.hold->expires_at, start + 1h);
  const Answer later = on.submit(extend(hold.id, 1h + 1us, "later"));
  EXPECT_EQ(later.hold->expires_at, start + 1h + 1us);
}

TEST_P(Extend, is_possible_until_a_microsecond_before_the_expiry) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at - 1us);
  const Answer answer = on.submit(extend(hold.id, 1h, "e"));
  EXPECT_THAT(answer, done());
  EXPECT_EQ(answer.hold->expires_at, start + 2h - 1us);
}

TEST_P(Extend, is_refused_at_the_expiry_and_after) {
  for (const Duration late : {Duration(0), Duration(1us)}) {
    Harness on(GetParam());
    const Hold hold = on.must_place(room);
    on.at(hold.expires_at + late);
    const Answer answer = on.submit(extend(hold.id, 1h, "e"));
    EXPECT_THAT(answer, refused(Rejection::window_elapsed));
    EXPECT_EQ(answer.hold, hold);
    EXPECT_EQ(on.hold(hold.id), hold);
    EXPECT_EQ(on.sweep(), 1U);
    EXPECT_THAT(on.submit(extend(hold.id, 1h, "e")), replay_of(answer));
    EXPECT_THAT(on.submit(extend(hold.id, 1h, "f")), refused(Rejection::not_held));
    EXPECT_THAT(on.violations(), ::testing::IsEmpty());
  }
}

TEST_P(Extend, a_hold_lapses_at_its_new_expiry_exactly) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at - 1us);
  const Instant due = on.submit(extend(hold.id, 10min, "e")).hold->expires_at;
  for (const Instant before : {hold.expires_at, hold.expires_at + 1us, due - 1us}) {
    on.at(before);
    EXPECT_FALSE((*on.store().hold("default", hold.id))->lapsed);
    EXPECT_EQ(in_use(), 1);
    EXPECT_EQ(on.sweep(), 0U);
    EXPECT_THAT(on.submit(place(room, on.next_token())), refused(Rejection::resource_unavailable));
    EXPECT_THAT(on.submit(expire(hold.id, on.next_token())),
                refused(Rejection::window_not_elapsed));
  }
  on.at(due);
  EXPECT_TRUE((*on.store().hold("default", hold.id))->lapsed);
  EXPECT_EQ(in_use(), 0);
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), refused(Rejection::window_elapsed));
  EXPECT_THAT(on.submit(release(hold.id, "r")), refused(Rejection::window_elapsed));
  EXPECT_THAT(on.submit(extend(hold.id, 1h, "e2")), refused(Rejection::window_elapsed));
  const Hold next = on.must_place(room);
  EXPECT_EQ(next.placed_at, due);
  EXPECT_EQ(on.state(hold.id), HoldState::expired);
  EXPECT_EQ(on.hold(hold.id).resolved_at, due);
}

TEST_P(Extend, the_sweeper_waits_for_the_new_expiry) {
  Harness& on = harness();
  const Hold extended = on.must_place(room);
  const Hold other = on.must_place({.resource = "room_308", .requester = "g", .duration = 90min});
  ASSERT_THAT(on.submit(extend(extended.id, 2h, "e")), done());
  EXPECT_EQ(on.store().counts().next_expiry, other.expires_at);
  on.at(start + 90min);
  EXPECT_EQ(on.sweep(), 1U);
  EXPECT_EQ(on.state(other.id), HoldState::expired);
  EXPECT_EQ(on.state(extended.id), HoldState::held);
  EXPECT_EQ(on.store().counts().next_expiry, start + 2h);
  on.at(start + 2h);
  EXPECT_EQ(on.sweep(), 1U);
  EXPECT_EQ(on.sweep(), 0U) << "once, however often it was extended";
  EXPECT_EQ(on.state(extended.id), HoldState::expired);
  EXPECT_EQ(on.store().counts().next_expiry, std::nullopt);
}

TEST_P(Extend, many_times_frees_the_resource_once) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("seats", 3, "d")), done());
  const Placing one{.resource = "seats", .requester = "g", .duration = 1min};
  const Hold hold = on.must_place(one);
  for (int i = 1; i <= 5; ++i) {
    on.advance(30s);
    ASSERT_THAT(on.submit(extend(hold.id, 1min, on.next_token())), done());
  }
  const Hold second = on.must_place(one);
  const Hold third = on.must_place(one);
  EXPECT_THAT(on.submit(place(one, "full")), refused(Rejection::resource_unavailable));
  on.at(on.hold(hold.id).expires_at);
  EXPECT_EQ(in_use("seats"), 0) << "all three lapse at one instant";
  Placing all = one;
  all.quantity = 3;
  on.must_place(all);
  for (const HoldId id : {hold.id, second.id, third.id})
    EXPECT_EQ(on.state(id), HoldState::expired);
}

TEST_P(Extend, as_few_lapsed_holds_are_replaced_as_needed_earliest_expiry_first) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("seats", 2, "d")), done());
  const Hold first_placed =
      on.must_place({.resource = "seats", .requester = "g", .duration = 1min});
  const Hold second = on.must_place({.resource = "seats", .requester = "g", .duration = 2min});
  ASSERT_THAT(on.submit(extend(first_placed.id, 3min, "e")), done());
  on.at(start + 4min);
  on.must_place({.resource = "seats", .requester = "g", .duration = 1min});
  EXPECT_EQ(on.state(first_placed.id), HoldState::held) << "it lapsed last";
  EXPECT_EQ(on.state(second.id), HoldState::expired);
}

TEST_P(Extend, a_hold_lives_for_lifetime_max_at_most) {
  Rules rules;
  rules.lifetime_max = 2h;
  Harness& on = harness(rules);
  const Hold hold = on.must_place(room);
  on.advance(30min);
  const Answer over = on.submit(extend(hold.id, 90min + 1us, "over"));
  EXPECT_THAT(over, refused(Rejection::lifetime_exceeded));
  EXPECT_EQ(over.hold, hold);
  EXPECT_EQ(on.hold(hold.id), hold);
  const Answer most = on.submit(extend(hold.id, 90min, "most"));
  EXPECT_THAT(most, done());
  EXPECT_EQ(most.hold->expires_at, hold.placed_at + 2h);
  on.advance(1us);
  EXPECT_THAT(on.submit(extend(hold.id, 90min, "again")), refused(Rejection::lifetime_exceeded));
  EXPECT_THAT(on.submit(extend(hold.id, 90min + 1us, "over")), replay_of(over));
}

TEST_P(Extend, what_has_ended_stays_as_it_is) {
  Harness& on = harness();
  const auto placed_on = [&](std::string resource) {
    return on.must_place({.resource = std::move(resource), .requester = "g", .duration = 1h});
  };
  const Hold confirmed = placed_on("a");
  const Hold released = placed_on("b");
  EXPECT_THAT(on.submit(confirm(confirmed.id, "1")), done());
  EXPECT_THAT(on.submit(release(released.id, "2")), done());
  for (const Hold& hold : {confirmed, released}) {
    const Hold before = on.hold(hold.id);
    const Answer answer = on.submit(extend(hold.id, 2h, on.next_token()));
    EXPECT_THAT(answer, refused(Rejection::not_held));
    EXPECT_EQ(answer.hold, before);
    EXPECT_EQ(on.hold(hold.id), before);
  }
}

TEST_P(Extend, of_a_stranger_is_not_known) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  EXPECT_THAT(on.submit(extend({hold.id.ordinal, hold.id.salt ^ 1U}, 2h, "salt")),
              refused(Rejection::not_known));
  EXPECT_THAT(on.submit(extend({99, 1}, 2h, "none")), refused(Rejection::not_known));
  EXPECT_THAT(on.submit(extend(hold.id, 2h, "tenant", {.tenant = "acme", .principal = "p"})),
              refused(Rejection::not_known));
  EXPECT_EQ(on.hold(hold.id), hold);
}

TEST_P(Extend, the_duration_has_the_bounds_of_placing) {
  Rules rules;
  rules.duration_min = 1ms;
  rules.duration_max = 24h;
  Harness& on = harness(rules);
  const Hold hold = on.must_place(room);
  for (const Duration wrong : {Duration(1ms) - 1us, Duration(24h) + 1us, Duration(0),
                               Duration(-1us), Duration::max(), Duration::min()}) {
    EXPECT_THAT(on.submit(extend(hold.id, wrong, on.next_token())),
                invalid(Reason::duration_bounds))
        << wrong.count();
  }
  EXPECT_THAT(on.submit(extend(hold.id, 1ms, on.next_token())), done());
  EXPECT_THAT(on.submit(extend(hold.id, 24h, on.next_token())), done());
}

TEST_P(Extend, in_one_batch_each_call_sees_those_before_it) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at - 1us);
  const auto answers =
      on.submit({extend(hold.id, 1min, "a"), extend(hold.id, 2min, "b"), extend(hold.id, 1min, "a"),
                 confirm(hold.id, "c"), extend(hold.id, 3min, "d"), extend(hold.id, 2min, "b")});
  EXPECT_EQ(answers[0].hold->expires_at, start + 61min - 1us);
  EXPECT_EQ(answers[1].hold->expires_at, start + 62min - 1us);
  EXPECT_THAT(answers[2], replay_of(answers[0]));
  EXPECT_THAT(answers[3], in_state(HoldState::confirmed));
  EXPECT_EQ(answers[3].hold->expires_at, start + 62min - 1us);
  EXPECT_THAT(answers[4], refused(Rejection::not_held));
  EXPECT_THAT(answers[5], replay_of(answers[1]));
}

TEST_P(Extend, survives_opening_the_store_again) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  ASSERT_THAT(on.submit(extend(hold.id, 2h, "e")), done());
  on.reopen();
  on.at(start + 2h - 1us);
  EXPECT_EQ(on.hold(hold.id).expires_at, start + 2h);
  EXPECT_EQ(on.sweep(), 0U);
  EXPECT_THAT(on.submit(place(room, "p")), refused(Rejection::resource_unavailable));
  on.at(start + 2h);
  on.reopen();
  EXPECT_EQ(in_use(), 0);
  on.must_place(room);
  EXPECT_EQ(on.state(hold.id), HoldState::expired);
}

}  // namespace
}  // namespace holdfast::test
