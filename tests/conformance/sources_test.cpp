// The minimum the sources ask of an implementation, case by case and in their words: the six
// conformance tests of RFC-WF-0010 (IDS), the contract table of SBO3L.

#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

const Placing payment{.resource = "account_9", .requester = "merchant_1", .duration = 1h};
const Placing other_payment{.resource = "account_9", .requester = "merchant_2", .duration = 1h};

class Ids : public ServiceTest {};
HOLDFAST_ON_EVERY_STORE(Ids);

TEST_P(Ids, duplicate_deliveries_of_the_same_mutation_do_not_duplicate_effects) {
  service();
  for (int delivery = 0; delivery < 5; ++delivery) EXPECT_THAT(submit(place(payment, "k")), done());
  EXPECT_EQ(store().counts().holds, 1U);
}

TEST_P(Ids, concurrent_duplicates_converge_to_one_execution) {
  service();
  std::vector<Answer> answers(16);
  on_threads(16, [&](std::size_t i) { answers[i] = submit(place(payment, "k")); });
  for (const Answer& answer : answers) EXPECT_EQ(words(answer), words(answers[0]));
  EXPECT_EQ(store().counts().holds, 1U);
}

TEST_P(Ids, duplicate_after_success_replays_outcome) {
  service();
  const Answer original = submit(place(payment, "k"));
  EXPECT_THAT(submit(place(payment, "k")), replay_of(original));
}

TEST_P(Ids, duplicate_during_in_progress_returns_processing_status) {
  Rules rules;
  rules.policies[Operation::hold_place].overlap_wait = 1s;
  service(rules);
  gate_.close();
  auto running = ask(place(payment, "k"));
  gate_.wait_until_somebody_waits();
  auto duplicate = ask(place(payment, "k"));
  clock().advance(1s);
  EXPECT_THAT(duplicate.get(), refused(Rejection::in_progress));
  gate_.open();
  EXPECT_THAT(running.get(), done());
}

TEST_P(Ids, collision_case_rejects_with_evidence) {
  service();
  submit(place(payment, "k"));
  EXPECT_THAT(submit(place(other_payment, "k")), refused(Rejection::token_collision));
  const auto records = all_records(store());
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].kind, RecordKind::collided);
  EXPECT_EQ(records[1].ref, records[0].seq);
  EXPECT_NE(records[1].digest, records[0].digest) << "both fingerprints are there";
}

TEST_P(Ids, confirmation_binding_prevents_bypass_or_double_confirmation_abuse) {
  Rules rules;
  rules.confirmation_secret = {1, 2};
  rules.policies[Operation::hold_place].confirmation = Confirmation::required;
  service(rules);
  Call call = place(payment, "k");
  EXPECT_THAT(submit(call), refused(Rejection::confirmation_required)) << "no bypass";
  const std::string code = submit(call).confirmation;
  Call other = place(other_payment, "k");
  other.confirmation = code;
  EXPECT_THAT(submit(other), refused(Rejection::confirmation_required)) << "bound to its command";
  call.confirmation = code;
  const Answer original = submit(call);
  EXPECT_THAT(original, done());
  EXPECT_THAT(submit(call), replay_of(original)) << "confirmed twice, done once";
  EXPECT_EQ(store().counts().holds, 1U);
}

class Sbo3l : public ServiceTest {
 protected:
  void SetUp() override {
    Rules rules;
    rules.policies[Operation::hold_place].window = 24h;
    service(rules);
    EXPECT_THAT(submit(declare("account_9", 10, "capacity")), done());
  }
};
HOLDFAST_ON_EVERY_STORE(Sbo3l);

TEST_P(Sbo3l, first_request_with_key_runs_and_records) {
  EXPECT_THAT(submit(place(payment, "K")), first());
  EXPECT_TRUE(*store().token("default", "K"));
}

TEST_P(Sbo3l, retry_with_same_key_and_identical_body_replays_the_cached_response) {
  const Answer original = submit(place(payment, "K"));
  EXPECT_THAT(submit(place(payment, "K")), replay_of(original));
}

TEST_P(Sbo3l, retry_with_same_key_and_different_body_is_a_conflict) {
  const Answer original = submit(place(payment, "K"));
  EXPECT_THAT(submit(place(other_payment, "K")), refused(Rejection::token_collision));
  EXPECT_EQ(store().counts().holds, 1U);
}

TEST_P(Sbo3l, new_key_with_identical_body_runs_again) {
  const Answer original = submit(place(payment, "K"));
  const Answer again = submit(place(payment, "K'"));
  EXPECT_THAT(again, first());
  EXPECT_NE(again.hold->id, original.hold->id) << "another key is another logical operation";
}

TEST_P(Sbo3l, retry_after_the_key_expired_runs_as_new) {
  const Answer original = submit(place(payment, "K"));
  clock().advance(24h - 1us);
  EXPECT_THAT(submit(place(payment, "K")), replay_of(original));
  clock().advance(1us);
  EXPECT_THAT(submit(place(payment, "K")), first());
}

}  // namespace
}  // namespace holdfast::test
