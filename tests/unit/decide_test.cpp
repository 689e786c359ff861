// The composition as a pure function: rows in, records out.

#include "domain/decide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "domain/answer.hpp"
#include "domain/apply.hpp"
#include "domain/confirmation.hpp"
#include "domain/module.hpp"
#include "support/calls.hpp"
#include "support/fixed_random.hpp"
#include "support/rules.hpp"

namespace holdfast::test {
namespace {

const Placing room{.resource = "room_307", .requester = "guest_g91", .duration = 1h};

/// A working set and what was decided on it so far; no store, no clock.
class Decide : public ::testing::Test {
 protected:
  Decision decide_on(Call call, Instant now = start) {
    requests_.push_back(make_request(std::move(call)));
    const std::size_t before = records_.size();
    const Decision decision =
        decide(rows_, requests_.back(), now, ids_, records_.size() + 1, rules_, records_);
    for (std::size_t i = before; i < records_.size(); ++i) apply(rows_, records_[i]);
    return decision;
  }
  std::vector<RecordKind> kinds() const {
    std::vector<RecordKind> found;
    for (const Record& record : records_) found.push_back(record.kind);
    return found;
  }
  Answer answer(const Decision& decision) {
    return answer_of(requests_.back(), decision,
                     {.hold = rows_.hold(decision.outcome.hold_ordinal)}, rules_);
  }

  Rules rules_ = short_rules();
  WorkingSet rows_;
  Records records_;
  std::deque<Request> requests_;  // rows keep views of them
  FixedSalt salt_{77};
  FreshIds ids_{salt_, 1};
};

using Kinds = std::vector<RecordKind>;

TEST_F(Decide, the_four_cases_of_a_claim) {
  const Request request = make_request(place(room, "t"));
  const Request other = make_request(confirm({1, 1}, "t"));
  TokenRow row;
  row.operation = Operation::hold_place;
  row.fingerprint = request.fingerprint;
  row.recorded_at = start;
  EXPECT_EQ(claim(nullptr, request, rules_, start), Claim::fresh);
  EXPECT_EQ(claim(&row, request, rules_, start + 10min - 1us), Claim::recorded);
  EXPECT_EQ(claim(&row, other, rules_, start + 10min - 1us), Claim::collision);
  EXPECT_EQ(claim(&row, request, rules_, start + 10min), Claim::fresh);
  EXPECT_EQ(claim(&row, other, rules_, start + 10min), Claim::fresh);
}

TEST_F(Decide, a_place_is_one_record_that_is_effect_and_outcome_together) {
  const Decision decision = decide_on(place(room, "t"));
  EXPECT_EQ(decision.claim, Claim::fresh);
  EXPECT_TRUE(decision.recorded);
  ASSERT_EQ(kinds(), Kinds{RecordKind::placed});
  EXPECT_EQ(records_[0].token, "t");
  EXPECT_EQ(records_[0].seq, 1U);
  EXPECT_EQ(answer(decision).hold->id, (HoldId{1, 77}));
}

TEST_F(Decide, a_replay_runs_nothing_and_leaves_evidence) {
  decide_on(place(room, "t"));
  const Decision again = decide_on(place(room, "t"), start + 1s);
  EXPECT_EQ(again.claim, Claim::recorded);
  EXPECT_EQ(kinds(), (Kinds{RecordKind::placed, RecordKind::replayed}));
  EXPECT_EQ(records_[1].ref, 1U);
  EXPECT_EQ(records_[1].count, 1);
  EXPECT_EQ(records_[1].first_at, start + 1s);
  EXPECT_TRUE(answer(again).replayed);
}

TEST_F(Decide, a_collision_changes_nothing_and_leaves_evidence_of_both_digests) {
  decide_on(place(room, "t"));
  const Decision collision = decide_on(release({1, 77}, "t"));
  EXPECT_EQ(collision.claim, Claim::collision);
  EXPECT_FALSE(collision.recorded);
  EXPECT_EQ(kinds(), (Kinds{RecordKind::placed, RecordKind::collided}));
  EXPECT_EQ(records_[1].ref, 1U);
  EXPECT_NE(records_[1].digest, records_[0].digest);
  EXPECT_EQ(rows_.hold(1)->state, HoldState::held);
  EXPECT_EQ(answer(collision).token_expires, start + 10min) << "when the token is free again";
}

TEST_F(Decide, a_rejection_is_recorded_with_what_was_asked) {
  decide_on(place(room, "t"));
  const Decision refusal = decide_on(place(room, "u"));
  EXPECT_EQ(refusal.outcome.rejection, Rejection::resource_unavailable);
  ASSERT_EQ(kinds(), (Kinds{RecordKind::placed, RecordKind::rejected}));
  EXPECT_EQ(records_[1].resource, "room_307");
  EXPECT_EQ(records_[1].requester, "guest_g91");
  EXPECT_EQ(records_[1].quantity, 1);
}

TEST_F(Decide, an_invalid_request_leaves_no_names_in_the_record) {
  decide_on(place({.resource = std::string("\xff\0", 2), .requester = "g", .duration = 1h}, "t"));
  ASSERT_EQ(kinds(), Kinds{RecordKind::rejected});
  EXPECT_TRUE(records_[0].resource.empty());
  EXPECT_EQ(records_[0].reason, Reason::resource_text);
}

TEST_F(Decide, an_id_that_cannot_exist_is_not_kept) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const HoldId id : {HoldId{0, 5}, HoldId{most, 5}, HoldId{5, most}}) {
    decide_on(confirm(id, id.text()));
    EXPECT_EQ(records_.back().hold, HoldId{}) << id.text();
    EXPECT_EQ(records_.back().rejection, Rejection::not_known);
  }
  decide_on(confirm({5, 5}, "t"));
  EXPECT_EQ(records_.back().hold, (HoldId{5, 5})) << "one that could is evidence";
}

TEST_F(Decide, on_reject_release_leaves_no_record_at_all) {
  rules_.policies[Operation::hold_confirm].on_reject = OnReject::release;
  const Decision refusal = decide_on(confirm({1, 1}, "t"));
  EXPECT_EQ(refusal.outcome.rejection, Rejection::not_known);
  EXPECT_FALSE(refusal.recorded);
  EXPECT_TRUE(records_.empty());
}

TEST_F(Decide, placing_over_lapsed_holds_expires_them_first) {
  decide_on(place(room, "t"));
  rows_.load_resource({"default", "room_307"}, {});  // there already
  const_cast<ResourceRow&>(rows_.resource({"default", "room_307"})).lapsed.push_back(1);
  decide_on(place(room, "u"), start + 1h);
  EXPECT_EQ(kinds(), (Kinds{RecordKind::placed, RecordKind::expired, RecordKind::placed}));
  EXPECT_EQ(records_[1].operation, Operation::none) << "nobody asked for it";
  EXPECT_TRUE(records_[1].token.empty());
  EXPECT_EQ(records_[2].seq, 3U);
}

TEST_F(Decide, a_sweep_expires_what_is_held_and_lapsed_and_nothing_else) {
  for (const char* token : {"a", "b", "c"}) {
    decide_on(place({.resource = token, .requester = "g", .duration = 1min}, token));
  }
  decide_on(place({.resource = "d", .requester = "g", .duration = 1h}, "d"));
  decide_on(confirm({2, 77}, "confirm"));
  Records swept;
  const std::vector<std::uint64_t> due{1, 2, 3, 4, 99};
  decide_sweep(rows_, {.holds = due}, start + 1min, 100, swept);
  ASSERT_EQ(swept.size(), 2U);
  EXPECT_EQ(swept[0].hold.ordinal, 1U);
  EXPECT_EQ(swept[0].seq, 100U);
  EXPECT_EQ(swept[1].hold.ordinal, 3U);
  EXPECT_EQ(swept[1].seq, 101U);
}

TEST_F(Decide, a_confirmation_code_is_good_for_its_request_and_its_time_alone) {
  rules_.confirmation_secret = {3, 4};
  Request request = make_request(place(room, "t"));
  const std::string code = confirmation_code(request, start + 5min, rules_);
  request.call.confirmation = code;
  EXPECT_TRUE(is_confirmed(request, start + 5min - 1us, rules_));
  EXPECT_FALSE(is_confirmed(request, start + 5min, rules_));
  Rules elsewhere = rules_;
  elsewhere.confirmation_secret = {3, 5};
  EXPECT_FALSE(is_confirmed(request, start, elsewhere));
  for (Call other : {place(room, "u"), confirm({1, 1}, "t"),
                     place(room, "t", {.tenant = "acme", .principal = "local"}),
                     place(room, "t", {.tenant = "default", .principal = "mallory"})}) {
    other.confirmation = code;
    EXPECT_FALSE(is_confirmed(make_request(other), start, rules_));
  }
  request.call.confirmation = code + "0";
  EXPECT_FALSE(is_confirmed(request, start, rules_));
  request.call.confirmation.clear();
  EXPECT_FALSE(is_confirmed(request, start, rules_));
}

TEST_F(Decide, a_confirmation_code_cannot_move_from_tenant_to_token) {
  const Request one = make_request(place(room, "bc", {.tenant = "a", .principal = "p"}));
  const Request other = make_request(place(room, "c", {.tenant = "ab", .principal = "p"}));
  EXPECT_NE(confirmation_code(one, start, rules_), confirmation_code(other, start, rules_));
}

TEST_F(Decide, a_replayed_answer_hides_what_happened_since) {
  decide_on(place(room, "t"));
  decide_on(confirm({1, 77}, "c"), start + 1s);
  const Decision again = decide_on(place(room, "t"), start + 2s);
  EXPECT_EQ(answer(again).hold->state, HoldState::held);
  EXPECT_FALSE(answer(again).hold->resolved_at);
  const Decision late = decide_on(release({1, 77}, "r"), start + 3s);
  EXPECT_EQ(answer(late).rejection, Rejection::not_held);
  EXPECT_EQ(answer(late).hold->state, HoldState::confirmed);
}

/// Whoever looks a token up is told what its caller was told, of every kind of outcome.
TEST_F(Decide, a_token_looked_up_gives_the_first_answer) {
  const auto looked_up = [&](const Record& record) {
    const TokenRow outcome = token_row_of(record);
    return result_of(record, {.hold = rows_.hold(outcome.hold_ordinal)}, rules_);
  };
  const auto expect_same = [&](Call call) {
    const Answer first = answer(decide_on(std::move(call)));
    const TokenResult result = looked_up(records_.back());
    EXPECT_EQ(words(result.answer), words(first));
    EXPECT_TRUE(result.answer.recorded && !result.answer.replayed);
    EXPECT_EQ(result.answer.token, first.token);
    EXPECT_EQ(result.answer.token_expires, first.token_expires);
    EXPECT_EQ(result.principal, "local");
    EXPECT_EQ(result.digest, requests_.back().digest.hex());
    EXPECT_EQ(result.recorded_at, start);
  };
  expect_same(declare("seats", 3, "d"));
  expect_same(declare("seats", 0, "d2"));
  expect_same(place({.resource = "seats", .requester = "g", .duration = 1h, .quantity = 2}, "p"));
  expect_same(place({.resource = "seats", .requester = "g", .duration = 1h, .quantity = 2}, "q"));
  expect_same(place({.resource = " ", .requester = "g", .duration = 1h}, "i"));
  expect_same(confirm({1, 77}, "c"));
  expect_same(release({1, 77}, "r"));
  expect_same(release({1, 78}, "n"));
  EXPECT_EQ(looked_up(records_[2]).answer.hold->state, HoldState::held) << "as it was then";
}

}  // namespace
}  // namespace holdfast::test
