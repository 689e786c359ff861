// Provisional Commitment through the port: PC-1, PC-2, PC-3, PC-4, PC-5, PC-6, PC-7, and the
// order of refusals.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class HoldLife : public StoreTest {};
HOLDFAST_ON_EVERY_STORE(HoldLife);

TEST_P(HoldLife, a_placed_hold_is_held_and_says_everything_about_itself) {
  Harness& on = harness();
  const Answer answer = on.submit(place(room, "t1"));
  ASSERT_THAT(answer, done());
  EXPECT_THAT(answer, first());
  const Hold& hold = *answer.hold;
  EXPECT_EQ(hold.resource, "room_307");
  EXPECT_EQ(hold.requester, "guest_g91");
  EXPECT_EQ(hold.quantity, 1);
  EXPECT_EQ(hold.state, HoldState::held);
  EXPECT_EQ(hold.placed_at, start);
  EXPECT_EQ(hold.expires_at, start + 1h);
  EXPECT_FALSE(hold.resolved_at);
  EXPECT_EQ(answer.token_expires, start + 10min);
  EXPECT_EQ(on.hold(hold.id), hold);
}

TEST_P(HoldLife, confirm_keeps_the_resource_for_good) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.advance(1min);
  const Answer answer = on.submit(confirm(hold.id, "c"));
  EXPECT_THAT(answer, done());
  EXPECT_THAT(answer, in_state(HoldState::confirmed));
  EXPECT_EQ(answer.hold->resolved_at, start + 1min);
  on.advance(1000h);
  EXPECT_EQ(on.sweep(), 0U);
  EXPECT_EQ(on.store().resource("default", "room_307")->in_use, 1);
  EXPECT_THAT(on.submit(place(room, "late")), refused(Rejection::resource_unavailable));
}

TEST_P(HoldLife, release_frees_the_resource_at_once) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const Answer answer = on.submit(release(hold.id, "r"));
  EXPECT_THAT(answer, in_state(HoldState::released));
  EXPECT_EQ(on.store().resource("default", "room_307")->in_use, 0);
  EXPECT_NE(on.must_place(room).id, hold.id);
}

TEST_P(HoldLife, before_its_instant_a_hold_can_be_resolved_but_not_expired) {
  Harness& on = harness();
  const Hold first_hold = on.must_place(room);
  Placing other = room;
  other.resource = "room_308";
  const Hold second_hold = on.must_place(other);
  on.at(start + 1h - 1us);
  EXPECT_THAT(on.submit(expire(first_hold.id, "e")), refused(Rejection::window_not_elapsed));
  EXPECT_THAT(on.submit(confirm(first_hold.id, "c")), done());
  EXPECT_THAT(on.submit(release(second_hold.id, "r")), done());
}

TEST_P(HoldLife, at_its_very_instant_a_hold_has_lapsed) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at);
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), refused(Rejection::window_elapsed));
  EXPECT_THAT(on.submit(release(hold.id, "r")), refused(Rejection::window_elapsed));
  const Answer answer = on.submit(expire(hold.id, "e"));
  EXPECT_THAT(answer, in_state(HoldState::expired));
  EXPECT_EQ(answer.hold->resolved_at, hold.expires_at);
}

TEST_P(HoldLife, after_its_instant_too) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at + 1us);
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), refused(Rejection::window_elapsed));
  EXPECT_THAT(on.submit(release(hold.id, "r")), refused(Rejection::window_elapsed));
  EXPECT_THAT(on.submit(expire(hold.id, "e")), done());
}

TEST_P(HoldLife, a_resource_is_taken_until_one_microsecond_before_the_hold_lapses) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at - 1us);
  EXPECT_THAT(on.submit(place(room, "early")), refused(Rejection::resource_unavailable));
  EXPECT_EQ(on.store().resource("default", "room_307")->in_use, 1);
}

TEST_P(HoldLife, a_lapsed_hold_is_replaced_at_its_very_instant_without_a_sweeper) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at);
  EXPECT_EQ(on.store().resource("default", "room_307")->in_use, 0);
  const Hold next = on.must_place(room);
  EXPECT_EQ(next.placed_at, hold.expires_at);
  EXPECT_EQ(on.state(hold.id), HoldState::expired);
  EXPECT_EQ(on.hold(hold.id).resolved_at, hold.expires_at);
}

TEST_P(HoldLife, a_lapsed_hold_is_shown_as_such_until_somebody_expires_it) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at - 1us);
  EXPECT_FALSE((*on.store().hold("default", hold.id))->lapsed);
  on.at(hold.expires_at);
  EXPECT_TRUE((*on.store().hold("default", hold.id))->lapsed);
  EXPECT_EQ(on.state(hold.id), HoldState::held);
  EXPECT_EQ(on.sweep(), 1U);
  EXPECT_FALSE((*on.store().hold("default", hold.id))->lapsed);
  EXPECT_EQ(on.state(hold.id), HoldState::expired);
}

TEST_P(HoldLife, a_late_expire_never_frees_what_somebody_else_now_holds) {
  Harness& on = harness();
  const Hold lapsed = on.must_place(room);
  on.at(lapsed.expires_at);
  const Hold next = on.must_place(room);
  const Answer late = on.submit(expire(lapsed.id, "late"));
  EXPECT_THAT(late, refused(Rejection::not_held));
  EXPECT_THAT(late, in_state(HoldState::expired));
  EXPECT_EQ(on.sweep(), 0U);
  EXPECT_EQ(on.state(next.id), HoldState::held);
  EXPECT_THAT(on.submit(place(room, "third")), refused(Rejection::resource_unavailable));
}

TEST_P(HoldLife, terminal_states_absorb_every_operation) {
  Harness& on = harness();
  const auto placed_on = [&](std::string resource) {
    return on.must_place({.resource = std::move(resource), .requester = "g", .duration = 1h});
  };
  const Hold confirmed = placed_on("a");
  const Hold released = placed_on("b");
  const Hold expired = placed_on("c");
  EXPECT_THAT(on.submit(confirm(confirmed.id, "1")), done());
  EXPECT_THAT(on.submit(release(released.id, "2")), done());
  on.at(start + 1h);
  EXPECT_THAT(on.submit(expire(expired.id, "3")), done());
  for (const Duration later : {Duration(0), Duration(1us), Duration(1000h)}) {
    on.at(start + 1h + later);
    for (const Hold& hold : {confirmed, released, expired}) {
      const Hold before = on.hold(hold.id);
      for (const auto& attempt : {confirm, release, expire}) {
        const Answer answer = on.submit(attempt(hold.id, on.next_token(), {}));
        EXPECT_THAT(answer, refused(Rejection::not_held));
        EXPECT_EQ(answer.hold, before) << "not-held shows the terminal state";
      }
      EXPECT_EQ(on.hold(hold.id), before);
    }
  }
}

TEST_P(HoldLife, an_unknown_hold_is_not_known) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::vector<HoldId> strangers{{0, 0},
                                      {hold.id.ordinal + 1, hold.id.salt},
                                      {hold.id.ordinal, hold.id.salt ^ 1U},
                                      {0, hold.id.salt},
                                      {most, most},
                                      {most / 2, hold.id.salt}};
  for (const HoldId& id : strangers) {
    for (const auto& attempt : {confirm, release, expire}) {
      const Answer answer = on.submit(attempt(id, on.next_token(), {}));
      EXPECT_THAT(answer, refused(Rejection::not_known)) << id.text();
      EXPECT_FALSE(answer.hold);
    }
    EXPECT_FALSE(*on.store().hold("default", id)) << id.text();
  }
  EXPECT_EQ(on.state(hold.id), HoldState::held);
}

TEST_P(HoldLife, refusals_come_in_the_documented_order) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  EXPECT_THAT(on.submit(place({.resource = " ", .requester = "", .duration = 0s}, "1")),
              invalid(Reason::resource_blank));
  EXPECT_THAT(on.submit(place({.resource = "room_307", .requester = "g", .duration = 0s}, "2")),
              invalid(Reason::duration_bounds))
      << "the request is judged before the resource";
  EXPECT_THAT(on.submit(release(hold.id, "3")), done());
  on.at(hold.expires_at + 1h);
  EXPECT_THAT(on.submit(confirm(hold.id, "4")), refused(Rejection::not_held))
      << "not-held before window-elapsed";
}

TEST_P(HoldLife, ids_are_never_used_again) {
  Harness& on = harness();
  std::vector<HoldId> ids;
  for (int i = 0; i < 20; ++i) {
    const Hold hold = on.must_place(room);
    EXPECT_EQ(hold.id.ordinal, static_cast<std::uint64_t>(i) + 1);
    EXPECT_THAT(ids, ::testing::Not(::testing::Contains(hold.id)));
    ids.push_back(hold.id);
    if (i == 10) on.reopen();
    EXPECT_THAT(on.submit(release(hold.id, on.next_token())), done());
  }
  for (const HoldId& id : ids) EXPECT_EQ(on.state(id), HoldState::released);
}

TEST_P(HoldLife, the_bounds_of_a_duration_are_inclusive) {
  Rules rules;
  rules.duration_min = 1ms;
  rules.duration_max = 24h;
  Harness& on = harness(rules);
  const auto lasting = [&](Duration duration) {
    const Answer answer = on.submit(place(
        {.resource = on.next_token(), .requester = "g", .duration = duration}, on.next_token()));
    return answer;
  };
  EXPECT_THAT(lasting(1ms), done());
  EXPECT_THAT(lasting(24h), done());
  for (const Duration wrong : {Duration(1ms) - 1us, Duration(24h) + 1us, Duration(0),
                               Duration(-1us), Duration::max(), Duration::min()}) {
    EXPECT_THAT(lasting(wrong), invalid(Reason::duration_bounds)) << wrong.count();
  }
}

TEST_P(HoldLife, an_expiry_instant_never_wraps_around) {
  Rules rules;
  rules.duration_max = Duration::max();
  Harness& on = harness(rules);
  const auto lasting = [&](Duration duration) {
    return on.submit(place({.resource = on.next_token(), .requester = "g", .duration = duration},
                           on.next_token()));
  };
  EXPECT_THAT(lasting(Duration::max()), invalid(Reason::duration_bounds));
  EXPECT_THAT(lasting(never - start), invalid(Reason::duration_bounds));
  const Answer longest = lasting(never - start - 1us);
  ASSERT_THAT(longest, done());
  EXPECT_EQ(longest.hold->expires_at, never - 1us);
}

TEST_P(HoldLife, a_refusal_shows_no_hold_of_another_tenant) {
  Harness& on = harness();
  on.must_place(room, {.tenant = "acme", .principal = "p"});
  on.must_place(room);
  const Answer taken = on.submit(place(room, "p"));
  EXPECT_THAT(taken, refused(Rejection::resource_unavailable));
  EXPECT_FALSE(taken.hold);
  EXPECT_THAT(on.submit(confirm({9, 9}, "c")), refused(Rejection::not_known));
  EXPECT_THAT(on.submit(confirm({9, 9}, "c")), refused(Rejection::not_known));
  EXPECT_EQ(on.store().counts().holds, 2U);
}

}  // namespace
}  // namespace holdfast::test
