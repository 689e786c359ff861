// The rows of the operation registry: class, window, on_reject, key_mode, confirmation.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

const Caller somebody_else{.tenant = "default", .principal = "mallory"};

class PolicyRows : public StoreTest {
 protected:
  static Rules with(Operation operation, const std::function<void(Policy&)>& change) {
    Rules rules;
    rules.confirmation_secret = {17, 4};
    change(rules.policies[operation]);
    return rules;
  }
  static Rules releasing(Operation operation) {
    return with(operation, [](Policy& policy) { policy.on_reject = OnReject::release; });
  }
  static Rules confirming(Operation operation) {
    return with(operation, [](Policy& policy) { policy.confirmation = Confirmation::required; });
  }

  /// Under `release` a refusal leaves no trace: neither a record nor a token.
  Answer refused_without_a_trace(const Call& call) {
    Harness& on = harness();
    const std::uint64_t records = on.records();
    const Answer answer = on.submit(call);
    EXPECT_FALSE(answer.ok());
    EXPECT_THAT(answer, token_unused());
    EXPECT_EQ(on.records(), records);
    EXPECT_FALSE(*on.store().token("default", call.token.bytes()));
    return answer;
  }
};
HOLDFAST_ON_EVERY_STORE(PolicyRows);

TEST_P(PolicyRows, i1_tokens_are_kept_for_as_long_as_the_store_exists) {
  Harness& on = harness();
  const Answer original = on.submit(declare("seats", 5, "d"));
  on.at(start + 24h * 365 * 20);
  EXPECT_FALSE(on.store().forget_expired(1000));
  EXPECT_THAT(on.submit(declare("seats", 5, "d")), replay_of(original));
  EXPECT_THAT(on.submit(declare("seats", 6, "d")), refused(Rejection::token_collision));
  on.reopen();
  EXPECT_THAT(on.submit(declare("seats", 5, "d")), replay_of(original));
}

TEST_P(PolicyRows, i2_tokens_are_kept_for_the_window) {
  Rules rules = with(Operation::resource_declare,
                     [](Policy& policy) { policy.token_class = TokenClass::i2_windowed; });
  Harness& on = harness(rules);
  const Answer original = on.submit(declare("seats", 5, "d"));
  EXPECT_EQ(original.token_expires, start + 10min);
  on.at(start + 10min - 1us);
  EXPECT_THAT(on.submit(declare("seats", 5, "d")), replay_of(original));
  on.at(start + 10min);
  EXPECT_THAT(on.submit(declare("seats", 6, "d")), first());
}

TEST_P(PolicyRows, i1_can_be_asked_for_of_a_hold_operation) {
  Harness& on = harness(with(Operation::hold_place,
                             [](Policy& policy) { policy.token_class = TokenClass::i1_strict; }));
  const Answer original = on.submit(place(room, "t"));
  EXPECT_EQ(original.token_expires, never);
  on.at(start + 24h * 400);
  on.sweep();
  EXPECT_THAT(on.submit(place(room, "t")), replay_of(original));
  EXPECT_EQ(on.store().counts().holds, 1U);
}

TEST_P(PolicyRows, an_operation_may_have_a_window_of_its_own) {
  Harness& on = harness(
      with(Operation::hold_confirm, [](Policy& policy) { policy.window = Duration(1min); }));
  const Answer placed = on.submit(place(room, "p"));
  const Answer confirmed = on.submit(confirm(placed.hold->id, "c"));
  EXPECT_EQ(placed.token_expires, start + 10min);
  EXPECT_EQ(confirmed.token_expires, start + 1min);
  on.at(start + 1min - 1us);
  EXPECT_THAT(on.submit(confirm(placed.hold->id, "c")), replay_of(confirmed));
  on.at(start + 1min);
  EXPECT_THAT(on.submit(confirm(placed.hold->id, "c")), refused(Rejection::not_held));
  EXPECT_THAT(on.submit(place(room, "p")), replay_of(placed));
}

TEST_P(PolicyRows, the_window_of_a_token_is_that_of_the_operation_that_recorded_it) {
  Harness& on = harness(
      with(Operation::hold_confirm, [](Policy& policy) { policy.window = Duration(1min); }));
  const Answer placed = on.submit(place(room, "p"));
  on.at(start + 5min);
  EXPECT_THAT(on.submit(confirm(placed.hold->id, "p")), refused(Rejection::token_collision));
}

TEST_P(PolicyRows, a_longer_window_outlives_the_forgetting_of_shorter_ones) {
  Harness& on =
      harness(with(Operation::hold_place, [](Policy& policy) { policy.window = Duration(1h); }));
  const Answer placed = on.submit(place(room, "p"));
  on.submit(confirm(placed.hold->id, "c"));
  on.at(start + 30min);
  while (on.store().forget_expired(1)) {
  }
  EXPECT_EQ(on.store().counts().live_tokens, 1U);
  EXPECT_THAT(on.submit(place(room, "p")), replay_of(placed));
}

TEST_P(PolicyRows, on_reject_record_is_the_default_everywhere) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const std::vector<Call> refusals{place(room, "p"), confirm({9, 9}, "c"), release({9, 9}, "r"),
                                   expire(hold.id, "e"), declare("x", 0, "d")};
  for (const Call& call : refusals) {
    const Answer original = on.submit(call);
    EXPECT_FALSE(original.ok());
    EXPECT_THAT(original, first());
    EXPECT_EQ(original.token_action(), TokenAction::new_token);
    EXPECT_THAT(on.submit(call), replay_of(original));
  }
}

TEST_P(PolicyRows, place_may_release_its_token_when_refused) {
  Harness& on = harness(releasing(Operation::hold_place));
  const Hold hold = on.must_place(room);
  EXPECT_THAT(refused_without_a_trace(place(room, "p")), refused(Rejection::resource_unavailable));
  on.submit(release(hold.id, "r"));
  const Answer later = on.submit(place(room, "p"));
  EXPECT_THAT(later, done()) << "the same token may succeed later";
  EXPECT_THAT(on.submit(place(room, "p")), replay_of(later));
}

TEST_P(PolicyRows, a_released_token_may_serve_another_request) {
  Harness& on = harness(releasing(Operation::hold_place));
  on.must_place(room);
  refused_without_a_trace(place(room, "p"));
  EXPECT_THAT(
      refused_without_a_trace(place({.resource = "", .requester = "g", .duration = 1h}, "p")),
      invalid(Reason::resource_blank));
  EXPECT_THAT(on.submit(place({.resource = "b", .requester = "g", .duration = 1h}, "p")), done());
}

TEST_P(PolicyRows, confirm_may_release_its_token_when_refused) {
  Harness& on = harness(releasing(Operation::hold_confirm));
  EXPECT_THAT(refused_without_a_trace(confirm({1, 2}, "c")), refused(Rejection::not_known));
  const Hold hold = on.must_place(room);
  on.submit(release(hold.id, "r"));
  const Answer answer = refused_without_a_trace(confirm(hold.id, "c"));
  EXPECT_THAT(answer, refused(Rejection::not_held));
  EXPECT_THAT(answer, in_state(HoldState::released));
}

TEST_P(PolicyRows, release_may_release_its_token_when_refused) {
  Harness& on = harness(releasing(Operation::hold_release));
  const Hold hold = on.must_place(room);
  on.at(hold.expires_at);
  EXPECT_THAT(refused_without_a_trace(release(hold.id, "r")), refused(Rejection::window_elapsed));
}

TEST_P(PolicyRows, expire_may_release_its_token_when_refused) {
  Harness& on = harness(releasing(Operation::hold_expire));
  const Hold hold = on.must_place(room);
  const Answer answer = refused_without_a_trace(expire(hold.id, "e"));
  EXPECT_THAT(answer, refused(Rejection::window_not_elapsed));
  EXPECT_THAT(answer, in_state(HoldState::held));
  on.at(hold.expires_at);
  EXPECT_THAT(on.submit(expire(hold.id, "e")), done());
}

TEST_P(PolicyRows, declare_may_release_its_token_when_refused) {
  Harness& on = harness(releasing(Operation::resource_declare));
  on.submit(declare("room_307", 3, "d3"));
  Placing two = room;
  two.quantity = 2;
  const Hold hold = on.must_place(two);
  EXPECT_THAT(refused_without_a_trace(declare("room_307", 1, "d1")),
              refused(Rejection::capacity_in_use));
  on.submit(release(hold.id, "r"));
  EXPECT_THAT(on.submit(declare("room_307", 1, "d1")), done());
}

TEST_P(PolicyRows, on_reject_release_does_not_release_a_recorded_success) {
  Harness& on = harness(releasing(Operation::hold_place));
  const Answer original = on.submit(place(room, "p"));
  EXPECT_THAT(on.submit(place(room, "p")), replay_of(original));
  Placing other = room;
  other.requester = "somebody else";
  EXPECT_THAT(on.submit(place(other, "p")), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(place(room, "p")), replay_of(original));
}

TEST_P(PolicyRows, a_derived_token_comes_from_tenant_principal_operation_and_parameters) {
  Harness& on = harness(
      with(Operation::hold_place, [](Policy& policy) { policy.key_mode = KeyMode::derived; }));
  const Answer original = on.submit(place(room, ""));
  ASSERT_THAT(original, done());
  EXPECT_FALSE(original.token.empty());
  EXPECT_THAT(on.submit(place(room, "")), replay_of(original)) << "the same command is a retry";
  Placing other = room;
  other.requester = "guest_g92";
  EXPECT_THAT(on.submit(place(other, "")), first()) << "any difference makes another command";
  EXPECT_THAT(on.submit(place(room, "", somebody_else)), first());
  EXPECT_THAT(on.submit(place(room, "", {.tenant = "acme", .principal = "local"})), done());
}

TEST_P(PolicyRows, a_derived_token_is_not_the_callers_to_give) {
  Harness& on = harness(
      with(Operation::hold_place, [](Policy& policy) { policy.key_mode = KeyMode::derived; }));
  EXPECT_THAT(on.submit(place(room, "mine")), invalid(Reason::token_not_expected));
  EXPECT_EQ(on.records(), 0U);
  EXPECT_THAT(on.submit(confirm({1, 1}, "")), invalid(Reason::token_size))
      << "the other operations still want one";
}

TEST_P(PolicyRows, an_operation_that_must_be_confirmed_runs_only_with_its_code) {
  Harness& on = harness(confirming(Operation::hold_place));
  Call call = place(room, "t");
  const Answer asked = refused_without_a_trace(call);
  EXPECT_THAT(asked, refused(Rejection::confirmation_required));
  EXPECT_EQ(asked.confirmation_expires, start + 5min);
  call.confirmation = asked.confirmation;
  const Answer answered = on.submit(call);
  EXPECT_THAT(answered, done());
  EXPECT_EQ(on.store().counts().holds, 1U);
}

TEST_P(PolicyRows, who_is_asked_to_confirm_is_shown_the_hold_as_it_is) {
  Harness& on = harness(confirming(Operation::hold_release));
  const HoldId id = on.submit(place(room, "t")).hold->id;
  const Answer held = on.submit(release(id, "r"));
  EXPECT_THAT(held, refused(Rejection::confirmation_required));
  EXPECT_EQ(held.hold->state, HoldState::held);
  on.advance(1s);
  on.submit(confirm(id, "c"));
  const Answer confirmed = on.submit(release(id, "r"));
  EXPECT_THAT(confirmed, refused(Rejection::confirmation_required));
  EXPECT_EQ(confirmed.hold->state, HoldState::confirmed);
  EXPECT_EQ(confirmed.hold->resolved_at, start + 1s);
}

TEST_P(PolicyRows, a_replay_needs_no_code_and_a_code_is_good_for_one_effect) {
  Harness& on = harness(confirming(Operation::hold_place));
  Call call = place(room, "t");
  const std::string code = on.submit(call).confirmation;
  call.confirmation = code;
  const Answer original = on.submit(call);
  EXPECT_THAT(on.submit(place(room, "t")), replay_of(original));
  EXPECT_THAT(on.submit(call), replay_of(original)) << "no double-confirmation abuse";
  call.confirmation = "rubbish";
  EXPECT_THAT(on.submit(call), replay_of(original));
  EXPECT_EQ(on.store().counts().holds, 1U);
}

TEST_P(PolicyRows, a_code_is_bound_to_token_parameters_principal_and_tenant) {
  Harness& on = harness(confirming(Operation::hold_place));
  const std::string code = on.submit(place(room, "t")).confirmation;
  Placing other = room;
  other.duration = 2h;
  for (Call call : {place(room, "u"), place(other, "t"), place(room, "t", somebody_else),
                    place(room, "t", {.tenant = "acme", .principal = "local"})}) {
    call.confirmation = code;
    EXPECT_THAT(on.submit(call), refused(Rejection::confirmation_required));
  }
  EXPECT_EQ(on.records(), 0U);
}

TEST_P(PolicyRows, a_code_expires) {
  Harness& on = harness(confirming(Operation::hold_place));
  Call call = place(room, "t");
  call.confirmation = on.submit(call).confirmation;
  on.at(start + 5min);
  const Answer late = on.submit(call);
  EXPECT_THAT(late, refused(Rejection::confirmation_required));
  EXPECT_EQ(late.confirmation_expires, start + 10min) << "with a new code";
  on.at(start + 10min - 1us);
  call.confirmation = late.confirmation;
  EXPECT_THAT(on.submit(call), done());
}

TEST_P(PolicyRows, a_code_does_not_outlive_its_token) {
  Harness& on = harness(with(Operation::hold_place, [](Policy& policy) {
    policy.confirmation = Confirmation::required;
    policy.token_class = TokenClass::i2_windowed;
    policy.window = 1min;
  }));
  Call call = place({.resource = "b", .requester = "g", .duration = 1s}, "t");
  const Answer asked = on.submit(call);
  EXPECT_EQ(asked.confirmation_expires, start + 1min);
  call.confirmation = asked.confirmation;
  EXPECT_THAT(on.submit(call), done());
  on.at(start + 1min);  // the token is forgotten, the room is free
  EXPECT_THAT(on.submit(call), refused(Rejection::confirmation_required));
}

TEST_P(PolicyRows, a_code_cannot_be_made_up) {
  Harness& on = harness(confirming(Operation::hold_place));
  const std::string genuine = on.submit(place(room, "t")).confirmation;
  std::vector<std::string> forged{"",
                                  "-",
                                  "1",
                                  "ffffffffffff-",
                                  genuine + "0",
                                  "0" + genuine,
                                  "+" + genuine,
                                  " " + genuine,
                                  genuine.substr(0, genuine.size() - 1)};
  for (std::size_t i = 0; i < genuine.size(); ++i) {
    std::string wrong = genuine;
    wrong[i] = wrong[i] == '1' ? '2' : '1';
    forged.push_back(wrong);
  }
  for (const std::string& code : forged) {
    Call call = place(room, "t");
    call.confirmation = code;
    EXPECT_THAT(on.submit(call), refused(Rejection::confirmation_required)) << code;
  }
}

TEST_P(PolicyRows, asking_for_a_code_shows_nobody_elses_hold) {
  Harness& on = harness(confirming(Operation::hold_confirm));
  const Caller acme{.tenant = "acme", .principal = "p"};
  const Hold hold = on.must_place(room, acme);
  EXPECT_FALSE(on.submit(confirm(hold.id, "t")).hold) << "another tenant's";
  EXPECT_FALSE(on.submit(confirm({hold.id.ordinal, 0}, "u", acme)).hold) << "a guessed id";
  EXPECT_TRUE(on.submit(confirm(hold.id, "v", acme)).hold);
}

TEST_P(PolicyRows, asking_for_a_code_uses_up_no_id) {
  Harness& on = harness(confirming(Operation::hold_confirm));
  const auto answers = on.submit({confirm({1, 0}, "c"), place(room, "p")});
  EXPECT_THAT(answers[0], refused(Rejection::confirmation_required));
  EXPECT_EQ(answers[1].hold->id.ordinal, 1U);
}

}  // namespace
}  // namespace holdfast::test
