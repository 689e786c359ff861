// The composition through the port: IR-1, IR-2, IR-3, IR-4, IR-5 and IR-8. Same token, same
// answer, word for word.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class Replay : public StoreTest {};
HOLDFAST_ON_EVERY_STORE(Replay);

TEST_P(Replay, a_place_is_answered_with_the_same_hold_and_places_nothing_more) {
  Harness& on = harness();
  const Answer original = on.submit(place(room, "t"));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(on.submit(place(room, "t")), replay_of(original));
  EXPECT_EQ(on.store().counts().holds, 1U);
}

TEST_P(Replay, every_operation_is_answered_with_its_first_answer) {
  Harness& on = harness();
  const Hold one = on.must_place(room);
  const Hold two = on.must_place({.resource = "b", .requester = "g", .duration = 1h});
  const Hold three = on.must_place({.resource = "c", .requester = "g", .duration = 1min});
  on.advance(1min);
  const std::vector<Call> calls{confirm(one.id, "c"), release(two.id, "r"), expire(three.id, "e"),
                                declare("d", 7, "d")};
  for (const Call& call : calls) {
    const Answer original = on.submit(call);
    EXPECT_THAT(original, first());
    EXPECT_THAT(original, done());
    on.advance(1s);
    EXPECT_THAT(on.submit(call), replay_of(original));
  }
}

TEST_P(Replay, a_confirm_repeated_is_ok_and_not_not_held) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const Answer original = on.submit(confirm(hold.id, "c"));
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), replay_of(original));
  EXPECT_THAT(on.submit(confirm(hold.id, "another")), refused(Rejection::not_held));
}

TEST_P(Replay, a_place_still_says_held_after_the_hold_was_confirmed) {
  Harness& on = harness();
  const Answer original = on.submit(place(room, "t"));
  on.advance(1s);
  EXPECT_THAT(on.submit(confirm(original.hold->id, "c")), done());
  const Answer again = on.submit(place(room, "t"));
  EXPECT_THAT(again, replay_of(original));
  EXPECT_THAT(again, in_state(HoldState::held));
  EXPECT_EQ(on.state(original.hold->id), HoldState::confirmed);
}

TEST_P(Replay, window_elapsed_still_says_held_after_the_sweep) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at);
  const Answer original = on.submit(confirm(hold.id, "c"));
  EXPECT_THAT(original, refused(Rejection::window_elapsed));
  EXPECT_THAT(original, in_state(HoldState::held));
  EXPECT_EQ(on.sweep(), 1U);
  EXPECT_THAT(on.submit(confirm(hold.id, "c")), replay_of(original));
}

TEST_P(Replay, window_not_elapsed_still_says_held_after_the_release) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const Answer original = on.submit(expire(hold.id, "e"));
  EXPECT_THAT(original, refused(Rejection::window_not_elapsed));
  EXPECT_THAT(on.submit(release(hold.id, "r")), done());
  EXPECT_THAT(on.submit(expire(hold.id, "e")), replay_of(original));
}

TEST_P(Replay, not_known_stays_not_known_even_when_such_a_hold_comes_to_be) {
  Harness& on = harness();
  const HoldId next{on.store().counts().holds + 1, 5};
  const Answer original = on.submit(confirm(next, "c"));
  EXPECT_THAT(original, refused(Rejection::not_known));
  EXPECT_EQ(on.must_place(room).id.ordinal, next.ordinal);
  const Answer again = on.submit(confirm(next, "c"));
  EXPECT_THAT(again, replay_of(original));
  EXPECT_FALSE(again.hold);
}

TEST_P(Replay, a_failure_is_cached_even_when_the_resource_became_free) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const Answer original = on.submit(place(room, "t"));
  EXPECT_THAT(original, refused(Rejection::resource_unavailable));
  EXPECT_THAT(on.submit(release(hold.id, "r")), done());
  const std::string wording = original.text();
  const Answer again = on.submit(place(room, "t"));
  EXPECT_THAT(again, replay_of(original));
  EXPECT_EQ(again.text(), wording);
  EXPECT_THAT(on.submit(place(room, "fresh")), done());
}

TEST_P(Replay, the_reason_of_an_invalid_request_is_repeated) {
  Harness& on = harness();
  const std::vector<std::pair<Placing, Reason>> wrong{
      {{.resource = "", .requester = "g", .duration = 1h}, Reason::resource_blank},
      {{.resource = "r", .requester = " \t", .duration = 1h}, Reason::requester_blank},
      {{.resource = "r", .requester = "g", .duration = 1us}, Reason::duration_bounds},
      {{.resource = "r", .requester = "g", .duration = 1h, .quantity = 0}, Reason::quantity_bounds},
      {{.resource = "r", .requester = "g", .duration = 1h, .quantity = 2},
       Reason::quantity_above_capacity}};
  for (const auto& [what, reason] : wrong) {
    const std::string token = on.next_token();
    const Answer original = on.submit(place(what, token));
    EXPECT_THAT(original, invalid(reason));
    EXPECT_THAT(original, first());
    EXPECT_THAT(on.submit(place(what, token)), replay_of(original));
  }
  const Answer original = on.submit(declare("r", 0, "d"));
  EXPECT_THAT(original, invalid(Reason::capacity_bounds));
  EXPECT_THAT(on.submit(declare("r", 0, "d")), replay_of(original));
}

TEST_P(Replay, an_invalid_quantity_stays_invalid_after_the_capacity_grew) {
  Harness& on = harness();
  const Placing two{.resource = "r", .requester = "g", .duration = 1h, .quantity = 2};
  const Answer original = on.submit(place(two, "t"));
  EXPECT_THAT(on.submit(declare("r", 5, "d")), done());
  EXPECT_THAT(on.submit(place(two, "t")), replay_of(original));
  EXPECT_THAT(on.submit(place(two, "u")), done());
}

TEST_P(Replay, any_other_parameter_is_a_collision) {
  Harness& on = harness();
  const Answer original = on.submit(place(room, "t"));
  const HoldId id = original.hold->id;
  std::vector<Call> others;
  for (const Placing& each : std::vector<Placing>{
           {.resource = "room_308", .requester = "guest_g91", .duration = 1h},
           {.resource = "room_307", .requester = "guest_g92", .duration = 1h},
           {.resource = "room_307", .requester = "guest_g91", .duration = 1h + 1us},
           {.resource = "room_307", .requester = "guest_g91", .duration = 1h, .quantity = 2},
           {.resource = "", .requester = "", .duration = 0s, .quantity = -1}}) {
    others.push_back(place(each, "t"));
  }
  others.push_back(confirm(id, "t"));
  others.push_back(release(id, "t"));
  others.push_back(expire(id, "t"));
  others.push_back(declare("room_307", 1, "t"));
  for (const Call& other : others) {
    const Answer answer = on.submit(other);
    EXPECT_THAT(answer, refused(Rejection::token_collision));
    EXPECT_FALSE(answer.recorded);
    EXPECT_FALSE(answer.hold) << "another request's hold is none of its business";
    EXPECT_EQ(answer.token_action(), TokenAction::new_token);
  }
  EXPECT_EQ(on.store().counts().holds, 1U);
  EXPECT_EQ(on.state(id), HoldState::held);
  EXPECT_THAT(on.submit(place(room, "t")), replay_of(original)) << "the first answer stands";
}

TEST_P(Replay, a_token_of_a_rejection_is_bound_to_its_request_too) {
  Harness& on = harness();
  const Answer original = on.submit(confirm({1, 1}, "t"));
  EXPECT_THAT(on.submit(confirm({1, 2}, "t")), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(release({1, 1}, "t")), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(confirm({1, 1}, "t")), replay_of(original));
}

TEST_P(Replay, another_principal_is_a_collision) {
  Harness& on = harness();
  const Caller alice{.tenant = "default", .principal = "alice"};
  const Caller bob{.tenant = "default", .principal = "bob"};
  const Answer original = on.submit(place(room, "t", alice));
  EXPECT_THAT(on.submit(place(room, "t", bob)), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(place(room, "t", alice)), replay_of(original));
}

TEST_P(Replay, the_token_is_the_identity_not_the_content) {
  Harness& on = harness();
  EXPECT_THAT(on.submit(declare("seats", 10, "d")), done());
  const Placing seat{.resource = "seats", .requester = "g", .duration = 1h};
  const Answer one = on.submit(place(seat, "t1"));
  const Answer two = on.submit(place(seat, "t2"));
  EXPECT_NE(one.hold->id, two.hold->id) << "two equal deposits are two";
  EXPECT_THAT(on.submit(place(seat, "t1")), replay_of(one));
  EXPECT_THAT(on.submit(place(seat, "t2")), replay_of(two));
  EXPECT_EQ(on.store().resource("default", "seats")->in_use, 2);
}

TEST_P(Replay, a_replay_and_a_collision_are_written_down_and_change_nothing) {
  Harness& on = harness();
  const Answer original = on.submit(place(room, "t"));
  const std::uint64_t placed_seq = on.records();
  on.advance(1s);
  on.submit(place(room, "t"));
  on.submit(confirm(original.hold->id, "t"));
  const auto records = *on.store().records(placed_seq, 10);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].kind, RecordKind::replayed);
  EXPECT_EQ(records[0].ref, placed_seq);
  EXPECT_EQ(records[0].count, 1);
  EXPECT_EQ(records[1].kind, RecordKind::collided);
  EXPECT_EQ(records[1].ref, placed_seq) << "the record it belongs to, with the digest on record";
  const Record on_record = on.store().records(placed_seq - 1, 1)->front();
  EXPECT_NE(records[1].digest, on_record.digest) << "and the one presented";
}

}  // namespace
}  // namespace holdfast::test
