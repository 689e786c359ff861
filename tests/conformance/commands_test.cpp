// What the engine promises of commands, whichever store it is: the six tests of IDS XIII, each
// named after its line, and what goes with them.

#include <gmock/gmock.h>

#include "modules/commands/details.hpp"
#include "modules/commands/kinds.hpp"
#include "schema/schema.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/command_test.hpp"

namespace holdfast::test {
namespace {

using commands::ConfirmBy;
using commands::Shield;
using commands::Status;
using testing::HasSubstr;
using testing::Not;

namespace kinds = commands::kinds;

class Commands : public CommandTest {
 protected:
  inline static const Caller alice{"default", "alice"};
  inline static const Caller bob{"default", "bob"};

  void SetUp() override {
    StoreTest::SetUp();
    declare(usual());
  }

  static std::vector<commands::Declaration> usual() {
    commands::Declaration notes = declared("note", "write");
    notes.window = 1h;
    commands::Declaration careful = declared("account", "close");
    careful.confirm_by = ConfirmBy::self;
    careful.window = 1h;
    commands::Declaration eyes = declared("account", "wipe");
    eyes.confirm_by = ConfirmBy::other;
    commands::Declaration parcels = pulled("parcel", "ship", Shield::s1);
    parcels.window = 1h;
    return {notes, careful, eyes, parcels, declared("note", "keep")};
  }

  /// The confirmation token that a submission is answered when it comes without one.
  std::string asked(Submitting what, const std::string& token, const Caller& caller = {}) {
    const Answer answer = submit(std::move(what), token, caller);
    EXPECT_THAT(answer, refused(Rejection::execution_refused));
    EXPECT_EQ(answer.reason, Reason::confirmation_required);
    EXPECT_THAT(answer, token_unused());
    const std::string confirmation = text_in(answer.document, "confirmation_token");
    EXPECT_FALSE(confirmation.empty()) << answer.document;
    return confirmation;
  }

  static Submitting with(Submitting what, std::string confirmation) {
    what.confirmation = std::move(confirmation);
    return what;
  }
};
HOLDFAST_ON_EVERY_STORE(Commands);

const Submitting note{.entity = "note", .action = "write", .args = R"({"text":"hello"})"};
const Submitting keep{.entity = "note", .action = "keep", .args = R"({"text":"hello"})"};
const Submitting ship{.entity = "parcel", .action = "ship", .args = R"({"to":"Kiel"})"};
const Submitting close_account{.entity = "account", .action = "close", .args = R"({"n":1})"};
const Submitting wipe{.entity = "account", .action = "wipe"};

// ---- the six tests of IDS XIII ----

TEST_P(Commands, duplicate_deliveries_of_the_same_mutation_do_not_duplicate_effects) {
  const Answer first = submit(ship, "a");
  EXPECT_THAT(first, done());
  EXPECT_EQ(first.status, 202);
  EXPECT_THAT(first.document, HasSubstr(R"("status":"in_progress")"));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(submit(ship, "a"), replay_of(first));
  harness().submit({call(ship, "a"), call(ship, "a"), call(ship, "b"), call(ship, "b")});
  EXPECT_EQ(text_in(lease(10).document, "command_id"), id_of(first));
  EXPECT_TRUE(nothing_to_lease());
  EXPECT_EQ(count(kinds::accepted), 2U);
}

/// A flood is counted, not listed: what of it meets in one batch shares a record.
TEST_P(Commands, duplicates_of_one_batch_are_one_record) {
  submit(ship, "a");
  std::vector<Call> calls;
  for (int i = 0; i < 60; ++i) calls.push_back(i % 3 == 0 ? call(keep, "b") : call(ship, "a"));
  for (const Answer& each : harness().submit(std::move(calls))) EXPECT_THAT(each, done());
  std::vector<std::int64_t> counted;
  for (const Record& each : all_records(harness().store())) {
    if (each.kind == RecordKind::replayed) counted.push_back(each.count);
  }
  EXPECT_THAT(counted, testing::UnorderedElementsAre(40, 19)) << "one was the first of its key";
}

TEST_P(Commands, duplicate_after_success_replays_outcome) {
  const Answer first = submit(note, "a");
  EXPECT_THAT(first, done());
  EXPECT_EQ(first.status, 0);
  EXPECT_THAT(first.document, HasSubstr(R"("status":"executed")"));
  EXPECT_THAT(submit(note, "a"), replay_of(first));
  harness().reopen();
  EXPECT_THAT(submit(note, "a"), replay_of(first));
  EXPECT_EQ(count(kinds::executed), 1U);
}

TEST_P(Commands, duplicate_after_success_of_an_effect_replays_outcome) {
  const Answer accepted = submit(ship, "b");
  lease();
  EXPECT_THAT(run(Completing{.id = id_of(accepted), .fence = 1, .result = R"({"parcel":7})"}),
              done());
  const Answer replayed = submit(ship, "b");
  EXPECT_TRUE(replayed.replayed);
  EXPECT_EQ(replayed.status, 0);
  EXPECT_EQ(id_of(replayed), id_of(accepted));
  EXPECT_THAT(replayed.document, HasSubstr(R"("status":"executed")"));
  EXPECT_THAT(replayed.document, HasSubstr(R"("outcome":{"parcel":7})"));
  harness().reopen();
  EXPECT_EQ(submit(ship, "b").document, replayed.document);
  EXPECT_TRUE(nothing_to_lease());
}

TEST_P(Commands, duplicate_during_in_progress_returns_processing_status) {
  const Answer first = submit(ship, "a");
  lease();
  harness().advance(1s);
  EXPECT_THAT(submit(ship, "a"), replay_of(first));
  harness().reopen();
  EXPECT_THAT(submit(ship, "a"), replay_of(first));
  EXPECT_EQ(submit(ship, "a").status, 202);
  EXPECT_THAT(first.document, HasSubstr("\"outcome_ref\":\"/v1/commands/" + id_of(first) + "\""));
}

TEST_P(Commands, collision_case_rejects_with_evidence) {
  submit(note, "a");
  const auto collides = [&](Submitting other, const Caller& caller = {}) {
    const Answer answer = submit(std::move(other), "a", caller);
    EXPECT_THAT(answer, conflicts());
    const auto records = all_records(harness().store());
    EXPECT_EQ(records.back().kind, RecordKind::collided);
    EXPECT_EQ(records.back().ref, 1U) << "the fingerprint on record is that record's";
    if (caller.principal == Caller{}.principal) {
      EXPECT_NE(records.back().digest.hex(), records.front().digest.hex());
    }
  };
  const auto other = [](auto change) {
    Submitting what = note;
    change(what);
    return what;
  };
  collides(other([](Submitting& what) { what.args = R"({"text":"bye"})"; }));
  collides(other([](Submitting& what) { what.args = R"({"text":"hello","x":null})"; }));
  collides(other([](Submitting& what) { what.action = "keep"; }));
  collides(other([](Submitting& what) { what.target = R"("here")"; }));
  collides(other([](Submitting& what) { what.target = "null"; }));
  collides(other([](Submitting& what) { what.command_kind = "k"; }));
  collides(other([](Submitting& what) { what.effective_actor = "zoe"; }));
  collides(note, {"default", "mallory"});
  EXPECT_EQ(count(kinds::executed), 1U);
}

TEST_P(Commands, what_is_ephemeral_makes_no_other_command) {
  const Answer first = submit(note, "a");
  Submitting same = note;
  same.correlation_id = "another";
  same.tenant = "default";
  same.idempotency_key = "a";
  same.confirmation = "ct-1-2";
  EXPECT_THAT(submit(same, "a"), replay_of(first));
  same.actor = Caller{}.principal;
  EXPECT_THAT(submit(same, "a"), replay_of(first)) << "who asks is the caller unless it says";
}

TEST_P(Commands, confirmation_binding_prevents_bypass_or_double_confirmation_abuse) {
  const std::string token = asked(close_account, "a");
  const auto reason = [&](const Submitting& what, const std::string& key) {
    const Answer answer = submit(what, key);
    EXPECT_THAT(answer, refused(Rejection::execution_refused));
    EXPECT_THAT(answer, token_unused());
    return answer.reason;
  };
  EXPECT_EQ(reason(with(close_account, token), "b"), Reason::confirmation_invalid) << "wrong key";
  for (const char* made_up : {"ct-7fffffffffffffff-00112233445566778899aabbccddeeff", "ct-", "x",
                              "ct--1-00112233445566778899aabbccddeeff", "ct-zz-"})
    EXPECT_EQ(reason(with(close_account, made_up), "a"), Reason::confirmation_invalid) << made_up;
  EXPECT_EQ(reason(with(close_account, token + "0"), "a"), Reason::confirmation_invalid);
  Submitting larger = close_account;
  larger.args = R"({"n":1000})";
  EXPECT_EQ(reason(with(larger, token), "a"), Reason::confirmation_invalid)
      << "what is confirmed is the command that was shown, not whatever has its key";
  Submitting another = with(wipe, token);
  EXPECT_EQ(reason(another, "a"), Reason::confirmation_invalid) << "wrong command";
  EXPECT_EQ(count(kinds::executed), 0U);

  const Answer executed = submit(with(close_account, token), "a");
  EXPECT_THAT(executed, done());
  EXPECT_THAT(submit(close_account, "a"), replay_of(executed)) << "without asking";
  EXPECT_THAT(submit(with(close_account, "ct-1-0"), "a"), replay_of(executed));
  EXPECT_EQ(count(kinds::executed), 1U);

  harness().advance(1h);  // the key is free again, the token is not
  EXPECT_EQ(reason(with(close_account, token), "a"), Reason::confirmation_used);
  EXPECT_THAT(submit(with(close_account, asked(close_account, "a")), "a"), done());
}

TEST_P(Commands, confirmations_expire_to_the_microsecond) {
  const std::string early = asked(close_account, "a");
  const std::string late = asked(close_account, "b");
  harness().at(start + 5min - 1us);
  EXPECT_THAT(submit(with(close_account, early), "a"), done());
  harness().at(start + 5min);
  EXPECT_EQ(submit(with(close_account, late), "b").reason, Reason::confirmation_expired);
  harness().reopen();
  EXPECT_EQ(submit(with(close_account, late), "b").reason, Reason::confirmation_expired);
}

TEST_P(Commands, a_duplicate_of_an_unconfirmed_one_never_gets_through) {
  for (int i = 0; i < 3; ++i) asked(close_account, "a");
  const auto answers = harness().submit(
      {call(close_account, "a"), call(close_account, "a"), call(close_account, "a")});
  for (const Answer& each : answers) EXPECT_THAT(each, refused(Rejection::execution_refused));
  EXPECT_EQ(harness().records(), 0U);
}

TEST_P(Commands, four_eyes_want_somebody_else) {
  const std::string token = asked(wipe, "a", alice);
  const std::string id = id_of(submit(wipe, "a", alice));
  EXPECT_EQ(submit(with(wipe, token), "a", alice).reason, Reason::confirmation_required);
  EXPECT_THAT(run(Approving{.id = id, .confirmation = token}, alice), done());
  EXPECT_EQ(submit(with(wipe, token), "a", alice).reason, Reason::confirmation_required)
      << "one's own approval does not count";
  const auto rejected = [&](const Approving& what, const Caller& caller) {
    const Answer answer = run(what, caller);
    EXPECT_THAT(answer, refused(Rejection::execution_rejected));
    return answer.reason;
  };
  EXPECT_EQ(rejected({.id = id, .confirmation = "ct-1-0"}, bob), Reason::confirmation_invalid);
  EXPECT_EQ(rejected({.id = id, .confirmation = token}, {"acme", "bob"}),
            Reason::confirmation_invalid);
  EXPECT_THAT(run(Approving{.id = "nonsense", .confirmation = token}, bob),
              refused(Rejection::command_not_known));
  EXPECT_THAT(run(Approving{.id = id, .confirmation = token}, bob), done());
  EXPECT_EQ(submit(with(wipe, asked(wipe, "b", alice)), "b", alice).reason,
            Reason::confirmation_required)
      << "another key is another approval";
  Submitting other = with(wipe, token);
  other.args = R"({"everything":true})";
  EXPECT_EQ(submit(other, "a", alice).reason, Reason::confirmation_invalid)
      << "bob approved another one";
  harness().reopen();
  const Answer executed = submit(with(wipe, token), "a", alice);
  EXPECT_THAT(executed, done());
  EXPECT_THAT(submit(wipe, "a", alice), replay_of(executed));
}

TEST_P(Commands, approvals_end_with_their_token) {
  const std::string token = asked(wipe, "a", alice);
  const std::string id = id_of(submit(wipe, "a", alice));
  harness().at(start + 5min - 1us);
  EXPECT_THAT(run(Approving{.id = id, .confirmation = token}, bob), done());
  harness().at(start + 5min);
  EXPECT_EQ(submit(with(wipe, token), "a", alice).reason, Reason::confirmation_expired);
  EXPECT_EQ(run(Approving{.id = id, .confirmation = token}, bob).reason,
            Reason::confirmation_expired);
}

// ---- what goes with them ----

TEST_P(Commands, windows_are_those_of_each_command) {
  const Answer first = submit(note, "a");
  const Answer forever = submit(keep, "k");
  EXPECT_EQ(first.token_expires, start + 1h);
  harness().at(start + 1h - 1us);
  EXPECT_THAT(submit(note, "a"), replay_of(first));
  harness().at(start + 1h);
  const Answer second = submit(note, "a");
  EXPECT_THAT(second, done());
  EXPECT_FALSE(second.replayed);
  EXPECT_NE(id_of(second), id_of(first));
  EXPECT_THAT(submit(note, "a"), replay_of(second));
  harness().advance(24h * 1000);
  harness().store().forget_expired(1000);
  harness().reopen();
  EXPECT_FALSE(submit(note, "a").replayed);
  EXPECT_THAT(submit(keep, "k"), replay_of(forever)) << "I1 is never forgotten";
}

/// CMD-1
TEST_P(Commands, windows_that_are_over_while_in_progress_start_no_second_execution) {
  const Answer first = submit(ship, "a");
  lease();
  harness().at(start + 1h);
  harness().store().forget_expired(1000);
  const Answer again = submit(ship, "a");
  EXPECT_THAT(again, done());
  EXPECT_TRUE(again.replayed && !again.recorded);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.document, first.document);
  Submitting other = ship;
  other.args = R"({"to":"Bremen"})";
  const auto expect_taken = [&] {
    const Answer taken = submit(other, "a");
    EXPECT_THAT(taken, refused(Rejection::execution_refused));
    EXPECT_EQ(taken.reason, Reason::idempotency_conflict);
  };
  expect_taken();
  EXPECT_EQ(count(kinds::accepted), 1U);
  harness().at(start + 3h);
  EXPECT_THAT(run(Completing{.id = id_of(first), .fence = 1}), done());
  for (const Duration since : {0us, Duration(1h) - 1us}) {  // whoever waited is told the outcome
    harness().at(start + 3h + since);
    const Answer told = submit(ship, "a");
    EXPECT_TRUE(told.replayed && told.status == 0);
    EXPECT_EQ(text_in(told.document, "status"), "executed");
    EXPECT_EQ(id_of(told), id_of(first));
    expect_taken();
  }
  EXPECT_EQ(count(kinds::accepted), 1U);
  harness().at(start + 4h);
  const Answer second = submit(ship, "a");
  EXPECT_THAT(second, done());
  EXPECT_FALSE(second.replayed);
  EXPECT_NE(id_of(second), id_of(first));
  EXPECT_THAT(run(Completing{.id = id_of(first), .fence = 1}),
              refused(Rejection::command_not_known))
      << "the key has another command now";
}

TEST_P(Commands, tenants_are_apart) {
  const Caller other{"acme", Caller{}.principal};
  const Answer ours = submit(ship, "a");
  const Answer theirs = submit(ship, "a", other);
  EXPECT_NE(id_of(ours), id_of(theirs));
  EXPECT_FALSE(theirs.replayed);
  const std::string id = id_of(ours);
  EXPECT_EQ(id_of(run(Leasing{.kinds = {"warehouse"}, .max = 10}, other)), id_of(theirs));
  lease();
  for (const Answer& answer :
       {run(Renewing{.id = id, .fence = 1}, other), run(Completing{.id = id, .fence = 1}, other),
        run(Failing{.id = id, .fence = 1}, other), run(Retrying{.id = id}, other),
        run(Resolving{.id = id, .status = "failed"}, other),
        run(CancellingEffect{.id = id}, other)})
    EXPECT_THAT(answer, refused(Rejection::command_not_known));
  EXPECT_FALSE(command_in(harness().store(), id, "acme"));
  EXPECT_THAT(run(Completing{.id = id, .fence = 1}), done());
  Submitting lies = note;
  lies.tenant = "acme";
  const Answer answer = submit(lies, "n");
  EXPECT_EQ(answer.reason, Reason::invalid_arguments);
  EXPECT_THAT(answer.document, HasSubstr("/tenant_id"));
}

TEST_P(Commands, of_each_class) {
  std::vector<commands::Declaration> all;
  for (const auto each : {commands::CommandClass::i0, commands::CommandClass::i1,
                          commands::CommandClass::i2, commands::CommandClass::i3}) {
    all.push_back(declared("thing", "do" + std::string(commands::name(each))));
    all.back().command_class = each;
    all.back().on_reject = OnReject::release;
  }
  all[2].window = 24h;
  declare(all);
  const Answer question = submit({.entity = "thing", .action = "doI0"}, "0");
  EXPECT_EQ(question.reason, Reason::unregistered_command);
  EXPECT_THAT(question, token_unused());
  for (const char* action : {"doI1", "doI2", "doI3"}) {
    const Answer answer = submit({.entity = "thing", .action = action}, action);
    EXPECT_THAT(answer, done());
    EXPECT_EQ(answer.token_expires != never, action == std::string("doI2")) << action;
  }
}

TEST_P(Commands, that_are_not_registered_are_refused) {
  for (const Submitting& what :
       {Submitting{.entity = "note", .action = "burn"}, Submitting{.entity = "", .action = ""},
        Submitting{.entity = "note.write", .action = ""},
        Submitting{.entity = std::string(5000, 'x'), .action = "write"},
        Submitting{.entity = "note", .action = std::string("wri\0te", 6)},
        Submitting{.entity = "note", .action = "\xff"}}) {
    const Answer answer = submit(what, "a");
    EXPECT_FALSE(answer.ok());
    EXPECT_THAT(answer, token_unused());
  }
  const Answer unprepared = run(Submitting{.entity = "note", .action = "write"});
  EXPECT_EQ(unprepared.reason, Reason::unregistered_command);
  EXPECT_THAT(submit(note, "a"), done());
}

TEST_P(Commands, outlive_the_registry_that_ran_them) {
  const Answer executed = submit(note, "a");
  const Answer accepted = submit(ship, "b");
  declare({}, "none");
  EXPECT_THAT(submit(note, "a"), replay_of(executed));
  EXPECT_THAT(submit(ship, "b"), replay_of(accepted));
  EXPECT_EQ(submit(note, "c").reason, Reason::unregistered_command);
  commands::Declaration other = declared("parcel", "ship");
  other.confirm_by = ConfirmBy::other;
  commands::Declaration stricter = declared("note", "write");
  stricter.key = commands::KeyOrigin::both;
  stricter.window = 2h;
  declare({other, stricter}, "4567");
  EXPECT_THAT(submit(ship, "b"), replay_of(accepted)) << "what was accepted stays so";
  EXPECT_THAT(submit(note, "a"), replay_of(executed));
  EXPECT_EQ(submit(note, "a").token_expires, start + 1h);
  lease();
  EXPECT_THAT(run(Completing{.id = id_of(accepted), .fence = 1}), done());
  EXPECT_EQ(command(id_of(accepted))->registry, "0123");
  EXPECT_EQ(command(id_of(submit(note, "d")))->registry, "4567");
}

/// CMD-5
TEST_P(Commands, the_registry_in_force_is_on_record) {
  const std::string one(64, '1');
  const std::string two(64, '2');
  const Answer adopted = run_as(Adopting{one}, "r1");
  EXPECT_THAT(adopted, first());
  EXPECT_EQ(text_in(adopted.document, "previous"), "");
  EXPECT_THAT(run_as(Adopting{one}, "r1"), replay_of(adopted));
  EXPECT_THAT(run(Adopting{one}), token_unused());
  EXPECT_THAT(run(Adopting{one}, {"acme", "p"}), token_unused()) << "it is everybody's";
  const Answer next = run(Adopting{two});
  EXPECT_EQ(text_in(next.document, "previous"), one);
  harness().reopen();
  EXPECT_EQ(text_in(run(Adopting{one}).document, "previous"), two);
  for (const std::string& bad : {std::string(), std::string(64, 'x'), one + one, "1" + one})
    EXPECT_FALSE(run(Adopting{bad}).ok()) << bad;
  EXPECT_EQ(count(kinds::registry), 3U);
}

// ---- failures that Economy had ----

TEST_P(Commands, with_an_empty_outcome_are_claimed_all_the_same) {
  const Answer plain = submit({.entity = "note", .action = "keep"}, "a");
  EXPECT_THAT(submit({.entity = "note", .action = "keep"}, "a"), replay_of(plain));
  const Answer accepted = submit(ship, "b");
  lease();
  EXPECT_THAT(run(Completing{.id = id_of(accepted), .fence = 1, .result = ""}), done());
  for (const bool again : {false, true}) {
    if (again) harness().reopen();
    const Answer replayed = submit(ship, "b");
    EXPECT_TRUE(replayed.replayed);
    EXPECT_THAT(replayed.document, HasSubstr(R"("outcome":{})"));
  }
  for (const char* result : {"null", "\"\"", "0", "false", "{}", "[]"}) {
    const Answer one = submit(ship, result);
    lease();
    EXPECT_THAT(run(Completing{.id = id_of(one), .fence = 1, .result = result}), done());
    const Answer replayed = submit(ship, result);
    EXPECT_TRUE(replayed.replayed);
    EXPECT_THAT(replayed.document, HasSubstr(std::string("\"outcome\":") + result + ",")) << result;
  }
  EXPECT_TRUE(nothing_to_lease());
}

TEST_P(Commands, rejected_under_release_free_their_key_which_then_succeeds) {
  commands::Declaration strict = declared("note", "write");
  strict.args = *schema::Schema::compile(R"({"type":"object","required":["text"]})");
  commands::Declaration released = declared("note", "keep");
  released.args = strict.args;
  released.on_reject = OnReject::release;
  declare({strict, released});
  Submitting bad = note;
  bad.args = R"({"tex":"hello"})";
  const Answer recorded = submit(bad, "a");
  EXPECT_THAT(recorded, refused(Rejection::execution_rejected));
  EXPECT_EQ(recorded.reason, Reason::invalid_arguments);
  EXPECT_THAT(recorded, first());
  EXPECT_THAT(submit(bad, "a"), replay_of(recorded));
  harness().reopen();
  EXPECT_THAT(submit(bad, "a"), replay_of(recorded));
  EXPECT_THAT(submit(note, "a"), conflicts()) << "the key is used up";
  EXPECT_EQ(count(kinds::rejected), 1U);

  bad.action = "keep";
  const Answer freed = submit(bad, "b");
  EXPECT_THAT(freed, refused(Rejection::execution_rejected));
  EXPECT_EQ(freed.reason, Reason::invalid_arguments);
  EXPECT_THAT(freed, token_unused());
  const Answer good = submit(keep, "b");
  EXPECT_THAT(good, done());
  EXPECT_THAT(submit(keep, "b"), replay_of(good));
  EXPECT_EQ(id_of(freed), id_of(good)) << "the id it would have had";
}

}  // namespace
}  // namespace holdfast::test
