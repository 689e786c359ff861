// What becomes of effects, whichever store it is: leases and their fences, every verdict, leases
// that are lost, and what operators do. `effect_row.hpp` has the diagram.

#include <gmock/gmock.h>

#include <set>

#include "support/stores/effect_test.hpp"

namespace holdfast::test {
namespace {

using commands::Shield;
using commands::Status;
using testing::HasSubstr;
using testing::Not;

class Effects : public EffectTest {};
HOLDFAST_ON_EVERY_STORE(Effects);

// ---- leases ----

TEST_P(Effects, are_leased_in_the_order_in_which_they_are_ready) {
  const std::string one = accepted(Shield::s1);
  harness().advance(1s);
  const std::string two = accepted(Shield::s2);
  harness().advance(1s);
  const std::string three = accepted(Shield::s3);
  const std::string both = lease(2).document;
  EXPECT_LT(both.find(one), both.find(two));
  EXPECT_EQ(both.find(three), std::string::npos);
  EXPECT_THAT(fail(one, 1, "retry"), done());
  harness().advance(1min);
  const std::string rest = lease(10).document;
  EXPECT_LT(rest.find(three), rest.find(one)) << "it was put off";
  EXPECT_EQ(times(rest, R"("fence":2)"), 1U);
}

TEST_P(Effects, are_leased_with_all_a_worker_needs) {
  Submitting what{.entity = "do",
                  .action = "S1",
                  .target = R"({"order":7})",
                  .args = R"({"amount":"12.34"})",
                  .actor = "anna",
                  .effective_actor = "ben",
                  .correlation_id = "c-1"};
  const Answer accepted = submit(what, "key \"1\"");
  const std::string id = id_of(accepted);
  const std::string recorded = lease().document;
  EXPECT_EQ(recorded.find("key \\\"1"), std::string::npos);  // evidence shows what is recorded
  EXPECT_EQ(
      commands::open_all(recorded, sealer(), "default"),
      R"({"effects":[{"attempt":1,"command_id":")" + id + R"(","fence":1,"id":")" + id +
          R"(","kind":"warehouse","lease_until":"2026-01-01T00:00:30.000000Z","request":{)"
          R"("action":"S1","actor_id":"anna","args":{"amount":"12.34"},"correlation_id":"c-1",)"
          R"("effective_actor_id":"ben","entity":"do","idempotency_key":"key \"1\"",)"
          R"("target":{"order":7}},"shield":"S1","stage":"call","tenant":"default",)"
          R"("uncertain":false}],"holder":"local"})");
}

/// CMD-3
TEST_P(Effects, are_nobody_elses_while_they_are_leased) {
  const std::string id = at_work(Shield::s1);
  EXPECT_TRUE(nothing_to_lease());
  EXPECT_THAT(dispatch().document, HasSubstr(R"("effects":[])"));
  EXPECT_THAT(complete(id, 0), refused(Rejection::stale_fence));
  EXPECT_THAT(complete(id, 2), refused(Rejection::stale_fence));
  const Caller another{"default", "mallory"};  // who can read the fence, or guess it
  EXPECT_THAT(run(Completing{.id = id, .fence = 1}, another), refused(Rejection::stale_fence));
  EXPECT_THAT(run(Failing{.id = id, .fence = 1, .verdict = "retry"}, another),
              refused(Rejection::stale_fence));
  EXPECT_THAT(run(Renewing{.id = id, .fence = 1, .lease = 20s}, another),
              refused(Rejection::stale_fence));
  EXPECT_THAT(complete(id, 1), done());
  EXPECT_THAT(complete(id, 1), refused(Rejection::effect_not_open));
}

TEST_P(Effects, of_several_kinds_are_leased_once_each_however_often_a_kind_is_named) {
  const std::string parcel = accepted(Shield::s1);
  const std::string letter = id_of(submit({.entity = "do", .action = "more"}, "m"));
  const Answer answer =
      run(Leasing{.kinds = {"office", "warehouse", "office", "nothing", "warehouse"}, .max = 10});
  EXPECT_THAT(answer, done());
  EXPECT_EQ(times(answer.document, R"("id":")" + parcel), 1U);
  EXPECT_EQ(times(answer.document, R"("id":")" + letter), 1U);
  EXPECT_THAT(complete(parcel, 1), done());
  EXPECT_THAT(complete(letter, 1), done());
}

TEST_P(Effects, of_workers_are_no_dispatchers_affair_until_they_are_probed) {
  const std::string id = accepted(Shield::s3);
  EXPECT_THAT(dispatch().document, HasSubstr(R"("effects":[])"));
  lease();
  lose_lease(id);
  EXPECT_TRUE(nothing_to_lease()) << "a probe is not a worker's";
  EXPECT_EQ(id_of(dispatch()), id);
}

TEST_P(Effects, that_there_are_not_leave_no_record_and_the_token_unused) {
  const Answer nothing = run_as(Leasing{.kinds = {"warehouse"}, .max = 5}, "t");
  EXPECT_THAT(nothing, done());
  EXPECT_THAT(nothing, token_unused());
  EXPECT_EQ(nothing.document, R"({"effects":[],"holder":"local"})");
  EXPECT_EQ(harness().records(), 0U);
  const std::string id = accepted(Shield::s1);
  const Answer something = run_as(Leasing{.kinds = {"warehouse"}, .max = 5}, "t");
  EXPECT_THAT(something, first());
  EXPECT_EQ(id_of(something), id);
  EXPECT_THAT(run_as(Leasing{.kinds = {"warehouse"}, .max = 5}, "t"), replay_of(something));
}

TEST_P(Effects, leases_have_bounds) {
  const auto leasing = [&](Leasing what) { return run(std::move(what)); };
  for (const Leasing& bad :
       {Leasing{.kinds = {}}, Leasing{.kinds = {""}}, Leasing{.kinds = {std::string(5000, 'x')}},
        Leasing{.kinds = {"w"}, .max = 0}, Leasing{.kinds = {"w"}, .max = -1},
        Leasing{.kinds = {"w"}, .max = 1001}, Leasing{.kinds = {"w"}, .lease = 0us},
        Leasing{.kinds = {"w"}, .lease = -1s}, Leasing{.kinds = {"w"}, .lease = 24h + 1us},
        Leasing{.kinds = {"w"}, .lease = Duration::max()},
        Leasing{.kinds = std::vector<std::string>(101, "w")}})
    EXPECT_THAT(leasing(bad), refused(Rejection::invalid_request));
  const std::string id = accepted(Shield::s1);
  EXPECT_THAT(lease(1000, 24h), done());
  EXPECT_THAT(run(Renewing{.id = id, .fence = 1, .lease = 24h + 1us}),
              invalid(Reason::lease_bounds));
  EXPECT_THAT(run(Renewing{.id = id, .fence = -1}), invalid(Reason::lease_bounds));
  EXPECT_EQ(effect(id)->lease.until, start + 24h);
  // The longest name there may be: a list's name has to have room for it, or nobody is served.
  EXPECT_THAT(leasing({.kinds = {std::string(name_bytes_max, 'x')}}), done());
}

TEST_P(Effects, calls_of_one_batch_share_them_out) {
  std::set<std::string> ids;
  for (int i = 0; i < 6; ++i) ids.insert(accepted(Shield::s1));
  std::vector<Call> calls;
  for (int i = 0; i < 4; ++i)
    calls.push_back({.command = Command(Leasing{.kinds = {"warehouse"}, .max = 2}),
                     .token = Token(harness().next_token())});
  const auto answers = harness().submit(std::move(calls));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(times(answers[i].document, R"("command_id")"), 2U) << answers[i].document;
    for (const std::string& id : ids) {
      if (times(answers[i].document, R"("id":")" + id) == 0) continue;
      EXPECT_EQ(times(answers[i].document, R"("id":")" + id), 1U);
    }
  }
  for (const std::string& id : ids) EXPECT_THAT(complete(id, 1), done());
  EXPECT_THAT(answers[3], token_unused());
}

TEST_P(Effects, leases_are_renewed_and_never_made_shorter) {
  const std::string id = at_work(Shield::s2);
  harness().advance(10s);
  EXPECT_THAT(run(Renewing{.id = id, .fence = 2}), refused(Rejection::stale_fence));
  EXPECT_THAT(run(Renewing{.id = id, .fence = 1, .lease = 1s}), done());
  EXPECT_EQ(effect(id)->lease.until, start + 30s);
  const Answer renewed = run(Renewing{.id = id, .fence = 1, .lease = 1min});
  EXPECT_EQ(text_in(renewed.document, "lease_until"), "2026-01-01T00:01:10.000000Z");
  EXPECT_EQ(effect(id)->lease.until, start + 70s);
  harness().at(start + 70s - 1us);
  EXPECT_EQ(harness().sweep(), 0U);
  EXPECT_THAT(complete(id, 1), done());
  EXPECT_THAT(run(Renewing{.id = id, .fence = 1}), refused(Rejection::effect_not_open));
  EXPECT_EQ(command(id)->status, Status::executed);
}

// ---- what workers say ----

TEST_P(Effects, that_took_place_end_their_command) {
  for (const Shield each : all_shields) {
    const std::string id = at_work(each);
    EXPECT_THAT(complete(id, 1, R"({"charge":"ch_1"})"), done());
    expect_end(id, Status::executed, "");
    EXPECT_EQ(command(id)->outcome, R"({"charge":"ch_1"})");
  }
  EXPECT_TRUE(nothing_to_lease());
}

TEST_P(Effects, that_are_to_be_tried_again_wait_longer_each_time) {
  for (const char* verdict : {"retry", "absent"}) {
    const std::string id = at_work(Shield::s1);
    for (std::int64_t fence = 1; fence < 10; ++fence) {
      EXPECT_THAT(fail(id, fence, verdict), done());
      expect_waits(id, Stage::call, false, true);
      EXPECT_EQ(effect(id)->lease.error, "e");
      const Instant ready = effect(id)->lease.ready_at;
      harness().at(ready - 1us);
      EXPECT_TRUE(nothing_to_lease());
      harness().at(ready);
      EXPECT_THAT(lease().document, HasSubstr("\"fence\":" + std::to_string(fence + 1)));
    }
    EXPECT_THAT(fail(id, 10, verdict), done());
    expect_end(id, Status::failed, "attempts_exhausted");
    EXPECT_EQ(command(id)->outcome, R"({"attempts":10,"error":"e"})");
  }
}

TEST_P(Effects, back_off_no_longer_than_declared) {
  commands::Declaration slow = pulled("do", "slow", Shield::s1);
  slow.effect.backoff = 1h;
  slow.effect.backoff_max = 2h;
  slow.effect.attempts_max = 100;
  declare({slow});
  const std::string id = id_of(submit({.entity = "do", .action = "slow"}, "s"));
  for (std::int64_t fence = 1; fence <= 70; ++fence) {
    lease(1, 1s);
    EXPECT_THAT(fail(id, fence, "retry"), done());
    const Duration wait = effect(id)->lease.ready_at - harness().now();
    EXPECT_GE(wait, fence == 1 ? 30min : 1h);
    EXPECT_LE(wait, fence == 1 ? 1h : 2h);
    harness().advance(wait);
  }
}

TEST_P(Effects, that_are_refused_end_their_command) {
  for (const Shield each : all_shields) {
    const std::string id = at_work(each);
    EXPECT_THAT(run(Failing{.id = id,
                            .fence = 1,
                            .verdict = "refused",
                            .error = "no money",
                            .result = R"({"code":402})"}),
                done());
    expect_end(id, Status::failed, "refused");
    EXPECT_EQ(command(id)->outcome, R"({"attempts":1,"error":"no money","result":{"code":402}})");
    EXPECT_THAT(fail(id, 1, "retry"), refused(Rejection::effect_not_open));
  }
}

TEST_P(Effects, verdicts_that_there_are_not_are_refused) {
  const std::string id = at_work(Shield::s1);
  for (const char* verdict : {"", "Retry", "done", "executed", "retry "})
    EXPECT_THAT(fail(id, 1, verdict), refused(Rejection::invalid_request)) << verdict;
  EXPECT_THAT(fail("c-nobody", 1, "made up"), invalid(Reason::verdict_unknown))
      << "what is invalid is said first";
  EXPECT_THAT(complete(id, 1), done());
}

/// CMD-2
TEST_P(Effects, ids_may_be_anything_and_are_not_known) {
  std::string cut = "c-" + std::string(39, 'a') + "\u00e9-1";
  for (const std::string& id :
       {std::string("x"), std::string("c-"), cut, "c-" + std::string(40, 'f') + "-1",
        "c-" + std::string(20, '\'') + std::string(20, '"') + "-1",
        "c-" + std::string(13, '\xe2') + std::string(27, '\x82') + "-1", std::string(1024, 'c'),
        "c-" + std::string(39, 'a') + std::string(1, '\0') + "-1"}) {
    for (const Answer& answer :
         {complete(id, 1), fail(id, 1, "retry"), run(Renewing{.id = id, .fence = 1}),
          run(Retrying{.id = id}), run(Resolving{.id = id, .status = "failed"}),
          run(CancellingEffect{.id = id})}) {
      EXPECT_FALSE(answer.ok());
      EXPECT_TRUE(answer.rejection == Rejection::command_not_known ||
                  answer.rejection == Rejection::invalid_request)
          << words(answer);
    }
    EXPECT_FALSE(run(Approving{.id = id, .confirmation = "ct-1-1"}).ok());
  }
}

TEST_P(Effects, results_that_are_no_json_are_refused) {
  const std::string id = at_work(Shield::s1);
  for (const char* result : {"no JSON", "{", "{}{}", "{\"a\":1,\"a\":2}", "\"\xff\"", "1e400"}) {
    EXPECT_THAT(complete(id, 1, result), invalid(Reason::command_text)) << result;
    EXPECT_THAT(run(Failing{.id = id, .fence = 1, .verdict = "refused", .result = result}),
                invalid(Reason::command_text));
  }
  EXPECT_THAT(complete(id, 1, "{ \"b\": 1.0, \"a\": [ ] }"), done());
  EXPECT_EQ(command(id)->outcome, R"({"a":[],"b":1})");
  const std::string other = accepted(Shield::s1);
  EXPECT_THAT(run(Resolving{.id = other, .status = "executed", .result = "no JSON"}),
              invalid(Reason::command_text));
}

// ---- leases that are lost ----

TEST_P(Effects, leases_end_to_the_microsecond) {
  for (const Shield each : all_shields) {
    const std::string id = at_work(each);
    harness().at(*effect(id)->lease.until - 1us);
    EXPECT_EQ(harness().sweep(), 0U);
    EXPECT_TRUE(effect(id)->lease.leased());
    harness().advance(1us);
    EXPECT_EQ(harness().sweep(), 1U);
    switch (each) {
      case Shield::s1:
      case Shield::s4:
        expect_waits(id, Stage::call, true, true);
        break;
      case Shield::s3:
        expect_waits(id, Stage::probe, true, false);
        break;
      default:
        expect_end(id, Status::failed, "outcome_unknown");
    }
    EXPECT_THAT(complete(id, 1), Not(done())) << "who held it is too late";
    if (effect(id)) {
      EXPECT_THAT(run(CancellingEffect{.id = id}), done());
      expect_end(id, Status::failed, "outcome_unknown");
    }
  }
}

TEST_P(Effects, whose_outcome_is_said_to_be_unknown_are_as_lost) {
  const std::string one = at_work(Shield::s1);
  EXPECT_THAT(fail(one, 1, "unknown"), done());
  expect_waits(one, Stage::call, true, true);
  const std::string two = at_work(Shield::s2);
  EXPECT_THAT(fail(two, 1, "unknown"), done());
  expect_end(two, Status::failed, "outcome_unknown");
  const std::string three = at_work(Shield::s3);
  EXPECT_THAT(fail(three, 1, "unknown"), done());
  expect_waits(three, Stage::probe, true, false);
  const std::string four = at_work(Shield::s4);
  EXPECT_THAT(fail(four, 1, "unknown"), done());
  expect_waits(four, Stage::call, true, true);
}

/// CMD-4
TEST_P(Effects, of_s1_are_called_again_with_the_same_key_until_they_are_exhausted) {
  const std::string id = at_work(Shield::s1);
  lose_lease(id);
  harness().advance(1min);
  const Answer again = lease();
  EXPECT_EQ(id_of(again), id);
  EXPECT_THAT(again.document, HasSubstr(R"("fence":2)"));
  EXPECT_THAT(again.document, HasSubstr(R"("uncertain":true)"));
  EXPECT_EQ(text_in(commands::open_all(again.document, sealer(), "default").value_or(""),
                    "idempotency_key"),
            command(id)->token);
  EXPECT_THAT(complete(id, 1), refused(Rejection::stale_fence));
  EXPECT_THAT(complete(id, 2), done());
  expect_end(id, Status::executed, "");

  const std::string last = at_work(Shield::s1, "once");
  lose_lease(last);
  expect_end(last, Status::failed, "outcome_unknown");
}

TEST_P(Effects, of_s2_are_never_called_again_unless_an_operator_says_so) {
  const std::string id = at_work(Shield::s2);
  lose_lease(id);
  expect_end(id, Status::failed, "outcome_unknown");
  harness().advance(24h);
  EXPECT_TRUE(nothing_to_lease());
  EXPECT_THAT(run(Retrying{.id = id}), done());
  EXPECT_EQ(command(id)->status, Status::in_progress);
  EXPECT_EQ(id_of(lease()), id);
  EXPECT_THAT(complete(id, 2), done());
  expect_end(id, Status::executed, "");
}

TEST_P(Effects, of_s3_are_probed_and_never_called_again_unless_they_are_absent) {
  const std::string found = at_work(Shield::s3);
  lose_lease(found);
  EXPECT_THAT(dispatch().document, HasSubstr(R"("stage":"probe")"));
  EXPECT_THAT(fail(found, 2, "retry"), done());
  EXPECT_EQ(effect(found)->stage, Stage::probe) << "the probe could not tell";
  harness().advance(1min);
  dispatch();
  lose_lease(found);
  EXPECT_EQ(effect(found)->stage, Stage::probe) << "nor could this one";
  harness().advance(1min);
  dispatch();
  EXPECT_THAT(fail(found, 4, "refused"), invalid(Reason::verdict_unknown));
  EXPECT_EQ(effect(found)->lease.attempts, 1U) << "probes are no calls";
  EXPECT_THAT(complete(found, 4), done());
  expect_end(found, Status::executed, "");

  const std::string absent = at_work(Shield::s3);
  lose_lease(absent);
  dispatch();
  EXPECT_THAT(fail(absent, 2, "absent"), done());
  expect_waits(absent, Stage::call, false, false);
  EXPECT_EQ(id_of(lease()), absent);
  EXPECT_THAT(complete(absent, 3), done());
  expect_end(absent, Status::executed, "");

  const std::string last = at_work(Shield::s3, "once");
  lose_lease(last);
  dispatch();
  EXPECT_THAT(fail(last, 2, "absent"), done());
  expect_end(last, Status::failed, "attempts_exhausted");
}

TEST_P(Effects, of_s4_are_called_again_and_then_reconciled) {
  const std::string id = at_work(Shield::s4);
  lose_lease(id);
  harness().advance(1min);
  lease();
  EXPECT_THAT(complete(id, 2, R"({"charge":"ch_2"})"), done());
  expect_waits(id, Stage::reconcile, true, false);
  EXPECT_EQ(command(id)->status, Status::in_progress);
  EXPECT_TRUE(nothing_to_lease());
  EXPECT_THAT(dispatch().document, HasSubstr(R"("stage":"reconcile")"));
  EXPECT_THAT(run(Completing{.id = id, .fence = 3}), done());
  expect_end(id, Status::executed, "");
  EXPECT_EQ(command(id)->outcome, R"({"charge":"ch_2"})") << "what the provider answered";

  const std::string last = at_work(Shield::s4, "once");
  lose_lease(last);
  expect_waits(last, Stage::reconcile, true, false);
  dispatch();
  lose_lease(last);
  EXPECT_EQ(effect(last)->stage, Stage::reconcile);
  harness().advance(1min);
  dispatch();
  EXPECT_THAT(fail(last, 3, "absent"), done());
  expect_end(last, Status::failed, "attempts_exhausted");
}

TEST_P(Effects, of_s4_that_are_refused_after_a_lost_call_are_reconciled) {
  const std::string id = at_work(Shield::s4);
  lose_lease(id);
  harness().advance(1min);
  lease();
  EXPECT_THAT(fail(id, 2, "refused"), done());
  expect_waits(id, Stage::reconcile, true, false);
  dispatch();
  EXPECT_THAT(complete(id, 3), done()) << "the first call had taken place";
  expect_end(id, Status::executed, "");
}

}  // namespace
}  // namespace holdfast::test
