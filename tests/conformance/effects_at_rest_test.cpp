// What operators do to effects, what is replayed of them, and what they may carry.

#include <gmock/gmock.h>

#include "domain/canonical.hpp"
#include "support/stores/effect_test.hpp"

namespace holdfast::test {
namespace {

using commands::Shield;
using commands::Status;
using testing::HasSubstr;

class EffectsAtRest : public EffectTest {};
HOLDFAST_ON_EVERY_STORE(EffectsAtRest);

TEST_P(EffectsAtRest, are_retried_by_operators_while_nobody_is_at_work_on_them) {
  const std::string id = at_work(Shield::s1, "once");
  EXPECT_THAT(run(Retrying{.id = id}), refused(Rejection::effect_not_open)) << "it is leased";
  EXPECT_THAT(fail(id, 1, "retry"), done());
  expect_end(id, Status::failed, "attempts_exhausted");
  EXPECT_THAT(run(Retrying{.id = id}), done());
  EXPECT_EQ(command(id)->status, Status::in_progress);
  EXPECT_EQ(command(id)->reason, "");
  EXPECT_EQ(effect(id)->lease.attempts, 0U);
  EXPECT_EQ(effect(id)->lease.fence, 1U) << "fences go on";
  harness().reopen();
  EXPECT_EQ(id_of(lease()), id);
  EXPECT_THAT(complete(id, 1), refused(Rejection::stale_fence));
  EXPECT_THAT(complete(id, 2), done());
  EXPECT_THAT(run(Retrying{.id = id}), refused(Rejection::effect_not_open)) << "it is executed";

  const std::string waiting = at_work(Shield::s1);
  EXPECT_THAT(fail(waiting, 1, "retry"), done());
  EXPECT_TRUE(nothing_to_lease());
  EXPECT_THAT(run(Retrying{.id = waiting}), done());
  EXPECT_EQ(id_of(lease()), waiting) << "it need not wait any longer";
  EXPECT_THAT(complete(waiting, 2), done());
}

TEST_P(EffectsAtRest, are_resolved_by_operators_who_know) {
  const auto resolve = [&](const std::string& id, const std::string& status,
                           std::string result = "") {
    return run(Resolving{.id = id, .status = status, .result = std::move(result)});
  };
  const std::string leased = at_work(Shield::s2);
  EXPECT_THAT(resolve(leased, "executed"), refused(Rejection::effect_not_open));
  for (const char* status : {"in_progress", "rejected", "", "done"})
    EXPECT_THAT(resolve(leased, status), refused(Rejection::invalid_request)) << status;
  EXPECT_THAT(fail(leased, 1, "retry"), done());
  EXPECT_THAT(resolve(leased, "executed", R"({"by":"phone"})"), done());
  expect_end(leased, Status::executed, "resolved");
  EXPECT_EQ(command(leased)->outcome, R"({"by":"phone"})");
  EXPECT_THAT(resolve(leased, "executed"), refused(Rejection::effect_not_open));
  EXPECT_THAT(resolve(leased, "failed"), refused(Rejection::effect_not_open));
  EXPECT_THAT(resolve(leased, "compensated"), done());
  EXPECT_EQ(command(leased)->outcome, R"({"by":"phone"})") << "what came of it stands";
  for (const char* status : {"executed", "failed", "compensated"})
    EXPECT_THAT(resolve(leased, status), refused(Rejection::effect_not_open));

  const std::string lost = at_work(Shield::s2);
  lose_lease(lost);
  EXPECT_THAT(resolve(lost, "failed"), refused(Rejection::effect_not_open)) << "it failed already";
  EXPECT_THAT(resolve(lost, "executed"), done());
  EXPECT_THAT(run(Retrying{.id = lost}), refused(Rejection::effect_not_open));
  const std::string fresh = accepted(Shield::s1);
  EXPECT_THAT(resolve(fresh, "failed"), done());
  EXPECT_TRUE(nothing_to_lease());
  EXPECT_THAT(run(Retrying{.id = fresh}), done());
  EXPECT_EQ(id_of(lease()), fresh);
}

TEST_P(EffectsAtRest, are_given_up_by_operators) {
  const std::string id = accepted(Shield::s1);
  EXPECT_THAT(run(CancellingEffect{.id = id}), done());
  expect_end(id, Status::failed, "cancelled");
  EXPECT_TRUE(nothing_to_lease());
  EXPECT_THAT(run(CancellingEffect{.id = id}), refused(Rejection::effect_not_open));
  const std::string leased = at_work(Shield::s1);
  EXPECT_THAT(run(CancellingEffect{.id = leased}), refused(Rejection::effect_not_open));
  EXPECT_THAT(complete(leased, 1), done());
  EXPECT_THAT(run(CancellingEffect{.id = leased}), refused(Rejection::effect_not_open));
  const std::string lost = at_work(Shield::s3);
  lose_lease(lost);
  EXPECT_THAT(run(CancellingEffect{.id = lost}), done());
  expect_end(lost, Status::failed, "outcome_unknown");
  EXPECT_THAT(run(Retrying{.id = lost}), done());
  expect_waits(lost, Stage::probe, true, false);
}

// ---- replays ----

TEST_P(EffectsAtRest, calls_about_them_are_replayed_to_the_byte) {
  struct Said {
    Call call;
    Answer answer;
  };
  std::vector<Said> said;
  const auto say = [&](auto parameters) {
    Call made{.command = Command(std::move(parameters)), .token = Token(harness().next_token())};
    said.push_back({made, harness().submit(made)});
    EXPECT_THAT(said.back().answer, first());
    return said.back().answer;
  };
  const std::string one = accepted(Shield::s1);
  const std::string two = accepted(Shield::s4);
  say(Leasing{.kinds = {"warehouse"}, .max = 10});
  say(Renewing{.id = one, .fence = 1, .lease = 1min});
  say(Failing{.id = one, .fence = 1, .error = "\x01 \u00e9 \"quoted\" \\"});
  say(Retrying{.id = one});
  say(Failing{.id = two, .fence = 1, .verdict = "unknown", .result = "[1.5,-0.25,1e-7]"});
  say(CancellingEffect{.id = two});
  say(Resolving{.id = two, .status = "compensated", .result = R"({"by":"hand"})"});
  say(Leasing{.kinds = {"warehouse"}, .max = 10});
  say(Completing{.id = one, .fence = 2, .result = R"({"status":"failed","id":"x","fence":9})"});
  say(Completing{.id = one, .fence = 2});
  say(Completing{.id = "c-nobody", .fence = 2});
  for (const bool again : {false, true}) {
    if (again) harness().reopen();
    for (const Said& each : said) EXPECT_THAT(harness().submit(each.call), replay_of(each.answer));
  }
}

TEST_P(EffectsAtRest, and_commands_may_hold_any_json) {
  const std::string odd =
      R"({"":"empty","a/b~c":[[],{},null,true],"big":9007199254740991,"ctl":"\u0000\u0001\u001f)"
      R"(\b\f\n\r\t","e":1e-7,"huge":1e+300,"neg":-9007199254740991,"o":{"status":"failed",)"
      R"("id":"c-1","fence":7,"effect":{"id":"x"}},"q":"\"\\/","t":0.1,"u":"\u20ac\ud83d\ude00\u007f"})";
  const auto canonical = canonicalize(odd);
  ASSERT_TRUE(canonical) << canonical.error().message;
  for (const char* action : {"S1", "S2", "S3", "S4"}) {
    const Submitting what{
        .entity = "do", .action = action, .target = *canonical, .args = *canonical};
    const Answer accepted = submit(what, action);
    const std::string id = id_of(accepted);
    EXPECT_EQ(command(id)->args, *canonical);
    harness().reopen();
    EXPECT_THAT(submit(what, action), replay_of(accepted));
    EXPECT_EQ(command(id)->args, *canonical);
    EXPECT_THAT(lease().document, HasSubstr("\"args\":" + *canonical));
    EXPECT_THAT(complete(id, 1, *canonical), done());
    const Answer executed = submit(what, action);
    EXPECT_THAT(executed.document, HasSubstr("\"outcome\":" + *canonical));
    harness().reopen();
    EXPECT_THAT(submit(what, action), replay_of(executed));
    EXPECT_EQ(command(id)->outcome, *canonical);
  }
}

}  // namespace
}  // namespace holdfast::test
