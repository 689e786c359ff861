// What a provider's answer means, word for word.

#include "effects/answers.hpp"

#include <gmock/gmock.h>

#include "modules/commands/template.hpp"

namespace holdfast::effects {
namespace {

using outbound::Response;

Response answer(int status, std::string body = {}) {
  return {.status = status, .headers = {}, .body = std::move(body)};
}

Job job_at(commands::Stage stage) {
  auto declaration = std::make_shared<commands::Declaration>();
  declaration->effect.probe = commands::Probe{.list = "/data", .id = "/id"};
  Job job;
  job.stage = stage;
  job.declaration = std::move(declaration);
  return job;
}

Finding asked(commands::Stage stage, Response response) {
  return judge(job_at(stage), std::move(response), {});
}

TEST(EffectAnswers, of_a_call_mean_what_is_declared_first) {
  commands::AnswerRules rules{.done = {404}, .refused = {200}, .not_done = {503}};
  EXPECT_EQ(meaning_of(rules, 404), Meaning::done);
  EXPECT_EQ(meaning_of(rules, 200), Meaning::refused);
  EXPECT_EQ(meaning_of(rules, 503), Meaning::not_done);
  EXPECT_EQ(meaning_of(rules, 429), Meaning::unclear) << "another list replaces the default";
}

TEST(EffectAnswers, of_a_call_are_unclear_unless_they_say_by_themselves_what_happened) {
  const commands::AnswerRules rules;
  for (const int status : {200, 201, 204}) EXPECT_EQ(meaning_of(rules, status), Meaning::done);
  for (const int status : {400, 401, 403, 404, 422})
    EXPECT_EQ(meaning_of(rules, status), Meaning::refused);
  for (const int status : {425, 429}) EXPECT_EQ(meaning_of(rules, status), Meaning::not_done);
  for (const int status : {302, 408, 409, 500, 502, 503, 504})
    EXPECT_EQ(meaning_of(rules, status), Meaning::unclear) << status;
}

TEST(EffectAnswers, that_never_came_leave_it_open_only_if_something_was_sent) {
  const Job call = job_at(commands::Stage::call);
  const auto failure = [](outbound::Reached reached, outbound::What what) {
    return outbound::Result(tl::unexpected(outbound::Failure{reached, what, "so"}));
  };
  const auto none = judge(call, failure(outbound::Reached::no, outbound::What::connect), {});
  EXPECT_EQ(none.verdict, Verdict::retry);
  EXPECT_FALSE(none.healthy);
  EXPECT_EQ(none.error, "connect: so");
  const auto lost = judge(call, failure(outbound::Reached::maybe, outbound::What::timeout), {});
  EXPECT_EQ(lost.verdict, Verdict::unknown);
  const Job probe = job_at(commands::Stage::probe);
  EXPECT_EQ(judge(probe, failure(outbound::Reached::maybe, outbound::What::lost), {}).verdict,
            Verdict::retry)
      << "a question does nothing";
  EXPECT_TRUE(judge(call, failure(outbound::Reached::no, outbound::What::full), {}).healthy);
}

TEST(EffectAnswers, to_a_probe_say_found_or_absent_or_nothing) {
  using commands::Stage;
  EXPECT_EQ(asked(Stage::probe, answer(200)).verdict, Verdict::done);
  EXPECT_EQ(asked(Stage::probe, answer(404)).verdict, Verdict::absent);
  for (const int status : {302, 401, 429, 500, 503})
    EXPECT_EQ(asked(Stage::probe, answer(status)).verdict, Verdict::retry) << status;
}

TEST(EffectAnswers, with_a_list_are_counted_in_an_order_of_their_own) {
  using commands::Stage;
  const auto listed = [](std::string body) {
    return asked(Stage::reconcile, answer(200, std::move(body)));
  };
  EXPECT_EQ(listed(R"({"data":[]})").verdict, Verdict::absent);
  EXPECT_EQ(asked(Stage::reconcile, answer(404)).verdict, Verdict::absent);
  const Finding one = listed(R"({"data":[{"id":7}]})");
  EXPECT_EQ(one.verdict, Verdict::done);
  EXPECT_THAT(one.ids, testing::ElementsAre("7"));
  const Finding many = listed(R"({"data":[{"id":"b"},{"id":"a"},{"id":"b"}]})");
  EXPECT_EQ(many.verdict, Verdict::many);
  EXPECT_THAT(many.ids, testing::ElementsAre("a", "b"));
  for (const char* const body : {"", "{}", "[]", R"({"data":{}})", R"({"data":[{}]})",
                                 R"({"data":[{"id":null}]})", "<html>"})
    EXPECT_EQ(listed(body).verdict, Verdict::retry) << body;
}

TEST(EffectAnswers, are_kept_as_json_or_as_text_and_cut) {
  EXPECT_EQ(result_of(answer(204), {}), R"({"status":204})");
  EXPECT_EQ(result_of(answer(200, R"({"b":1, "a":2})"), {}),
            R"({"body":{"a":2,"b":1},"status":200})");
  EXPECT_EQ(result_of(answer(200, "so\x01\xFF"), {}),
            "{\"body\":\"so\\u0001\xEF\xBF\xBD\",\"status\":200}");
  EXPECT_EQ(result_of(answer(200, R"({"a":1,"a":2})"), {}),
            R"({"body":"{\"a\":1,\"a\":2}","status":200})");
  std::string long_text(16383, 'x');
  long_text += "\u00e4 and more";
  const std::string kept = result_of(answer(200, long_text), {});
  EXPECT_EQ(kept, R"({"body":")" + std::string(16383, 'x') + R"(","status":200,"truncated":true})");
}

TEST(EffectAnswers, are_kept_without_what_is_secret) {
  Redaction redaction;
  redaction.add_text("sk_live_1");
  redaction.add_json(R"("4242")");
  redaction.add_json("123");
  EXPECT_EQ(
      result_of(answer(200, R"({"card":"4242","cvc":123,"n":1234,"said":"Bearer sk_live_1!"})"),
                redaction),
      R"({"body":{"card":"[secret]","cvc":"[secret]","n":1234,"said":"Bearer [secret]!"},"status":200})");
  EXPECT_EQ(result_of(answer(200, "card 4242 of sk_live_1"), redaction),
            R"({"body":"card [secret] of [secret]","status":200})");
}

TEST(EffectAnswers, may_ask_for_a_pause) {
  const auto pause = [](std::string value) {
    return pause_in({.status = 429, .headers = {{"retry-after", std::move(value)}}, .body = {}});
  };
  EXPECT_EQ(pause("7"), std::chrono::seconds(7));
  EXPECT_EQ(pause("86400"), std::chrono::minutes(5));
  for (const char* const none : {"", "-1", "soon", "7s", "99999999999"})
    EXPECT_EQ(pause(none), Duration::zero()) << none;
}

}  // namespace
}  // namespace holdfast::effects
