// NG-1, the nonce gate: independent of the token, spent with the outcome, kept as long as it.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

const Placing other_room{.resource = "room_308", .requester = "guest_g92", .duration = 1h};

Call with_nonce(Call call, std::string nonce) {
  call.nonce = std::move(nonce);
  return call;
}

class Nonces : public StoreTest {};
HOLDFAST_ON_EVERY_STORE(Nonces);

TEST_P(Nonces, a_seen_nonce_under_a_fresh_token_is_refused_and_the_refusal_recorded) {
  Harness& on = harness();
  EXPECT_THAT(on.submit(with_nonce(place(room, "a"), "n")), first());
  const Answer refusal = on.submit(with_nonce(place(other_room, "b"), "n"));
  EXPECT_THAT(refusal, refused(Rejection::nonce_replay));
  EXPECT_FALSE(refusal.hold);
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "b"), "n")), replay_of(refusal));
  // The refusal spent nothing: a nonce of its own is free.
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "c"), "m")), first());
}

TEST_P(Nonces, a_replay_is_answered_before_the_gate_and_a_collision_too) {
  Harness& on = harness();
  const Answer original = on.submit(with_nonce(place(room, "a"), "n"));
  EXPECT_THAT(on.submit(with_nonce(place(room, "a"), "n")), replay_of(original));
  EXPECT_THAT(on.submit(with_nonce(place(room, "a"), "other")), replay_of(original));
  EXPECT_THAT(on.submit(place(room, "a")), replay_of(original));
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "a"), "n")),
              refused(Rejection::token_collision));
  // None of these spent the other nonce.
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "b"), "other")), first());
}

TEST_P(Nonces, within_one_batch_the_first_spends_it) {
  Harness& on = harness();
  const auto answers = on.submit(std::vector<Call>{with_nonce(place(room, "a"), "n"),
                                                   with_nonce(place(other_room, "b"), "n")});
  EXPECT_THAT(answers.at(0), first());
  EXPECT_THAT(answers.at(1), refused(Rejection::nonce_replay));
}

TEST_P(Nonces, are_kept_exactly_as_long_as_the_tokens_of_the_operation) {
  Harness& on = harness();
  EXPECT_THAT(on.submit(with_nonce(place(room, "a"), "n")), first());
  on.at(start + 10min - 1us);
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "b"), "n")), refused(Rejection::nonce_replay));
  on.at(start + 10min);
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "c"), "n")), first());
  on.reopen();
  EXPECT_THAT(on.submit(with_nonce(declare("x", 2, "d"), "n")), refused(Rejection::nonce_replay));
}

TEST_P(Nonces, of_two_tenants_are_different) {
  Harness& on = harness();
  EXPECT_THAT(on.submit(with_nonce(place(room, "a"), "n")), first());
  Call elsewhere = with_nonce(place(room, "a"), "n");
  elsewhere.caller.tenant = "another";
  EXPECT_THAT(on.submit(elsewhere), first());
}

TEST_P(Nonces, a_recorded_refusal_spends_one_and_a_released_one_does_not) {
  Rules rules;
  rules.policies[Operation::hold_confirm].on_reject = OnReject::release;
  Harness& on = harness(rules);
  EXPECT_THAT(on.submit(place(room, "a")), first());
  EXPECT_THAT(on.submit(with_nonce(place(room, "b"), "n")),
              refused(Rejection::resource_unavailable));
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "c"), "n")), refused(Rejection::nonce_replay));
  EXPECT_THAT(on.submit(with_nonce(confirm({9, 9}, "d"), "m")), refused(Rejection::not_known));
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "e"), "m")), first());
}

TEST_P(Nonces, say_nothing_of_another_tenants_hold) {
  Harness& on = harness();
  const Answer theirs = on.submit(place(room, "a"));
  Call mine = with_nonce(confirm(theirs.hold->id, "c"), "n");
  mine.caller.tenant = "another";
  Call spends = with_nonce(place(room, "s"), "n");
  spends.caller.tenant = "another";
  EXPECT_THAT(on.submit(spends), first());
  const Answer refusal = on.submit(mine);
  EXPECT_THAT(refusal, refused(Rejection::nonce_replay));
  EXPECT_FALSE(refusal.hold);
}

TEST_P(Nonces, longer_than_allowed_are_refused_unseen) {
  Harness& on = harness();
  EXPECT_THAT(on.submit(with_nonce(place(room, "a"), std::string(256, 'n'))), first());
  const Answer refusal = on.submit(with_nonce(place(other_room, "b"), std::string(257, 'n')));
  EXPECT_THAT(refusal, refused(Rejection::invalid_request));
  EXPECT_THAT(refusal, token_unused());
}

TEST_P(Nonces, leave_memory_with_their_window) {
  Harness& on = harness();
  EXPECT_THAT(on.submit(with_nonce(place(room, "a"), "n")), first());
  on.at(start + 10min);
  EXPECT_FALSE(on.store().forget_expired(1000));
  EXPECT_THAT(on.submit(with_nonce(place(other_room, "b"), "n")), first());
}

}  // namespace
}  // namespace holdfast::test
