// What can be asked besides what stands in the store: availability, dry runs, groups, lists by the
// beginning of a name.

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class QuestionsOverHttp : public HttpTest {
 protected:
  QuestionsOverHttp() { start(); }

  void declare_seats() {
    EXPECT_EQ(
        call("PUT", "/v1/resources/seats", {{"Idempotency-Key", "d"}}, R"({"capacity":9})").status,
        200);
  }
  [[nodiscard]] Answered tried(const std::string& body, const std::string& how = "true") const {
    return call("POST", "/v1/holds?dry_run=" + how, {}, body);
  }
  static constexpr const char* four =
      R"({"resource":"seats","requester":"q","duration":900,"quantity":4})";
};

TEST_F(QuestionsOverHttp, AvailabilityIsTheSumOfItsParts) {
  declare_seats();
  const std::string id = Json(place("p", four).body).text("/id");
  EXPECT_EQ(get("/v1/resources/seats/availability").body,
            R"({"resource":"seats","capacity":9,"held":4,"confirmed":0,"free":5,)"
            R"("next_expiry":"2026-01-01T00:15:00.000000Z"})");
  (void)call("POST", "/v1/holds/" + id + "/confirm", {{"Idempotency-Key", "c"}});
  EXPECT_EQ(get("/v1/resources/seats/availability").body,
            R"({"resource":"seats","capacity":9,"held":0,"confirmed":4,"free":5,)"
            R"("next_expiry":null})");
  EXPECT_EQ(Json(get("/v1/resources/never/availability").body).number("/free"), 1);
  EXPECT_EQ(get("/v1/resources/seats/availability?at=now").status, 400);
}

TEST_F(QuestionsOverHttp, ADryRunWritesNothingAndNeedsNoKey) {
  declare_seats();
  const Answered tried_ok = tried(four);
  EXPECT_EQ(tried_ok.status, 200);
  EXPECT_EQ(tried_ok.body,
            R"({"dry_run":true,"resource":"seats","requester":"q","quantity":4,"state":"held",)"
            R"("placed_at":"2026-01-01T00:00:00.000000Z",)"
            R"("expires_at":"2026-01-01T00:15:00.000000Z"})");
  EXPECT_EQ(Json(get("/v1/resources/seats").body).number("/in_use"), 0);
  EXPECT_EQ(place("p", four).status, 201);
  const std::string six = R"({"resource":"seats","requester":"q","duration":900,"quantity":6})";
  const Answered taken = tried(six);
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(Json(taken.body).text("/code"), "resource-unavailable");
  EXPECT_EQ(Json(taken.body).text("/token_action"), "reuse") << "there was none";
  EXPECT_EQ(tried(R"({"resource":"seats","requester":"q","duration":900,"quantity":10})").status,
            422);
  EXPECT_EQ(tried(R"({"resource":"seats"})").status, 400);
  EXPECT_EQ(tried(four, "yes").status, 400);
  EXPECT_EQ(call("POST", "/v1/holds?dry_run=false", {}, four).status, 400) << "a key is needed";
  EXPECT_EQ(call("POST", "/v1/holds?dry_run=false", {{"Idempotency-Key", "p2"}}, four).status, 201);
  EXPECT_EQ(call("POST", "/v1/groups?dry_run=true", {{"Idempotency-Key", "g"}}, "{}").status, 400);
}

TEST_F(QuestionsOverHttp, AGroupIsFoundByItsId) {
  const Answered placed =
      call("POST", "/v1/groups", {{"Idempotency-Key", "g"}},
           R"({"requester":"g","duration":"PT15M","holds":[{"resource":"a"},{"resource":"b"}]})");
  ASSERT_EQ(placed.status, 201);
  const std::string id = Json(placed.body).text("/id");
  EXPECT_EQ(placed.header("location"), "/v1/groups/" + id);
  const Answered shown = get("/v1/groups/" + id);
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(Json(shown.body).text("/id"), id);
  EXPECT_EQ(Json(shown.body).text("/holds/1/resource"), "b");
  EXPECT_EQ(Json(shown.body).text("/holds/1/group"), id);
  EXPECT_EQ(get("/v1/groups/g1-000000000000000").status, 404);
  EXPECT_EQ(get("/v1/groups/nonsense").status, 404);
  EXPECT_THAT(get("/v1/groups/nonsense").body, HasSubstr("not-known"));
}

TEST_F(QuestionsOverHttp, ListsByPrefixGoOnWithIt) {
  for (const char* const name : {"room_1", "room_2", "roof"}) {
    const std::string body = std::string(R"({"requester":"q","duration":900,"resource":")") + name;
    ASSERT_EQ(place(name, body + "\"}").status, 201);
  }
  const Answered first = get("/v1/holds?resource_prefix=room_&limit=1");
  EXPECT_EQ(Json(first.body).text("/items/0/resource"), "room_2");
  EXPECT_THAT(first.header("link"), HasSubstr("resource_prefix=room_"));
  const Answered resources = get("/v1/resources?prefix=room_");
  EXPECT_EQ(Json(resources.body).text("/items/1/name"), "room_1");
  EXPECT_EQ(resources.body.find("roof"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::test
