// A module over HTTP: its operation, its reads, its events and its part of the contract.

#include <fmt/format.h>

#include "holdfast/client.hpp"
#include "modules/module_calls.hpp"
#include "openapi/document.hpp"
#include "support/http/checked_calls.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ModuleOverHttp : public HttpTest {
 protected:
  ModuleOverHttp() { start(); }
  /// What is answered must be what the contract says.
  Answered asked(const std::string& method, const std::string& target, const Headers& headers = {},
                 const std::string& body = {}) {
    Answered answered = HttpTest::call(method, target, headers, body);
    checked_.check({method, target, headers, body}, answered);
    return answered;
  }
  Answered get(const std::string& target) { return asked("GET", target); }
  Answered count(const std::string& name, const std::string& token, const std::string& body) {
    return asked("POST", "/v1/counters/" + name + "/add", {{"Idempotency-Key", token}}, body);
  }

  CheckedCalls checked_{http::openapi_json()};
};

TEST_F(ModuleOverHttp, answers_what_its_record_says) {
  const Answered answer = count("doors%2Fleft", "k", R"({"amount": 3, "lifetime": "PT15M"})");
  EXPECT_EQ(answer.status, 200);
  const Json json(answer.body);
  EXPECT_THAT(json.keys(""), ElementsAre("amount", "expires_at", "name", "value"));
  EXPECT_EQ(json.text("/name"), "doors/left");
  EXPECT_EQ(json.number("/value"), 3);
  const Answered again = count("doors%2Fleft", "k", R"({"amount": 3, "lifetime": 900})");
  EXPECT_EQ(again.body, answer.body);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
  EXPECT_EQ(count("doors%2Fleft", "k", R"({"amount": 4})").status, 409);
  const Answered token = get("/v1/tokens/k");
  EXPECT_EQ(Json(token.body).raw("/answer"), answer.body);
  EXPECT_EQ(Json(token.body).text("/operation"), "counter.add");
}

TEST_F(ModuleOverHttp, refuses_as_every_operation_does) {
  EXPECT_EQ(count("doors", "", R"({"amount": 3})").status, 400);
  EXPECT_EQ(count("doors", "k", R"({"amount": 0})").status, 422);
  EXPECT_EQ(count("doors", "k2", R"({"amount": "3"})").status, 400);
  EXPECT_EQ(count("doors", "k2", R"({})").status, 400);
  EXPECT_EQ(count("doors", "k2", R"({"amount": 1, "more": 1})").status, 400);
  EXPECT_EQ(HttpTest::get("/v1/counters/doors/add").status, 405);
}

TEST_F(ModuleOverHttp, shows_and_lists_its_rows) {
  EXPECT_EQ(get("/v1/counters/doors").status, 404);
  for (const char* name : {"doors%2Fb", "doors%2Fa", "windows%2Fa"})
    ASSERT_EQ(count(name, name, R"({"amount": 2, "lifetime": 60})").status, 200);
  EXPECT_EQ(Json(get("/v1/counters/doors%2Fa").body).number("/value"), 2);
  const Json page(get("/v1/counters?group=doors&limit=1").body);
  EXPECT_THAT(page.texts("/items", "name"), ElementsAre("doors/a"));
  const Json rest(get("/v1/counters?group=doors&limit=1&cursor=" + page.text("/next")).body);
  EXPECT_THAT(rest.texts("/items", "name"), ElementsAre("doors/b"));
  EXPECT_TRUE(rest.is_null("/next"));
  EXPECT_EQ(get("/v1/counters").status, 400);
  EXPECT_EQ(get("/v1/counters?group=doors&cursor=x").status, 400);
  EXPECT_EQ(get("/v1/counters?group=doors&limit=0").status, 400);
  clock_->advance(std::chrono::minutes(2));
  EXPECT_EQ(server_->service().sweep(), 3U);
  EXPECT_EQ(get("/v1/counters/doors%2Fa").body, R"({"name":"doors/a","value":0})");
}

TEST_F(ModuleOverHttp, takes_what_is_ready_and_removes) {
  const auto post = [&](const std::string& target, const std::string& token,
                        const std::string& body) {
    return asked("POST", target, {{"Idempotency-Key", token}}, body);
  };
  for (const char* name : {"keys%2Fb", "keys%2Fa"})
    post(std::string("/v1/things/") + name, name, "");
  const std::string two = R"({"tenant": "default", "count": 2, "pause": 60})";
  const Answered taken = post("/v1/pools/keys/take", "t", two);
  EXPECT_EQ(taken.status, 200);
  EXPECT_EQ(Json(taken.body).raw("/names"), R"(["keys/a","keys/b"])");
  EXPECT_EQ(Json(get("/v1/things/keys%2Fa").body).text("/ready_at"),
            Json(taken.body).text("/ready_at"));
  const Answered none = post("/v1/pools/keys/take", "t2", two);
  EXPECT_EQ(Json(none.body).raw("/names"), "[]");
  EXPECT_EQ(post("/v1/things/keys%2Fa/remove", "r", "").status, 200);
  EXPECT_EQ(post("/v1/things/keys%2Fa/remove", "r2", "").status, 404);
  EXPECT_EQ(get("/v1/things/keys%2Fa").status, 404);
  EXPECT_EQ(Json(get("/v1/events").body).text("/items/4/type"), "pool.removed");
  EXPECT_TRUE(Json(get("/v1/audit").body).truth("/clean"));
}

TEST_F(ModuleOverHttp, tells_events_in_the_words_of_its_records) {
  const std::string answer = count("doors", "k", R"({"amount": 3, "lifetime": 60})").body;
  clock_->advance(std::chrono::minutes(2));
  server_->service().sweep();
  const Json page(get("/v1/events").body);
  ASSERT_EQ(page.size("/items"), 2U);
  EXPECT_EQ(page.text("/items/0/type"), "counter.added");
  EXPECT_EQ(page.text("/items/0/subject"), "counter");
  EXPECT_EQ(page.text("/items/0/by"), "caller");
  EXPECT_EQ(page.raw("/items/0/data"), answer);
  EXPECT_EQ(page.text("/items/1/type"), "counter.reset");
  EXPECT_EQ(page.text("/items/1/by"), "sweeper");
  EXPECT_EQ(page.number("/items/1/data/value"), 0);
}

TEST_F(ModuleOverHttp, runs_in_batches_and_is_audited) {
  const Answered batch = asked("POST", "/v1/batch", {}, R"({"operations": [
      {"operation": "counter.add", "token": "a", "params": {"name": "doors", "amount": 2}},
      {"operation": "counter.add", "token": "b", "params": {"name": "doors", "amount": 3}}]})");
  EXPECT_EQ(batch.status, 200);
  EXPECT_THAT(batch.body, HasSubstr(R"("value":5)"));
  const Json verdict(get("/v1/audit").body);
  EXPECT_TRUE(verdict.truth("/clean"));
  EXPECT_THAT(get("/v1/audit").body, HasSubstr(R"({"id":"CNT-1",)"));
  EXPECT_EQ(Json(get("/v1/evidence").body).size("/items"), 2U);
}

TEST_F(ModuleOverHttp, is_asked_by_the_client_library) {
  auto client = holdfast::connect({.url = server_->address()});
  ASSERT_TRUE(client) << client.error().message;
  const Call call = add("doors/\u00e9 \"1\"", 3, "k");
  const Reply reply = client->submit(call);
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_THAT(*reply, done());
  EXPECT_EQ(object_in<counter::Said>(reply->document)->then.expires,
            counter_in(server_->service().store(), "doors/\u00e9 \"1\"")->expires);
  const Reply again = client->submit(call);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->document, reply->document);
  const auto token = client->token(Token("k"));
  ASSERT_TRUE(token && *token);
  EXPECT_EQ((*token)->answer.document, reply->document);
}

TEST_F(ModuleOverHttp, has_its_part_of_the_contract) {
  const Json contract{std::string(http::openapi_json())};
  EXPECT_TRUE(contract.has("/paths/~1v1~1counters~1{name}~1add/post"));
  EXPECT_TRUE(contract.has("/paths/~1v1~1counters~1{name}/get"));
  EXPECT_TRUE(contract.has("/paths/~1v1~1counters/get"));
  for (const char* schema :
       {"Counter", "CounterAdded", "CounterPage", "AddRequest", "AddParameters", "ModuleEvent"})
    EXPECT_TRUE(contract.has(std::string("/components/schemas/") + schema)) << schema;
  for (const char* parameter : {"CounterName", "CounterGroup"})
    EXPECT_TRUE(contract.has(std::string("/components/parameters/") + parameter)) << parameter;
  EXPECT_THAT(contract.raw("/components/schemas/Outcome"), HasSubstr("schemas/CounterAdded"));
  EXPECT_THAT(contract.raw("/components/schemas/Event"), HasSubstr("schemas/ModuleEvent"));
  EXPECT_THAT(contract.raw("/tags"), HasSubstr("counters"));
}

}  // namespace
}  // namespace holdfast::test
