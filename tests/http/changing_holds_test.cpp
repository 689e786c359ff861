// Holds that change while they stand, and groups of them, over HTTP.

#include <fmt/format.h>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;

class ChangingHolds : public HttpTest {
 protected:
  ChangingHolds() { start(); }

  [[nodiscard]] Answered post(const std::string& target, const std::string& key,
                              const std::string& body = {}) const {
    return call("POST", target, {{"Idempotency-Key", key}}, body);
  }
  /// Its id.
  [[nodiscard]] std::string placed(int quantity) const {
    EXPECT_EQ(
        call("PUT", "/v1/resources/seats", {{"Idempotency-Key", "d"}}, R"({"capacity":9})").status,
        200);
    const std::string body = fmt::format(
        R"({{"resource":"seats","requester":"q","duration":900,"quantity":{}}})", quantity);
    return Json(place("p", body).body).text("/id");
  }
  [[nodiscard]] static std::string hold(const std::string& id, const std::string& verb) {
    return "/v1/holds/" + id + "/" + verb;
  }
  [[nodiscard]] static std::string group(const std::string& id, const std::string& verb) {
    return "/v1/groups/" + id + "/" + verb;
  }
  [[nodiscard]] std::int64_t in_use(const std::string& resource) const {
    return Json(get("/v1/resources/" + resource).body).number("/in_use");
  }
  static void expect_refused(const Answered& answered, int status, const std::string& code) {
    EXPECT_EQ(answered.status, status) << answered.body;
    EXPECT_EQ(Json(answered.body).text("/code"), code);
  }

  static constexpr const char* pair =
      R"({"requester":"g","duration":"PT15M","holds":[{"resource":"a"},{"resource":"b","quantity":1}]})";
};

TEST_F(ChangingHolds, ExtendingAnswersTheHoldWithItsNewExpiry) {
  const std::string id = placed(1);
  const Answered extended = post(hold(id, "extend"), "e", R"({"duration":"PT1H"})");
  EXPECT_EQ(extended.status, 200);
  EXPECT_EQ(Json(extended.body).text("/expires_at"), "2026-01-01T01:00:00.000000Z");
  const Answered again = post(hold(id, "extend"), "e", R"({"duration":3600})");
  EXPECT_EQ(again.body, extended.body);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
  clock_->advance(std::chrono::minutes(60));
  expect_refused(post(hold(id, "extend"), "late", R"({"duration":60})"), 409, "window-elapsed");
  EXPECT_EQ(
      Json(place("p", R"({"resource":"seats","requester":"q","duration":900,"quantity":1})").body)
          .text("/expires_at"),
      "2026-01-01T00:15:00.000000Z")
      << "the place is answered as it was";
}

TEST_F(ChangingHolds, ConfirmingAPartLeavesTheRestHeld) {
  const std::string id = placed(5);
  const Answered part = post(hold(id, "confirm"), "c1", R"({"quantity":2})");
  EXPECT_EQ(part.status, 200);
  EXPECT_EQ(Json(part.body).text("/state"), "held");
  EXPECT_EQ(Json(part.body).number("/quantity_confirmed"), 2);
  expect_refused(post(hold(id, "confirm"), "c2", R"({"quantity":4})"), 409, "quantity-exceeded");
  expect_refused(post(hold(id, "confirm"), "c3", R"({"quantity":0})"), 422, "invalid-request");
  const Json last(post(hold(id, "confirm"), "c4", R"({"quantity":1,"final":true})").body);
  EXPECT_EQ(last.text("/state"), "confirmed");
  EXPECT_EQ(last.number("/quantity_confirmed"), 3);
  EXPECT_EQ(last.number("/quantity_released"), 2);
  EXPECT_EQ(in_use("seats"), 3);
  EXPECT_EQ(post(hold(id, "confirm"), "c1", R"({"quantity":2})").body, part.body);
}

TEST_F(ChangingHolds, ConfirmingWithoutABodyOrWithAnEmptyOneIsTheSame) {
  const std::string id = placed(5);
  const Answered whole = post(hold(id, "confirm"), "c");
  EXPECT_EQ(Json(whole.body).number("/quantity_confirmed"), 5);
  EXPECT_EQ(post(hold(id, "confirm"), "c", "{}").header("idempotent-replayed"), "true");
  EXPECT_EQ(post(hold(id, "confirm"), "c", R"({"final":false})").header("idempotent-replayed"),
            "true");
  expect_refused(post(hold(id, "confirm"), "c", R"({"quantity":5})"), 409,
                 "protocol.idempotency_conflict");
}

TEST_F(ChangingHolds, CancellingGivesBackWhatWasConfirmedOnce) {
  const std::string id = placed(5);
  expect_refused(post(hold(id, "cancel"), "x0"), 409, "not-confirmed");
  ASSERT_EQ(post(hold(id, "confirm"), "c").status, 200);
  const Answered part = post(hold(id, "cancel"), "x1", R"({"quantity":2})");
  EXPECT_EQ(Json(part.body).number("/quantity_cancelled"), 2);
  EXPECT_EQ(in_use("seats"), 3);
  EXPECT_EQ(post(hold(id, "cancel"), "x1", R"({"quantity":2})").body, part.body);
  EXPECT_EQ(in_use("seats"), 3);
  expect_refused(post(hold(id, "cancel"), "x2", R"({"quantity":4})"), 409, "quantity-exceeded");
  EXPECT_EQ(post(hold(id, "cancel"), "x3").status, 200);
  EXPECT_EQ(in_use("seats"), 0);
  expect_refused(post(hold(id, "cancel"), "x4"), 409, "not-confirmed");
  expect_refused(post(hold("nonsense", "cancel"), "x5"), 404, "not-known");
}

TEST_F(ChangingHolds, AGroupIsPlacedWithEveryHoldInTheAnswer) {
  const Answered placed = post("/v1/groups", "g", pair);
  ASSERT_EQ(placed.status, 201) << placed.body;
  const Json answer(placed.body);
  const std::string id = answer.text("/id");
  EXPECT_EQ(id.substr(1), answer.text("/holds/0/id").substr(1));
  EXPECT_EQ(answer.texts("/holds", "resource"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(answer.texts("/holds", "group"), (std::vector<std::string>{id, id}));
  EXPECT_EQ(Json(get("/v1/holds/" + answer.text("/holds/1/id")).body).text("/group"), id);
  const Answered again = post("/v1/groups", "g", pair);
  EXPECT_EQ(again.body, placed.body);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
  const Json token(get("/v1/tokens/g").body);
  EXPECT_EQ(token.text("/operation"), "group.place");
  EXPECT_EQ(token.raw("/answer"), answer.raw(""));
}

TEST_F(ChangingHolds, AGroupThatDoesNotFitNamesEverythingThatWasShort) {
  ASSERT_EQ(post("/v1/groups", "g", pair).status, 201);
  const Answered taken = post("/v1/groups", "h", pair);
  expect_refused(taken, 409, "resource-unavailable");
  const Json problem(taken.body);
  EXPECT_EQ(problem.texts("/short", "resource"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(problem.number("/short/0/asked"), 1);
  EXPECT_EQ(problem.number("/short/0/free"), 0);
  EXPECT_EQ(post("/v1/groups", "h", pair).body, taken.body);
  EXPECT_EQ(Json(get("/v1/holds").body).size("/items"), 2U);
}

TEST_F(ChangingHolds, AGroupIsExtendedConfirmedAndReleasedTogether) {
  const std::string id = Json(post("/v1/groups", "g", pair).body).text("/id");
  const Answered extended = post(group(id, "extend"), "e", R"({"duration":"PT1H"})");
  EXPECT_EQ(Json(extended.body).texts("/holds", "expires_at"),
            (std::vector<std::string>(2, "2026-01-01T01:00:00.000000Z")));
  const Answered confirmed = post(group(id, "confirm"), "c");
  EXPECT_EQ(Json(confirmed.body).texts("/holds", "state"),
            (std::vector<std::string>(2, "confirmed")));
  EXPECT_EQ(post(group(id, "extend"), "e", R"({"duration":"PT1H"})").body, extended.body);
  expect_refused(post(group(id, "release"), "r"), 409, "not-held");
  const std::string first = Json(confirmed.body).text("/holds/0/id");
  ASSERT_EQ(post(hold(first, "cancel"), "x").status, 200);
  EXPECT_EQ(post(group(id, "confirm"), "c").body, confirmed.body) << "as it stood then";
  EXPECT_EQ(in_use("a"), 0);
  EXPECT_EQ(in_use("b"), 1);
  expect_refused(post(group("nonsense", "confirm"), "n"), 404, "not-known");
  expect_refused(post(group(first, "confirm"), "f"), 404, "not-known");
}

TEST_F(ChangingHolds, BatchesDoTheSame) {
  const std::string id = placed(5);
  const auto batch = [&] {
    return call("POST", "/v1/batch", {},
                fmt::format(R"({{"operations":[
      {{"token":"1","operation":"hold.extend","params":{{"id":"{0}","duration":3600}}}},
      {{"token":"2","operation":"hold.confirm","params":{{"id":"{0}","quantity":2}}}},
      {{"token":"3","operation":"hold.cancel","params":{{"id":"{0}"}}}},
      {{"token":"4","operation":"group.place","params":{1}}},
      {{"token":"5","operation":"group.place","params":{1}}},
      {{"token":"2","operation":"hold.confirm","params":{{"id":"{0}","quantity":2}}}},
      {{"token":"6","operation":"hold.extend","params":{{"id":"{0}"}}}},
      {{"token":"7","operation":"group.place","params":{{"requester":"q","duration":1,"holds":[7]}}}}]}})",
                            id, pair));
  };
  const Json first(batch().body);
  const std::vector<int> statuses{200, 200, 200, 201, 409, 200, 400, 400};
  for (std::size_t i = 0; i < statuses.size(); ++i)
    EXPECT_EQ(first.number(fmt::format("/results/{}/status", i)), statuses[i]) << i;
  EXPECT_EQ(first.raw("/results/1/body"), first.raw("/results/5/body"));
  EXPECT_EQ(first.text("/results/6/body/errors/0/pointer"), "/operations/6/params/duration");
  EXPECT_EQ(first.text("/results/7/body/errors/0/pointer"), "/operations/7/params/holds/0");
  const Json again(batch().body);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(again.raw(fmt::format("/results/{}/body", i)),
              first.raw(fmt::format("/results/{}/body", i)));
    EXPECT_TRUE(again.truth(fmt::format("/results/{}/replayed", i)));
  }
}

TEST_F(ChangingHolds, NothingOfItIsVisibleToAnotherTenant) {
  const std::string id = Json(post("/v1/groups", "g", pair).body).text("/id");
  const std::string member = Json(post("/v1/groups", "g", pair).body).text("/holds/0/id");
  const Headers stranger = with_key(new_key("north", "carol", http::Role::operator_role));
  for (const std::string& target :
       {group(id, "confirm"), group(id, "release"), hold(member, "cancel")}) {
    Headers headers = stranger;
    headers.push_back({"Idempotency-Key", target});
    EXPECT_EQ(call("POST", target, headers).status, 404) << target;
  }
}

}  // namespace
}  // namespace holdfast::test
