// IR-1 and IR-2 for holds that change while they stand: whatever becomes of a hold, every earlier
// token is answered byte for byte as it was, refusals too.

#include "support/stores/store_test.hpp"
#include "wire/body.hpp"

namespace holdfast::test {
namespace {

/// What was asked, what was said, and whoever asks again.
class Memory {
 public:
  explicit Memory(Harness& on) : on_(on) {}

  const Answer& ask(Call call) {
    answers_.push_back(on_.submit(call));
    EXPECT_THAT(answers_.back(), first());
    calls_.push_back(std::move(call));
    return answers_.back();
  }

  /// From the fast path and by token (which `submit` compares with the batch), one by one, in one
  /// batch, and each twice within one.
  void expect_the_same_answers() {
    for (std::size_t i = 0; i < calls_.size(); ++i) compare(i, on_.submit(calls_[i]));
    std::vector<Call> batch = calls_;
    batch.insert(batch.end(), calls_.rbegin(), calls_.rend());
    const std::vector<Answer> answers = on_.submit(batch);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      compare(i, answers[i]);
      compare(i, answers[answers.size() - 1 - i]);
    }
  }

  void expect_the_same_answers_for_good() {
    expect_the_same_answers();
    on_.reopen();
    expect_the_same_answers();
  }

 private:
  void compare(std::size_t i, const Answer& again) {
    EXPECT_THAT(again, replay_of(answers_[i]));
    EXPECT_EQ(answer_body(again), answer_body(answers_[i]));
    EXPECT_EQ(http_status(again), http_status(answers_[i]));
    const auto found = on_.store().token(calls_[i].caller.tenant, again.token);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ(answer_body((*found)->answer), answer_body(answers_[i]));
  }

  Harness& on_;
  std::vector<Call> calls_;
  std::vector<Answer> answers_;
};

class ChangedHoldsReplay : public StoreTest {
 protected:
  static constexpr std::int64_t six = 6;
  [[nodiscard]] Call seats(std::string token) const {
    return place({.resource = "seats", .requester = "g", .duration = 1h, .quantity = six},
                 std::move(token));
  }
  Rules rules() {
    Rules rules;
    rules.window = 25h;
    rules.lifetime_max = 3h;
    return rules;
  }
};
HOLDFAST_ON_EVERY_STORE(ChangedHoldsReplay);

TEST_P(ChangedHoldsReplay, a_place_after_each_kind_of_change) {
  using Change = std::function<Call(HoldId)>;
  const std::vector<Change> changes{
      [](HoldId id) { return extend(id, 2h, "change"); },
      [](HoldId id) { return confirm_part(id, 2, "change"); },
      [](HoldId id) { return confirm_finally(id, 2, "change"); },
      [](HoldId id) { return confirm_finally(id, six, "change"); },
      [](HoldId id) { return confirm(id, "change"); },
      [](HoldId id) { return release(id, "change"); },
  };
  for (const Change& change : changes) {
    Harness on(GetParam(), rules());
    ASSERT_THAT(on.submit(declare("seats", 10, "d")), done());
    Memory memory(on);
    const HoldId id = memory.ask(seats("p")).hold->id;
    on.advance(1min);
    ASSERT_THAT(memory.ask(change(id)), done());
    memory.expect_the_same_answers_for_good();
    (void)memory.ask(cancel_part(id, 1, "x"));
    memory.expect_the_same_answers_for_good();
    on.at(start + 3h);
    (void)on.sweep();
    memory.expect_the_same_answers_for_good();
    EXPECT_THAT(on.violations(), ::testing::IsEmpty());
  }
}

TEST_P(ChangedHoldsReplay, everything_that_was_said_of_a_hold_on_its_way) {
  Harness& on = harness(rules());
  ASSERT_THAT(on.submit(declare("seats", 10, "d")), done());
  Memory memory(on);
  const HoldId id = memory.ask(seats("p")).hold->id;
  EXPECT_THAT(memory.ask(expire(id, "soon")), refused(Rejection::window_not_elapsed));
  EXPECT_THAT(memory.ask(cancel(id, "x0")), refused(Rejection::not_confirmed));
  EXPECT_THAT(memory.ask(confirm_part(id, 7, "c0")), refused(Rejection::quantity_exceeded));
  memory.expect_the_same_answers();
  on.advance(1min);
  EXPECT_THAT(memory.ask(extend(id, 2h, "e1")), done());
  memory.expect_the_same_answers();
  EXPECT_THAT(memory.ask(expire(id, "soon again")), refused(Rejection::window_not_elapsed));
  EXPECT_THAT(memory.ask(extend(id, 3h, "e2")), refused(Rejection::lifetime_exceeded));
  EXPECT_THAT(memory.ask(cancel(id, "x1")), refused(Rejection::not_confirmed));
  on.advance(1min);
  EXPECT_THAT(memory.ask(confirm_part(id, 2, "c1")), done());
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(cancel_part(id, 1, "x2")), done());
  EXPECT_THAT(memory.ask(cancel_part(id, 2, "x3")), refused(Rejection::quantity_exceeded));
  EXPECT_THAT(memory.ask(confirm_part(id, 5, "c2")), refused(Rejection::quantity_exceeded));
  EXPECT_THAT(memory.ask(extend(id, 150min, "e3")), done());
  on.advance(1min);
  EXPECT_THAT(memory.ask(confirm_finally(id, 3, "c3")), in_state(HoldState::confirmed));
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(confirm(id, "c4")), refused(Rejection::not_held));
  EXPECT_THAT(memory.ask(extend(id, 1h, "e4")), refused(Rejection::not_held));
  EXPECT_THAT(memory.ask(release(id, "r1")), refused(Rejection::not_held));
  EXPECT_THAT(memory.ask(cancel(id, "x4")), done());
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(cancel(id, "x5")), refused(Rejection::not_confirmed));
  EXPECT_THAT(memory.ask(expire(id, "late")), refused(Rejection::not_held));
  on.advance(3h);
  memory.expect_the_same_answers_for_good();
}

TEST_P(ChangedHoldsReplay, a_rest_that_lapsed_and_was_swept) {
  Harness& on = harness(rules());
  ASSERT_THAT(on.submit(declare("seats", 10, "d")), done());
  Memory memory(on);
  const HoldId id = memory.ask(seats("p")).hold->id;
  EXPECT_THAT(memory.ask(extend(id, 90min, "e")), done());
  EXPECT_THAT(memory.ask(confirm_part(id, 2, "c")), done());
  on.at(start + 90min);
  EXPECT_THAT(memory.ask(confirm(id, "late")), refused(Rejection::window_elapsed));
  EXPECT_THAT(memory.ask(extend(id, 1h, "late too")), refused(Rejection::window_elapsed));
  EXPECT_THAT(memory.ask(cancel_part(id, 1, "x")), done());
  memory.expect_the_same_answers_for_good();
  EXPECT_EQ(on.sweep(), 1U);
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(release(id, "r")), refused(Rejection::not_held));
  EXPECT_THAT(memory.ask(cancel(id, "y")), done());
  memory.expect_the_same_answers_for_good();
}

TEST_P(ChangedHoldsReplay, a_rest_that_was_expired_and_one_that_was_released) {
  Harness& on = harness(rules());
  ASSERT_THAT(on.submit(declare("seats", 12, "d")), done());
  Memory memory(on);
  const HoldId expired = memory.ask(seats("p")).hold->id;
  const HoldId released = memory.ask(seats("q")).hold->id;
  EXPECT_THAT(memory.ask(confirm_part(expired, 1, "c")), done());
  EXPECT_THAT(memory.ask(extend(released, 2h, "e")), done());
  EXPECT_THAT(memory.ask(release(released, "r")), done());
  on.at(start + 1h);
  EXPECT_THAT(memory.ask(expire(expired, "x")), done());
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(cancel(expired, "y")), done());
  EXPECT_THAT(memory.ask(cancel(released, "z")), refused(Rejection::not_confirmed));
  memory.expect_the_same_answers_for_good();
}

TEST_P(ChangedHoldsReplay, groups_and_their_members) {
  Harness& on = harness(rules());
  ASSERT_THAT(on.submit(declare("beds", 9, "d")), done());
  Memory memory(on);
  const Grouping what{
      .requester = "g", .duration = 1h, .holds = {{"beds", 3}, {"room"}, {"beds", 4}}};
  const Group group = *group_in(memory.ask(place_group(what, "g")));
  EXPECT_THAT(memory.ask(place_group(what, "full")), refused(Rejection::resource_unavailable));
  EXPECT_THAT(memory.ask(expire(group.holds[1].id, "soon")),
              refused(Rejection::window_not_elapsed));
  on.advance(1min);
  EXPECT_THAT(memory.ask(extend(group.holds[0].id, 2h, "e0")), done());
  EXPECT_THAT(memory.ask(confirm_part(group.holds[2].id, 1, "c2")), done());
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(extend_group(group.id, 90min, "ge")), done());
  EXPECT_THAT(memory.ask(extend_group(group.id, 3h, "over")),
              refused(Rejection::lifetime_exceeded));
  EXPECT_THAT(memory.ask(release(group.holds[1].id, "r1")), done());
  memory.expect_the_same_answers_for_good();
  on.advance(1min);
  EXPECT_THAT(memory.ask(confirm_group(group.id, "gc")), done());
  EXPECT_THAT(memory.ask(release_group(group.id, "gr")), refused(Rejection::not_held));
  EXPECT_THAT(memory.ask(confirm_group({{99, 1}}, "none")), refused(Rejection::not_known));
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(cancel(group.holds[0].id, "x0")), done());
  EXPECT_THAT(memory.ask(cancel_part(group.holds[2].id, 2, "x2")), done());
  memory.expect_the_same_answers_for_good();
}

TEST_P(ChangedHoldsReplay, a_group_that_was_released_and_one_that_lapsed) {
  Harness& on = harness(rules());
  Memory memory(on);
  const auto pair = [](std::string a, std::string b, Duration duration) {
    return Grouping{
        .requester = "g", .duration = duration, .holds = {{std::move(a)}, {std::move(b)}}};
  };
  const Group one = *group_in(memory.ask(place_group(pair("a", "b", 1h), "one")));
  const Group two = *group_in(memory.ask(place_group(pair("c", "d", 1min), "two")));
  EXPECT_THAT(memory.ask(release_group(one.id, "r")), done());
  on.at(start + 1min);
  EXPECT_THAT(memory.ask(confirm_group(two.id, "c")), refused(Rejection::window_elapsed));
  memory.expect_the_same_answers();
  EXPECT_EQ(on.sweep(), 2U);
  EXPECT_THAT(memory.ask(extend_group(two.id, 1h, "e")), refused(Rejection::not_held));
  memory.expect_the_same_answers_for_good();
}

/// What is loaded with a batch must do for whatever the batch does before it is needed.
TEST_P(ChangedHoldsReplay, after_a_change_in_the_very_batch) {
  Harness& on = harness(rules());
  ASSERT_THAT(on.submit(declare("seats", 10, "d")), done());
  const HoldId id = on.submit(seats("p")).hold->id;
  ASSERT_THAT(on.submit(extend(id, 2h, "e")), done());
  const Call over = confirm_part(id, 7, "over");
  const Answer refusal = on.submit(over);
  EXPECT_THAT(refusal, refused(Rejection::quantity_exceeded));
  const std::vector<Call> changes{extend(id, 3h, "change 1"), confirm_part(id, 1, "change 2"),
                                  confirm(id, "change 3"), cancel(id, "change 4")};
  for (const Call& change : changes) {
    const auto answers = on.submit({change, over, extend(id, 2h, "e"), seats("p")});
    EXPECT_THAT(answers[0], first());
    EXPECT_EQ(answer_body(answers[1]), answer_body(refusal));
    EXPECT_EQ(words(answers[1]), words(refusal));
    EXPECT_EQ(answers[2].hold->expires_at, start + 2h);
    EXPECT_EQ(answers[2].hold->quantity_confirmed, 0);
    EXPECT_EQ(answers[3].hold->expires_at, start + 1h);
    EXPECT_THAT(answers[3], in_state(HoldState::held));
  }
}

/// Nothing but its end ever happened to it.
TEST_P(ChangedHoldsReplay, refused_cancels_say_in_which_state_the_hold_was) {
  Harness& on = harness(rules());
  Memory memory(on);
  const auto placed_on = [&](std::string resource, Duration duration) {
    const Placing what{.resource = resource, .requester = "g", .duration = duration};
    return memory.ask(place(what, "p" + resource)).hold->id;
  };
  const HoldId confirmed = placed_on("a", 1h);
  const HoldId released = placed_on("b", 1h);
  const HoldId expired = placed_on("c", 1min);
  for (const HoldId id : {released, expired}) {
    EXPECT_THAT(memory.ask(cancel(id, "held " + id.text())), refused(Rejection::not_confirmed));
    EXPECT_THAT(memory.ask(cancel_part(id, 2, "held 2 " + id.text())),
                refused(Rejection::not_confirmed));
  }
  on.at(start + 1min);
  EXPECT_THAT(memory.ask(confirm(confirmed, "c")), done());
  EXPECT_THAT(memory.ask(release(released, "r")), done());
  EXPECT_EQ(on.sweep(), 1U);
  const Answer over = memory.ask(cancel_part(confirmed, 2, "over"));
  EXPECT_THAT(over, refused(Rejection::quantity_exceeded));
  EXPECT_EQ(over.hold, on.hold(confirmed));
  for (const HoldId id : {released, expired}) {
    const Answer none = memory.ask(cancel(id, "ended " + id.text()));
    EXPECT_THAT(none, refused(Rejection::not_confirmed));
    EXPECT_EQ(none.hold, on.hold(id));
  }
  memory.expect_the_same_answers_for_good();
  EXPECT_THAT(memory.ask(cancel(confirmed, "x")), done());
  memory.expect_the_same_answers_for_good();
}

/// Ids are random; what is drawn for them is not.
TEST_P(ChangedHoldsReplay, all_of_a_life_in_the_batch_that_places) {
  Harness elsewhere("memory", rules());
  ASSERT_THAT(elsewhere.submit(declare("seats", 10, "d")), done());
  const HoldId id = elsewhere.submit(seats("p")).hold->id;
  Harness& on = harness(rules());
  ASSERT_THAT(on.submit(declare("seats", 10, "d")), done());
  const std::vector<Call> calls{seats("p"),
                                extend(id, 2h, "e"),
                                confirm_part(id, 2, "c"),
                                confirm_part(id, 5, "over"),
                                cancel_part(id, 1, "x"),
                                confirm_finally(id, 3, "f"),
                                cancel(id, "y"),
                                cancel(id, "z")};
  std::vector<Call> twice = calls;
  twice.insert(twice.end(), calls.begin(), calls.end());
  const std::vector<Answer> answers = on.submit(twice);
  ASSERT_EQ(answers[0].hold->id, id);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(answers[i].ok(), i != 3 && i != 7) << i;
    EXPECT_THAT(answers[calls.size() + i], replay_of(answers[i]));
    EXPECT_EQ(answer_body(answers[calls.size() + i]), answer_body(answers[i]));
  }
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Answer said = on.submit(calls[i]);
      EXPECT_THAT(said, replay_of(answers[i]));
      EXPECT_EQ(answer_body(said), answer_body(answers[i]));
    }
  }
}

TEST_P(ChangedHoldsReplay, what_is_released_by_policy_leaves_its_token_unused) {
  Rules lenient = rules();
  for (const Operation each :
       {Operation::hold_extend, Operation::hold_cancel, Operation::group_place})
    lenient.policies[each].on_reject = OnReject::release;
  Harness& on = harness(lenient);
  const Hold hold = on.must_place(room);
  const Answer early = on.submit(cancel(hold.id, "x"));
  EXPECT_THAT(early, refused(Rejection::not_confirmed));
  EXPECT_THAT(early, token_unused());
  EXPECT_EQ(early.hold, hold);
  EXPECT_THAT(on.submit(extend(hold.id, 4h, "e")), token_unused());
  const Grouping pair{.requester = "g", .duration = 1h, .holds = {{"room_307"}, {"b"}}};
  const Answer full = on.submit(place_group(pair, "g"));
  EXPECT_THAT(full, token_unused());
  EXPECT_EQ(full.document, R"({"short":[{"asked":1,"free":0,"resource":"room_307"}]})");
  ASSERT_THAT(on.submit(confirm(hold.id, "c")), done());
  EXPECT_THAT(on.submit(cancel(hold.id, "x")), first());
  EXPECT_THAT(on.submit(place_group(pair, "g")), first());
}

}  // namespace
}  // namespace holdfast::test
