// Every address of the contract, and what it answers.

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Contract : public HttpTest {
 protected:
  Contract() { start(); }

  [[nodiscard]] Answered post(const std::string& target, const std::string& key,
                              const std::string& body = {}) const {
    return call("POST", target, {{"Idempotency-Key", key}}, body);
  }
  [[nodiscard]] Answered declare(const std::string& resource, int capacity,
                                 const std::string& key) const {
    return call("PUT", "/v1/resources/" + resource, {{"Idempotency-Key", key}},
                R"({"capacity":)" + std::to_string(capacity) + "}");
  }
  [[nodiscard]] std::string placed(const std::string& key, const std::string& resource) const {
    return Json(place(key, holding(resource)).body).text("/id");
  }
};

TEST_F(Contract, PlacingAnswersTheHold) {
  const Answered placed = place("k-1", holding("room_307"));
  EXPECT_EQ(placed.status, 201);
  EXPECT_EQ(placed.header("content-type"), "application/json");
  const Json hold(placed.body);
  EXPECT_THAT(hold.keys(""), ElementsAre("id", "resource", "requester", "quantity", "state",
                                         "placed_at", "expires_at", "quantity_confirmed",
                                         "quantity_released", "quantity_cancelled", "fence"));
  EXPECT_EQ(hold.text("/state"), "held");
  EXPECT_EQ(hold.text("/placed_at"), "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(placed.header("location"), "/v1/holds/" + hold.text("/id"));
  EXPECT_EQ(placed.header("date"), "Thu, 01 Jan 2026 00:00:00 GMT");
  EXPECT_EQ(placed.header("idempotency-key"), "k-1");
  EXPECT_EQ(placed.header("idempotency-expires"), "2026-01-02T00:00:00.000000Z");
}

TEST_F(Contract, ResolvingAnswersTheHoldAndItsInstant) {
  for (const auto& [verb, state] :
       {std::pair("confirm", "confirmed"), std::pair("release", "released")}) {
    const std::string id = placed(std::string("k-") + verb, std::string("room_") + verb);
    clock_->advance(std::chrono::seconds(1));
    const Answered resolved = post("/v1/holds/" + id + "/" + verb, std::string("r-") + verb);
    EXPECT_EQ(resolved.status, 200);
    EXPECT_EQ(Json(resolved.body).text("/state"), state);
    EXPECT_TRUE(Json(resolved.body).has(std::string("/") + state + "_at"));
    const Answered again = post("/v1/holds/" + id + "/" + verb, std::string("other-") + verb);
    EXPECT_EQ(again.status, 409);
    EXPECT_EQ(Json(again.body).text("/code"), "not-held");
    EXPECT_EQ(Json(again.body).text("/state"), state);
    EXPECT_EQ(again.header("x-should-retry"), "false");
    EXPECT_EQ(again.header("stripe-should-retry"), "false");
  }
}

TEST_F(Contract, LapsedAndNotYetLapsed) {
  const std::string id = placed("k-1", "room_307");
  EXPECT_EQ(Json(post("/v1/holds/" + id + "/expire", "e-1").body).text("/code"),
            "window-not-elapsed");
  clock_->advance(std::chrono::minutes(15));
  const Json shown(get("/v1/holds/" + id).body);
  EXPECT_EQ(shown.text("/state"), "held");
  EXPECT_TRUE(shown.truth("/lapsed"));
  EXPECT_EQ(Json(post("/v1/holds/" + id + "/confirm", "c-1").body).text("/code"), "window-elapsed");
  const Answered expired = post("/v1/holds/" + id + "/expire", "e-2");
  EXPECT_EQ(expired.status, 200);
  EXPECT_EQ(Json(expired.body).text("/state"), "expired");
}

TEST_F(Contract, UnknownHoldsAreNotKnown) {
  for (const char* id : {"h1-000000000000000", "nonsense", "%00", "h99999999999999999999-1"}) {
    EXPECT_EQ(get(std::string("/v1/holds/") + id).status, 404) << id;
    const Answered refused =
        post(std::string("/v1/holds/") + id + "/confirm", std::string("k-") + id);
    EXPECT_EQ(refused.status, 404) << id;
    EXPECT_EQ(Json(refused.body).text("/code"), "not-known") << id;
    EXPECT_EQ(Json(refused.body).text("/token_action"), "new") << id;
  }
}

TEST_F(Contract, NamesThatAreNoIdsAreToldApart) {
  EXPECT_EQ(post("/v1/holds/nonsense/confirm", "k-1").status, 404);
  const Answered same = post("/v1/holds/nonsense/confirm", "k-1");
  EXPECT_EQ(same.status, 404);
  EXPECT_EQ(same.header("idempotent-replayed"), "true");
  for (const std::string other : {"rubbish", "Nonsense", "h0-000000000000000", "%ff"}) {
    const Answered refused = post("/v1/holds/" + other + "/confirm", "k-1");
    EXPECT_EQ(Json(refused.body).text("/code"), "protocol.idempotency_conflict") << other;
  }
}

TEST_F(Contract, ShowingAHoldTellsItsLifeAndItsToken) {
  const std::string id = placed("k-1", "room_307");
  const Json shown(get("/v1/holds/" + id).body);
  EXPECT_EQ(shown.text("/token"), "k-1");
  EXPECT_EQ(shown.text("/lifecycle/0/state"), "held");
  EXPECT_EQ(shown.number("/expires_in_ms"), 15 * 60 * 1000);
}

TEST_F(Contract, TakenResources) {
  (void)placed("k-1", "room_307");
  const Answered taken = place("k-2", holding("room_307"));
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.header("content-type"), "application/problem+json");
  const Json problem(taken.body);
  EXPECT_THAT(problem.keys(""), ElementsAre("type", "title", "status", "detail", "code",
                                            "retryable", "token_action", "request_id"));
  EXPECT_EQ(problem.text("/code"), "resource-unavailable");
  EXPECT_EQ(problem.number("/status"), 409);
}

TEST_F(Contract, ResourcesAreDeclaredShownAndListed) {
  const Answered declared = declare("seats%20a%2Fb", 3, "d-1");
  EXPECT_EQ(declared.status, 200);
  EXPECT_EQ(Json(declared.body).text("/name"), "seats a/b");
  EXPECT_EQ(declared.header("idempotency-expires"), "never");
  EXPECT_EQ(declare("seats%20a%2Fb", 3, "d-1").header("idempotent-replayed"), "true");
  const Json shown(get("/v1/resources/seats%20a%2Fb").body);
  EXPECT_EQ(shown.number("/capacity"), 3);
  EXPECT_EQ(shown.number("/available"), 3);
  const Json never_named(get("/v1/resources/unheard_of").body);
  EXPECT_EQ(never_named.number("/capacity"), 1);
  EXPECT_FALSE(never_named.truth("/declared"));
  EXPECT_EQ(Json(get("/v1/resources").body).size("/items"), 1U);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(place("k-" + std::to_string(i), holding("seats a/b")).status, 201);
  const Answered lower = declare("seats%20a%2Fb", 1, "d-2");
  EXPECT_EQ(lower.status, 409);
  EXPECT_EQ(Json(lower.body).text("/code"), "capacity-in-use");
  EXPECT_EQ(
      call("PUT", "/v1/resources/%ff", {{"Idempotency-Key", "d-3"}}, R"({"capacity":1})").status,
      400);
}

TEST_F(Contract, ListsAreFilteredAndPaged) {
  ASSERT_EQ(declare("seats", 100, "d-1").status, 200);
  for (int i = 0; i < 25; ++i) {
    ASSERT_EQ(place("k-" + std::to_string(i), holding("seats", i % 2 == 0 ? "even" : "odd")).status,
              201);
  }
  std::size_t seen = 0;
  std::string target = "/v1/holds?resource=seats&requester=even&state=held&limit=5";
  while (!target.empty()) {
    const Answered page = get(target);
    ASSERT_EQ(page.status, 200) << page.body;
    const Json list(page.body);
    seen += list.size("/items");
    const std::string link = page.header("link");
    EXPECT_EQ(link.empty(), list.is_null("/next"));
    target = link.empty() ? "" : link.substr(1, link.find('>') - 1);
  }
  EXPECT_EQ(seen, 13U);
  EXPECT_EQ(Json(get("/v1/holds?placed_after=2026-01-01T00:00:00Z").body).size("/items"), 0U);
  EXPECT_EQ(Json(get("/v1/holds?placed_after=2025-12-31T23:59:59.999999Z").body).size("/items"),
            25U);
  for (const char* query : {"?limit=0", "?limit=1001", "?limit=x", "?state=lost", "?cursor=zz!",
                            "?placed_after=yesterday", "?resorce=seats", "?limit=1&limit=2"}) {
    const Answered refused = get(std::string("/v1/holds") + query);
    EXPECT_EQ(refused.status, 400) << query;
    EXPECT_THAT(Json(refused.body).text("/errors/0/pointer"), HasSubstr("?")) << query;
  }
}

TEST_F(Contract, TokensTellWhatBecameOfThem) {
  const Answered first = place("a b/ü%", holding("r"));
  EXPECT_EQ(first.status, 400);  // not ASCII
  ASSERT_EQ(place("a b/%", holding("r")).status, 201);
  const Answered shown = get("/v1/tokens/a%20b%2F%25");
  EXPECT_EQ(shown.status, 200);
  const Json token(shown.body);
  EXPECT_EQ(token.text("/token"), "a b/%");
  EXPECT_EQ(token.text("/operation"), "hold.place");
  EXPECT_EQ(token.number("/status"), 201);
  EXPECT_EQ(get("/v1/tokens/never-used").status, 404);
}

TEST_F(Contract, BatchesAnswerInOrderEachOnItsOwn) {
  const Answered batch = call("POST", "/v1/batch", {}, R"({"operations":[
    {"token":"d","operation":"resource.declare","params":{"resource":"s","capacity":2}},
    {"token":"a","operation":"hold.place","params":{"resource":"s","requester":"q","duration":60}},
    {"token":"a","operation":"hold.place","params":{"resource":"s","requester":"q","duration":60}},
    {"token":"a","operation":"hold.place","params":{"resource":"t","requester":"q","duration":60}},
    {"token":"b","operation":"hold.place","params":{"resource":"s","requester":"q","duration":60}},
    {"token":"c","operation":"hold.place","params":{"resource":"s","requester":"q","duration":60}},
    {"token":"e","operation":"hold.fold","params":{}},
    {"operation":"hold.confirm","params":{"id":"h1-0"}},
    {"token":"f","operation":"hold.confirm","params":{"id":"nonsense"}},
    {"token":"g","operation":"hold.place","params":{"resource":"s"}}]})");
  ASSERT_EQ(batch.status, 200) << batch.body;
  const Json results(batch.body);
  const std::vector<int> wanted{200, 201, 201, 409, 201, 409, 400, 400, 404, 400};
  ASSERT_EQ(results.size("/results"), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string at = "/results/" + std::to_string(i);
    EXPECT_EQ(results.number(at + "/status"), wanted[i]) << i << " " << results.raw(at);
    EXPECT_EQ(results.truth(at + "/replayed"), i == 2) << i;
  }
  EXPECT_EQ(results.raw("/results/1/body"), results.raw("/results/2/body"));
  EXPECT_EQ(results.text("/results/3/body/code"), "protocol.idempotency_conflict");
  EXPECT_EQ(results.text("/results/5/body/code"), "resource-unavailable");
  EXPECT_EQ(results.text("/results/6/body/errors/0/pointer"), "/operations/6/operation");
  EXPECT_EQ(results.text("/results/7/body/errors/0/pointer"), "/operations/7/token");
  EXPECT_EQ(results.text("/results/9/body/errors/0/pointer"), "/operations/9/params/requester");
  EXPECT_FALSE(is_used("e"));
  // The same outcome alone, later.
  const Answered alone = place("a", R"({"resource":"s","requester":"q","duration":60})");
  EXPECT_EQ(alone.body, results.raw("/results/1/body"));
  EXPECT_EQ(call("POST", "/v1/batch", {}, "{}").status, 400);
  EXPECT_EQ(call("POST", "/v1/batch", {}, R"({"operations":[]})").body, R"({"results":[]})");
}

TEST_F(Contract, LargeBatchesAreWhole) {
  std::string items;
  for (int i = 0; i < 5000; ++i) {
    items += std::string(i == 0 ? "" : ",") + R"({"token":"t)" + std::to_string(i) +
             R"(","operation":"hold.place","params":{"resource":"r)" + std::to_string(i) +
             R"(","requester":"q","duration":60}})";
  }
  const Answered batch = call("POST", "/v1/batch", {}, R"({"operations":[)" + items + "]}");
  ASSERT_EQ(batch.status, 200);
  const Json results(batch.body);
  ASSERT_EQ(results.size("/results"), 5000U);
  EXPECT_EQ(results.text("/results/4999/body/resource"), "r4999");
  EXPECT_EQ(records(), 5000U);
}

TEST_F(Contract, ABatchIsUpToTenThousandOperations) {
  const auto batch = [&](int count) {
    std::string items;
    for (int i = 0; i < count; ++i) {
      items += std::string(i == 0 ? "" : ",") + R"({"token":"t)" + std::to_string(i) +
               R"(","operation":"hold.expire","params":{"id":"h1-0"}})";
    }
    return call("POST", "/v1/batch", {}, R"({"operations":[)" + items + "]}");
  };
  EXPECT_EQ(batch(10'001).status, 413);
  EXPECT_FALSE(is_used("t0"));
  const Answered whole = batch(10'000);
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(Json(whole.body).size("/results"), 10'000U);
}

TEST_F(Contract, ATokenThatCanBeNoneIsNamedInABatch) {
  const std::string params = R"(,"operation":"hold.place","params":)" + holding("r") + "}";
  const Answered batch = call("POST", "/v1/batch", {},
                              R"({"operations":[{"token":"")" + params + R"(,{"token":"é")" +
                                  params + R"(,{"token":")" + std::string(257, 'x') + "\"" +
                                  params + R"(,{"token":7)" + params + "]}");
  const Json results(batch.body);
  for (const char* at : {"/results/0", "/results/1", "/results/2"}) {
    const std::string body = std::string(at) + "/body";
    EXPECT_EQ(results.text(body + "/code"), "protocol.idempotency_key_invalid") << at;
    EXPECT_TRUE(results.has(body + "/errors/0/pointer")) << at;
  }
  EXPECT_EQ(results.text("/results/3/body/code"), "malformed-request");
}

/// Whoever relies on a nonce must not be left without it.
TEST_F(Contract, HeadersThatAreTheItemsAreRefusedForABatch) {
  const std::string body =
      R"({"operations":[{"token":"t","operation":"hold.place","params":)" + holding("r") + "}]}";
  for (const char* header : {"X-Nonce", "X-Confirmation"}) {
    const Answered refused = call("POST", "/v1/batch", {{header, "n-1"}}, body);
    EXPECT_EQ(refused.status, 400) << header;
    EXPECT_THAT(Json(refused.body).text("/detail"), HasSubstr(header));
  }
  EXPECT_FALSE(is_used("t"));
  const Answered ignored = call("POST", "/v1/batch", {{"Idempotency-Key", "b-1"}}, body);
  EXPECT_EQ(ignored.status, 200);
  EXPECT_TRUE(is_used("t"));
  EXPECT_FALSE(is_used("b-1"));
}

/// The order of the contract: credentials, rights, rates, the key, the body.
TEST_F(Contract, AKeyIsAskedForBeforeTheBodyIsLookedAt) {
  const Headers text{{"Content-Type", "text/plain"}};
  EXPECT_EQ(Json(call("POST", "/v1/holds", text, "{").body).text("/code"),
            "protocol.idempotency_key_missing");
  EXPECT_EQ(Json(place("k-1", "{", text).body).text("/code"), "malformed-request");
  EXPECT_EQ(call("POST", "/v1/batch", text, R"({"operations":[]})").status, 400);
}

TEST_F(Contract, ConflictStatusCanBeTheDrafts) {
  stop();
  http::Settings settings;
  settings.conflict_status = 422;
  start(settings);
  ASSERT_EQ(place("k-1", holding("a")).status, 201);
  const Answered conflict = place("k-1", holding("b"));
  EXPECT_EQ(conflict.status, 422);
  EXPECT_EQ(Json(conflict.body).number("/status"), 422);
  EXPECT_EQ(Json(conflict.body).text("/code"), "protocol.idempotency_conflict");
}

TEST_F(Contract, ConfirmationIsAskedForAndGiven) {
  stop();
  http::Settings settings;
  settings.policies[Operation::hold_place].confirmation = Confirmation::required;
  start(settings);
  const Answered asked = place("k-1", holding("r"));
  EXPECT_EQ(asked.status, 409);
  const Json problem(asked.body);
  EXPECT_EQ(problem.text("/code"), "confirmation-required");
  EXPECT_EQ(problem.text("/token_action"), "reuse");
  EXPECT_EQ(asked.header("x-should-retry"), "false") << "as it is, it would be asked for again";
  EXPECT_EQ(asked.header("retry-after"), "");
  EXPECT_EQ(place("k-1", holding("r"), {{"X-Confirmation", problem.text("/confirmation")}}).status,
            201);
  EXPECT_THAT(get("/metrics").body, HasSubstr("holdfast_claims_total{decision=\"fresh\"} 1\n"))
      << "the first call claimed nothing";
}

TEST_F(Contract, DerivedKeysNeedNoHeader) {
  stop();
  http::Settings settings;
  settings.policies[Operation::hold_place].key_mode = KeyMode::derived;
  start(settings);
  const Answered first = call("POST", "/v1/holds", {}, holding("r"));
  EXPECT_EQ(first.status, 201);
  const Answered again = call("POST", "/v1/holds", {}, holding("r"));
  EXPECT_EQ(again.body, first.body);
  const std::string derived = first.header("idempotency-key");
  EXPECT_EQ(derived.size(), 64U);
  EXPECT_EQ(again.header("idempotency-key"), derived);
  EXPECT_TRUE(is_used(derived));
  EXPECT_EQ(place("k-1", holding("r")).status, 400);
}

TEST_F(Contract, ServicePages) {
  EXPECT_EQ(get("/livez").status, 200);
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(Json(get("/version").body).text("/name"), "holdfast");
  (void)placed("k-1", "r");
  (void)placed("k-1", "r");
  const Answered metrics = get("/metrics");
  EXPECT_THAT(metrics.header("content-type"), HasSubstr("text/plain"));
  for (const char* line :
       {"holdfast_requests_total{operation=\"hold.place\",outcome=\"done\",replayed=\"false\"} 1\n",
        "holdfast_requests_total{operation=\"hold.place\",outcome=\"done\",replayed=\"true\"} 1\n",
        "holdfast_claims_total{decision=\"fresh\"} 1\n", "holdfast_holds{state=\"held\"} 1\n",
        "holdfast_queue_calls 0\n", "holdfast_expiry_lag_seconds 0\n", "holdfast_evidence_head 1\n",
        "holdfast_batch_calls_count 1\n", "holdfast_commit_seconds_count 1\n",
        "holdfast_request_seconds_count 2\n"}) {
    EXPECT_THAT(metrics.body, HasSubstr(line));
  }
  clock_->advance(std::chrono::minutes(16));
  EXPECT_THAT(get("/metrics").body, HasSubstr("holdfast_expiry_lag_seconds 60\n"));
}

TEST_F(Contract, ClaimsAndAnswersAreCounted) {
  (void)placed("k-1", "r");
  (void)placed("k-1", "r");
  ASSERT_EQ(place("k-1", holding("other")).status, 409);
  const std::string metrics = get("/metrics").body;
  for (const char* line :
       {"holdfast_claims_total{decision=\"fresh\"} 1\n",
        "holdfast_claims_total{decision=\"replayed\"} 1\n",
        "holdfast_claims_total{decision=\"collision\"} 1\n",
        "holdfast_http_responses_total{method=\"POST\",route=\"/v1/holds\",status=\"201\"} 2\n",
        "holdfast_http_responses_total{method=\"POST\",route=\"/v1/holds\",status=\"409\"} 1\n"}) {
    EXPECT_THAT(metrics, HasSubstr(line));
  }
}

TEST_F(Contract, HoldsTokensAndResourcesAreCounted) {
  ASSERT_EQ(declare("hall", 20, "d-1").status, 200);
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(placed("k-" + std::to_string(i), "hall"));
  for (const auto& [verb, from, to] :
       {std::tuple("confirm", 0U, 3U), std::tuple("release", 3U, 5U)}) {
    for (std::size_t i = from; i < to; ++i)
      ASSERT_EQ(post("/v1/holds/" + ids[i] + "/" + verb, verb + std::to_string(i)).status, 200);
  }
  (void)place("short", R"({"resource":"other","requester":"q","duration":1})");
  clock_->advance(std::chrono::seconds(2));
  server_->service().sweep();
  const RawConnection another = connect();
  ASSERT_TRUE(another.send(request_text("GET", "/livez")));
  ASSERT_TRUE(eventually(
      [&] { return get("/metrics").body.find("holdfast_connections 2\n") != std::string::npos; }));
  const std::string metrics = get("/metrics").body;
  for (const char* line :
       {"holdfast_holds{state=\"held\"} 5\n", "holdfast_holds{state=\"confirmed\"} 3\n",
        "holdfast_holds{state=\"released\"} 2\n", "holdfast_holds{state=\"expired\"} 1\n",
        "holdfast_tokens 17\n", "holdfast_resources 2\n", "holdfast_evidence_head 18\n",
        "holdfast_event_streams 0\n"}) {
    EXPECT_THAT(metrics, HasSubstr(line));
  }
}

/// Whoever asks for a dry run must not get a wet one.
TEST_F(Contract, ParametersThatAnAddressDoesNotHaveAreRefused) {
  const std::string id = placed("k-1", "r");
  const Headers key{{"Idempotency-Key", "k-2"}};
  const std::string batch =
      R"({"operations":[{"token":"k-3","operation":"hold.confirm","params":{"id":")" + id +
      R"("}}]})";
  for (const auto& [method, target, body] :
       std::vector<std::array<std::string, 3>>{{"POST", "/v1/holds", holding("other")},
                                               {"POST", "/v1/holds/" + id + "/confirm", ""},
                                               {"POST", "/v1/holds/" + id + "/release", ""},
                                               {"POST", "/v1/holds/" + id + "/expire", ""},
                                               {"PUT", "/v1/resources/hall", R"({"capacity":2})"},
                                               {"POST", "/v1/batch", batch},
                                               {"GET", "/v1/holds", ""},
                                               {"GET", "/v1/holds/" + id, ""},
                                               {"GET", "/v1/resources", ""},
                                               {"GET", "/v1/resources/r", ""},
                                               {"GET", "/v1/tokens/k-1", ""},
                                               {"GET", "/v1/events", ""},
                                               {"GET", "/v1/evidence", ""},
                                               {"GET", "/v1/evidence/head", ""},
                                               {"GET", "/v1/evidence/1/proof", ""},
                                               {"GET", "/v1/audit", ""}}) {
    const Answered refused =
        call(method, target + "?dry_run=1", method == "GET" ? Headers{} : key, body);
    EXPECT_EQ(refused.status, 400) << target;
    EXPECT_EQ(Json(refused.body).text("/code"), "malformed-request") << target;
    EXPECT_EQ(Json(refused.body).text("/errors/0/pointer"), "?dry_run") << target;
  }
  EXPECT_EQ(records(), 1U);
  EXPECT_FALSE(is_used("k-2"));
  EXPECT_FALSE(is_used("k-3"));
}

TEST_F(Contract, AuditJudgesTheStoredRecords) {
  (void)placed("k-1", "r");
  const Json verdict(get("/v1/audit").body);
  EXPECT_TRUE(verdict.truth("/clean"));
  EXPECT_EQ(verdict.number("/records"), 1);
}

}  // namespace
}  // namespace holdfast::test
