// A batch is its calls one after the other: later ones see what earlier ones did.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class Batches : public StoreTest {};
HOLDFAST_ON_EVERY_STORE(Batches);

TEST_P(Batches, may_be_empty) {
  Harness& on = harness();
  EXPECT_TRUE(on.submit(std::vector<Call>{}).empty());
  EXPECT_EQ(on.records(), 0U);
}

TEST_P(Batches, the_same_token_twice_runs_once) {
  Harness& on = harness();
  const auto answers = on.submit({place(room, "t"), place(room, "t"), place(room, "t")});
  EXPECT_THAT(answers[0], first());
  EXPECT_THAT(answers[1], replay_of(answers[0]));
  EXPECT_THAT(answers[2], replay_of(answers[0]));
  EXPECT_EQ(on.store().counts().holds, 1U);
}

TEST_P(Batches, the_same_token_with_other_parameters_collides) {
  Harness& on = harness();
  Placing other = room;
  other.resource = "room_308";
  const auto answers = on.submit({place(room, "t"), place(other, "t"), place(room, "t")});
  EXPECT_THAT(answers[0], done());
  EXPECT_THAT(answers[1], refused(Rejection::token_collision));
  EXPECT_THAT(answers[2], replay_of(answers[0]));
}

TEST_P(Batches, a_refusal_repeated_in_its_own_batch_is_a_replay) {
  Harness& on = harness();
  const auto answers = on.submit({confirm({4, 4}, "t"), confirm({4, 4}, "t")});
  EXPECT_THAT(answers[0], refused(Rejection::not_known));
  EXPECT_THAT(answers[1], replay_of(answers[0]));
}

TEST_P(Batches, two_transitions_of_one_hold_are_decided_one_after_the_other) {
  Harness& on = harness();
  const Hold hold = on.must_place(room);
  const auto answers = on.submit(
      {confirm(hold.id, "c"), release(hold.id, "r"), confirm(hold.id, "c"), place(room, "p")});
  EXPECT_THAT(answers[0], in_state(HoldState::confirmed));
  EXPECT_THAT(answers[1], refused(Rejection::not_held));
  EXPECT_THAT(answers[1], in_state(HoldState::confirmed));
  EXPECT_THAT(answers[2], replay_of(answers[0]));
  EXPECT_THAT(answers[3], refused(Rejection::resource_unavailable));
}

TEST_P(Batches, a_malformed_call_disturbs_no_other) {
  Harness& on = harness();
  const auto answers =
      on.submit({place(room, std::string(300, 'x')), place(room, "t"), place(room, "")});
  EXPECT_THAT(answers[0], invalid(Reason::token_size));
  EXPECT_THAT(answers[1], done());
  EXPECT_THAT(answers[2], invalid(Reason::token_size));
}

TEST_P(Batches, a_token_past_its_window_runs_once_per_batch_again) {
  Harness& on = harness();
  on.submit(confirm({4, 4}, "t"));
  on.at(start + 10min);
  const auto answers = on.submit({place(room, "t"), place(room, "t"), confirm({4, 4}, "t")});
  EXPECT_THAT(answers[0], first());
  EXPECT_THAT(answers[1], replay_of(answers[0]));
  EXPECT_THAT(answers[2], refused(Rejection::token_collision));
}

TEST_P(Batches, equal_names_in_two_tenants_stay_apart) {
  Harness& on = harness();
  const Caller acme{.tenant = "acme", .principal = "p"};
  const auto answers = on.submit({place(room, "t"), place(room, "t", acme), place(room, "u"),
                                  place(room, "u", acme), place(room, "t")});
  EXPECT_THAT(answers[0], done());
  EXPECT_THAT(answers[1], done());
  EXPECT_THAT(answers[2], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[3], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[4], replay_of(answers[0]));
}

TEST_P(Batches, several_lapsed_holds_of_several_resources_make_room) {
  Harness& on = harness();
  std::vector<Call> first_round;
  std::vector<Call> second_round;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "r" + std::to_string(i % 25);
    if (i < 25) {
      first_round.push_back(
          place({.resource = name, .requester = "g", .duration = 1min}, on.next_token()));
    }
    second_round.push_back(
        place({.resource = name, .requester = "h", .duration = 1min}, on.next_token()));
  }
  for (const Answer& answer : on.submit(std::move(first_round))) EXPECT_THAT(answer, done());
  on.at(start + 1min);
  const auto answers = on.submit(std::move(second_round));
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].ok(), i < 25) << i;
}

TEST_P(Batches, may_be_large) {
  Harness& on = harness();
  std::vector<Call> calls;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "r" + std::to_string(i % 1000);
    calls.push_back(place({.resource = name, .requester = "g", .duration = 1h}, on.next_token()));
  }
  std::size_t placed = 0;
  for (const Answer& answer : on.submit(std::move(calls))) placed += answer.ok() ? 1U : 0U;
  EXPECT_EQ(placed, 1000U);
  EXPECT_EQ(on.records(), 5000U);
}

}  // namespace
}  // namespace holdfast::test
