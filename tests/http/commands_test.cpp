// Commands over HTTP: how they are submitted, answered, repeated and waited for.

#include "http/commands_service.hpp"

#include <future>

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Commands : public CommandsService {};

TEST_F(Commands, WithoutAnEffectAreExecutedAtOnceAndReplayed) {
  begin();
  const std::string body = envelope("order.note", R"({"note":"hello"})");
  const Answered first = submit("k-1", body);
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(Json(first.body).text("/status"), "executed");
  EXPECT_EQ(Json(first.body).text("/idempotency_key"), "k-1");
  EXPECT_EQ(first.header("idempotent-replayed"), "false");
  EXPECT_EQ(first.header("idempotency-expires"), "never");
  const Answered again = submit("k-1", body);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
}

TEST_F(Commands, AreInProgressUntilTheirEffectSettles) {
  begin();
  const Answered first = ship("k-1");
  ASSERT_EQ(first.status, 202) << first.body;
  const std::string id = Json(first.body).text("/command_id");
  EXPECT_EQ(Json(first.body).text("/status"), "in_progress");
  EXPECT_EQ(first.header("location"), "/v1/commands/" + id);
  EXPECT_EQ(first.header("retry-after"), "1");
  const Answered again = ship("k-1");
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
  EXPECT_EQ(again.header("retry-after"), "1");
  const Answered token = get("/v1/tokens/k-1");
  EXPECT_EQ(Json(token.body).number("/status"), 202);
  EXPECT_EQ(Json(token.body).text("/answer/status"), "in_progress");

  const Answered leased = lease("w-1", "warehouse");
  ASSERT_EQ(leased.status, 200) << leased.body;
  EXPECT_EQ(Json(leased.body).text("/effects/0/id"), id);
  EXPECT_EQ(Json(leased.body).text("/effects/0/request/args/to"), "Ada");
  EXPECT_EQ(lease("w-1", "warehouse").body, leased.body);
  const Answered completed =
      on_effect("w-2", id, "complete", R"({"fence":1,"result":{"label":"L1"}})");
  ASSERT_EQ(completed.status, 200) << completed.body;

  const Answered settled = ship("k-1");
  EXPECT_EQ(settled.status, 200);
  EXPECT_EQ(settled.header("idempotent-replayed"), "true");
  EXPECT_EQ(settled.header("location"), "");
  EXPECT_EQ(Json(settled.body).text("/status"), "executed");
  EXPECT_EQ(Json(settled.body).text("/outcome/label"), "L1");
  EXPECT_EQ(ship("k-1").body, settled.body);
  EXPECT_EQ(get("/v1/commands/" + id).body, settled.body);
  EXPECT_EQ(Json(get("/v1/tokens/k-1").body).number("/status"), 200);
  EXPECT_EQ(Json(get("/v1/tokens/k-1").body).raw("/answer"), Json(settled.body).raw(""));
}

TEST_F(Commands, AreCountedByName) {
  begin();
  (void)ship("k-1");
  (void)ship("k-1");
  (void)submit("k-2", envelope("order.note"));
  (void)submit("k-3", envelope("order.note", R"({"note":7})"));
  (void)submit("k-4", envelope("order.burn"));
  const std::string text = get("/metrics").body;
  const std::string name = "\nholdfast_commands_submitted_total{command=";
  EXPECT_THAT(text, HasSubstr(name + R"("parcel.ship",status="in_progress"} 1)"));
  EXPECT_THAT(text, HasSubstr(name + R"("order.note",status="executed"} 1)"));
  EXPECT_THAT(text, HasSubstr(name + R"("order.note",status="rejected"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr("order.burn")));
}

TEST_F(Commands, InABatchAreAnsweredAsAlone) {
  begin();
  const std::string item =
      R"({"token":"k-1","operation":"command.submit","params":)" + envelope("parcel.ship") + "}";
  const std::string derived =
      R"({"operation":"command.submit","params":)" + envelope("order.tag") + "}";
  const std::string nameless =
      R"({"operation":"command.submit","params":)" + envelope("order.note") + "}";
  const std::string body =
      fmt::format(R"({{"operations":[{},{},{},{}]}})", item, item, derived, nameless);
  const Answered answered = call("POST", "/v1/batch", {}, body);
  ASSERT_EQ(answered.status, 200);
  const Json results(answered.body);
  EXPECT_EQ(results.number("/results/0/status"), 202);
  EXPECT_EQ(results.number("/results/1/status"), 202);
  EXPECT_TRUE(results.truth("/results/1/replayed"));
  EXPECT_EQ(results.raw("/results/0/body"), results.raw("/results/1/body"));
  EXPECT_EQ(results.number("/results/2/status"), 200);
  EXPECT_THAT(results.text("/results/2/body/idempotency_key"), testing::StartsWith("ik1-"));
  EXPECT_EQ(results.number("/results/3/status"), 400);
  EXPECT_EQ(results.text("/results/3/body/code"), "protocol.idempotency_key_missing");
  EXPECT_EQ(ship("k-1").status, 409);  // with other arguments
}

TEST_F(Commands, FindTheirKeyWhereThereIsNoHeader) {
  begin();
  const Answered derived = submit("", envelope("order.tag", R"({"tag":"red"})"));
  ASSERT_EQ(derived.status, 200) << derived.body;
  const std::string key = derived.header("idempotency-key");
  EXPECT_THAT(key, testing::StartsWith("ik1-"));
  EXPECT_EQ(Json(derived.body).text("/idempotency_key"), key);
  EXPECT_EQ(submit("", envelope("order.tag", R"({ "tag" : "red" })")).body, derived.body);
  EXPECT_EQ(submit(key, envelope("order.tag", R"({"tag":"red"})")).body, derived.body);
  EXPECT_EQ(submit("", envelope("order.tag", R"({"tag":"red"})", R"(,"correlation_id":"c-2")"))
                .header("idempotent-replayed"),
            "true");
  EXPECT_NE(submit("", envelope("order.tag", R"({"tag":"blue"})")).header("idempotency-key"), key);

  const std::string named = envelope("order.note", "{}", R"(,"idempotency_key":"\"b 1")");
  const Answered in_body = submit("", named);
  ASSERT_EQ(in_body.status, 200) << in_body.body;
  EXPECT_EQ(in_body.header("idempotency-key"), R"("\"b 1")");
  EXPECT_EQ(submit(in_body.header("idempotency-key"), named).header("idempotent-replayed"), "true");

  const Answered none = submit("", envelope("order.note"));
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(Json(none.body).text("/code"), "protocol.idempotency_key_missing");
}

TEST_F(Commands, RefuseKeysInBodiesThatNoHeaderCouldSay) {
  begin();
  for (const std::string key : {R"(a\r\nX-Evil: 1)", R"(é)", R"(a\u0000)"}) {
    const Answered answered =
        submit("", envelope("order.note", "{}", ",\"idempotency_key\":\"" + key + "\""));
    EXPECT_EQ(answered.status, 400) << answered.body;
    EXPECT_EQ(answered.header("x-evil"), "");
  }
  const std::string long_key = ",\"idempotency_key\":\"" + std::string(257, 'k') + "\"";
  const Answered answered = submit("", envelope("order.note", "{}", long_key));
  EXPECT_EQ(Json(answered.body).text("/code"), "protocol.idempotency_key_invalid");
  EXPECT_EQ(Json(answered.body).text("/errors/0/pointer"), "/idempotency_key");
  const Answered batch = call("POST", "/v1/batch", {},
                              R"({"operations":[{"operation":"command.submit","params":)" +
                                  envelope("order.note", "{}", long_key) + "}]}");
  EXPECT_EQ(Json(batch.body).text("/results/0/body/code"), "protocol.idempotency_key_invalid");
  expect_refused(submit("other", envelope("order.note", "{}", R"(,"idempotency_key":"k")")), 422,
                 "invalid_arguments");
}

TEST_F(Commands, OfAnotherEnvelopeConflictAndShowBothKeys) {
  begin();
  ASSERT_EQ(submit("k-1", envelope("order.note", R"({"note":"a"})")).status, 200);
  const Answered other = submit("k-1", envelope("order.note", R"({"note":"b"})"));
  expect_refused(other, 409, "idempotency_conflict");
  EXPECT_EQ(Json(other.body).text("/token_action"), "new");
  EXPECT_EQ(other.header("x-should-retry"), "false");
  EXPECT_EQ(other.header("idempotency-expires"), "never");
  EXPECT_EQ(Json(get("/v1/tokens/k-1").body).text("/answer/args/note"), "a");
  // Both fingerprints are in the evidence.
  const Answered evidence = get("/v1/evidence?after=0");
  EXPECT_THAT(evidence.body, HasSubstr("conflict_rejected"));
  EXPECT_THAT(evidence.body, HasSubstr("digest_on_record"));

  const Answered wrong = submit("mine", envelope("order.tag"));
  expect_refused(wrong, 409, "idempotency_conflict");
  EXPECT_EQ(Json(wrong.body).text("/execution/keys/presented"), "mine");
  EXPECT_THAT(Json(wrong.body).text("/execution/keys/derived"), testing::StartsWith("ik1-"));
  EXPECT_EQ(submit("mine", envelope("order.tag")).body, wrong.body);
  // A hold's token is told of as ever.
  const Answered hold = place("k-1", holding("room"));
  EXPECT_EQ(Json(hold.body).text("/code"), "protocol.idempotency_conflict");
}

TEST_F(Commands, AreRefusedByName) {
  begin();
  expect_refused(submit("k-1", envelope("order.burn")), 422, "unregistered_command");
  const Answered misfit = submit("k-2", envelope("order.note", R"({"note":7})"));
  expect_refused(misfit, 422, "invalid_arguments");
  EXPECT_EQ(Json(misfit.body).text("/execution/errors/0/pointer"), "/args/note");
  EXPECT_EQ(submit("k-2", envelope("order.note", R"({"note":7})")).body, misfit.body);
  EXPECT_EQ(Json(get("/v1/tokens/k-2").body).text("/outcome"), "execution-rejected");
  // `on_reject = release`: the key may succeed later.
  expect_refused(submit("k-3", envelope("order.mark")), 422, "invalid_arguments");
  EXPECT_EQ(submit("k-3", envelope("order.mark", R"({"mark":1})")).status, 200);
  for (const char* body :
       {"", "[]", "{}", R"({"intent":{"entity":"order"}})", R"({"intent":"order.note"})",
        R"({"intent":{"entity":"order","action":"note","how":"now"}})",
        R"({"intent":{"entity":"order","action":"note"},"args":{},"why":1})",
        R"({"intent":{"entity":"order","action":"note"},"args":{"a":1,"a":2}})"}) {
    EXPECT_EQ(submit("k-4", body).status, 400) << body;
  }
  EXPECT_EQ(submit("k-4", envelope("order.note", "[]")).status, 422);
  expect_refused(submit("k-5", envelope("order.note", "{}", R"(,"tenant_id":"south")")), 422,
                 "invalid_arguments");
}

TEST_F(Commands, AreConfirmedByTheirCaller) {
  begin();
  const std::string body = envelope("account.close", R"({"why":"moved"})");
  const Answered asked = submit("k-1", body);
  expect_refused(asked, 409, "confirmation_required");
  EXPECT_EQ(asked.header("x-should-retry"), "false");
  EXPECT_EQ(Json(asked.body).text("/execution/confirm_by"), "self");
  EXPECT_EQ(Json(asked.body).text("/token_action"), "reuse");
  EXPECT_TRUE(Json(asked.body).has("/execution/expires_at"));
  const std::string token = Json(asked.body).text("/execution/confirmation_token");
  EXPECT_EQ(get("/v1/tokens/k-1").status, 404);
  expect_refused(submit("k-1", body, {{"X-Confirmation", token + "0"}}), 409,
                 "confirmation_invalid");
  expect_refused(submit("k-2", body, {{"X-Confirmation", token}}), 409, "confirmation_invalid");
  const Answered done = submit("k-1", body, {{"X-Confirmation", token}});
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(submit("k-1", body).body, done.body);  // a duplicate of what ran is not asked
  const std::string in_body = envelope("account.close", "{}");
  const std::string other = Json(submit("k-3", in_body).body).text("/execution/confirmation_token");
  clock_->advance(std::chrono::minutes(6));
  expect_refused(submit("k-3", in_body, {{"X-Confirmation", other}}), 409, "confirmation_expired");
  const std::string fresh = Json(submit("k-3", in_body).body).text("/execution/confirmation_token");
  EXPECT_EQ(
      submit("k-3", envelope("account.close", "{}", ",\"confirmation_token\":\"" + fresh + "\""))
          .status,
      200);
}

TEST_F(Commands, MayNeedFourEyes) {
  const Headers alice = with_key(new_key("north", "alice", http::Role::client));
  const Headers bob = with_key(new_key("north", "bob", http::Role::client));
  const Headers carl = with_key(new_key("south", "carl", http::Role::client));
  begin();
  const std::string body = envelope("account.waive");
  const Answered asked = submit("k-1", body, alice);
  expect_refused(asked, 409, "confirmation_required");
  EXPECT_EQ(Json(asked.body).text("/execution/confirm_by"), "other");
  const std::string id = Json(asked.body).text("/execution/command_id");
  const std::string token = Json(asked.body).text("/execution/confirmation_token");
  const auto approve = [&](const std::string& key, const Headers& who) {
    return call("POST", "/v1/commands/" + id + "/approve", keyed(key, who),
                R"({"confirmation_token":")" + token + "\"}");
  };
  const auto confirm = [&] {
    Headers all = alice;
    all.push_back({"X-Confirmation", token});
    return submit("k-1", body, all);
  };
  expect_refused(confirm(), 409, "confirmation_required");
  EXPECT_EQ(approve("a-1", alice).status, 200);
  expect_refused(confirm(), 409, "confirmation_required");  // her own approval does not count
  expect_refused(approve("c-1", carl), 409, "confirmation_invalid");
  EXPECT_EQ(approve("b-1", bob).status, 200);
  EXPECT_EQ(confirm().status, 200);
}

TEST_F(Commands, WaitForTheirOutcome) {
  begin();
  const std::string body = envelope("parcel.ship");
  auto waiting =
      std::async(std::launch::async, [&] { return submit("k-1", body, {}, "?wait=50s"); });
  ASSERT_TRUE(eventually([&] { return is_used("k-1"); }));
  const std::string id = Json(get("/v1/tokens/k-1").body).text("/answer/command_id");
  auto reading =
      std::async(std::launch::async, [&] { return get("/v1/commands/" + id + "?wait=PT50S"); });
  ASSERT_EQ(lease("w-1", "warehouse").status, 200);
  ASSERT_EQ(on_effect("w-2", id, "complete", R"({"fence":1})").status, 200);
  const Answered told = waiting.get();
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.header("idempotent-replayed"), "false");
  EXPECT_EQ(Json(told.body).text("/status"), "executed");
  EXPECT_EQ(reading.get().body, told.body);
  EXPECT_EQ(submit("k-1", body, {}, "?wait=50s").body, told.body);
}

TEST_F(Commands, WaitNoLongerThanAllowedAndNotWhileTheServiceStops) {
  http::Settings settings;
  settings.limits.wait_max = std::chrono::milliseconds(1);
  begin(settings);
  EXPECT_EQ(submit("k-1", envelope("parcel.ship"), {}, "?wait=1h").status, 202);
  for (const char* query : {"?wait=soon", "?wait=-1s", "?wait=", "?wait=1s&wait=1s", "?weight=1s"})
    EXPECT_EQ(submit("k-2", envelope("parcel.ship"), {}, query).status, 400) << query;
  EXPECT_EQ(call("POST", "/v1/holds?wait=1s", keyed("k-3"), holding("room")).status, 400);
  stop();

  settings.limits.wait_max = std::chrono::minutes(10);
  begin(settings);
  auto waiting = std::async(std::launch::async, [&] {
    RawConnection connection = connect();
    (void)connection.send(
        request_text("POST", "/v1/commands?wait=10m", keyed("k-4"), envelope("parcel.ship")));
    return connection.read();
  });
  ASSERT_TRUE(eventually([&] { return is_used("k-4"); }));
  stop();
  const auto told = waiting.get();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->status, 202);
}

}  // namespace
}  // namespace holdfast::test
