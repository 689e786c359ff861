#include "cli/runner.hpp"
#include "holdfast/holdfast.hpp"
#include "wire/body.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Refusals : public CliTest {
 protected:
  void expect_problem(const Json& json, Rejection rejection, const std::string& token_action) {
    const RejectionRow& wanted = row(rejection);
    EXPECT_EQ(json.number("/status"), wanted.http_status);
    EXPECT_EQ(json.number("/answer/status"), wanted.http_status);
    EXPECT_EQ(json.text("/answer/code"), row(rejection).code);
    EXPECT_EQ(json.text("/answer/type"), "urn:holdfast:problem:" + std::string(wanted.name));
    EXPECT_EQ(json.text("/answer/title"), wanted.title);
    EXPECT_FALSE(json.text("/answer/detail").empty());
    EXPECT_EQ(json.truth("/answer/retryable"), wanted.retryable);
    EXPECT_EQ(json.text("/answer/token_action"), token_action);
    EXPECT_EQ(json.has("/answer/effect"), wanted.recorded == Recorded::never);
  }
};

TEST_F(Refusals, InvalidRequest) {
  this->json({"resource", "seats", "--capacity", "2"});  // else there is no store to record it in
  const Json json = this->json({"hold", "room", "guest", "400d"}, 10);
  expect_problem(json, Rejection::invalid_request, "new");
  EXPECT_EQ(json.text("/answer/errors/0/pointer"), "/duration");
  EXPECT_EQ(json.text("/answer/reason"), "duration-bounds");
  EXPECT_FALSE(json.text("/answer/errors/0/detail").empty());
  EXPECT_EQ(this->json({"hold", " ", "g", "1h"}, 10).text("/answer/errors/0/pointer"), "/resource");
  EXPECT_EQ(this->json({"hold", "r", "", "1h"}, 10).text("/answer/errors/0/pointer"), "/requester");
  for (const char* quantity : {"0", "-3", "9007199254740992", "99999999999999999999"}) {
    const Json refused = this->json({"hold", "r", "g", "1h", "--quantity", quantity}, 10);
    EXPECT_EQ(refused.text("/answer/errors/0/pointer"), "/quantity") << quantity;
    EXPECT_EQ(refused.text("/answer/reason"), "quantity-bounds") << quantity;
  }
  for (const char* duration : {"0s", "-5m", "99999999999d", "-99999999999d"}) {
    const Json refused = this->json({"hold", "r", "g", duration}, 10);
    EXPECT_EQ(refused.text("/answer/errors/0/pointer"), "/duration") << duration;
    EXPECT_EQ(refused.text("/answer/reason"), "duration-bounds") << duration;
  }
  this->json({"hold", "r", "g", "--", "-PT5M"}, 10);
  EXPECT_EQ(this->json({"list"}).size("/answer/items"), 0U);
}

TEST_F(Refusals, AMalformedTokenIsNotUsedUp) {
  for (const std::string& token : {std::string(), std::string(257, 'x')}) {
    const Json json = this->json({"hold", "room", "guest", "1h", "--token", token}, 10);
    expect_problem(json, Rejection::invalid_request, "reuse");
    EXPECT_EQ(json.text("/answer/errors/0/pointer"), "/token");
    EXPECT_EQ(json.text("/answer/reason"), "token-size");
    EXPECT_EQ(json.text("/token"), token);
  }
  json({"hold", "room", "guest", "1h", "--token", std::string(256, 'x')});
}

TEST_F(Refusals, ResourceUnavailable) {
  placed("room");
  expect_problem(json({"hold", "room", "other", "1h"}, 11), Rejection::resource_unavailable, "new");
}

TEST_F(Refusals, NotKnown) {
  const std::string id = placed("room");
  const std::string stranger = "h7-0f3c9d1e5b7a842";
  for (const char* command : {"confirm", "release", "expire"}) {
    const Json json = this->json({command, stranger}, 12);
    expect_problem(json, Rejection::not_known, "new");
  }
  expect_problem(json({"show", stranger}, 12), Rejection::not_known, "reuse");
  const Json nonsense = json({"confirm", "rm_b4c", "--token", "t"}, 12);
  expect_problem(nonsense, Rejection::not_known, "reuse");
  EXPECT_EQ(nonsense.text("/token"), "t");
  EXPECT_THAT(nonsense.text("/answer/detail"), HasSubstr("rm_b4c"));
  json({"confirm", id, "--token", "t"});
}

TEST_F(Refusals, NotHeldSaysTheState) {
  const std::string id = placed("room");
  json({"confirm", id});
  for (const char* command : {"confirm", "release", "expire"}) {
    const Json json = this->json({command, id}, 13);
    expect_problem(json, Rejection::not_held, "new");
    EXPECT_EQ(json.text("/answer/state"), "confirmed");
  }
}

TEST_F(Refusals, WindowElapsed) {
  const std::string id = placed("room", "1ms");
  expect_problem(json({"confirm", id}, 14), Rejection::window_elapsed, "new");
  expect_problem(json({"release", id}, 14), Rejection::window_elapsed, "new");
}

TEST_F(Refusals, WindowNotElapsed) {
  expect_problem(json({"expire", placed("room")}, 15), Rejection::window_not_elapsed, "new");
}

TEST_F(Refusals, TokenCollision) {
  json({"hold", "room", "guest", "1h", "--token", "t"});
  const Json json = this->json({"hold", "room", "guest", "2h", "--token", "t"}, 16);
  expect_problem(json, Rejection::token_collision, "new");
  EXPECT_EQ(json.text("/answer/code"), "protocol.idempotency_conflict");
  EXPECT_FALSE(json.truth("/replayed"));
  EXPECT_THAT(run({"hold", "room", "guest", "2h", "--token", "t"}).err,
              HasSubstr("holdfast token t"));
}

TEST_F(Refusals, CapacityInUse) {
  json({"resource", "flight", "--capacity", "5"});
  json({"hold", "flight", "guest", "1h", "--quantity", "4"});
  expect_problem(json({"resource", "flight", "--capacity", "3"}, 17), Rejection::capacity_in_use,
                 "new");
}

TEST_F(Refusals, StoreInUse) {
  const auto owner = open({.store = store()});
  ASSERT_TRUE(owner) << owner.error().message;
  const Json json = this->json({"hold", "room", "guest", "1h", "--token", "t"}, 1);
  EXPECT_EQ(json.text("/answer/code"), "store-unavailable");
  EXPECT_EQ(json.text("/answer/token_action"), "reuse");
  EXPECT_EQ(json.text("/answer/effect"), "none");
  EXPECT_EQ(json.text("/token"), "t");
  const Ran ran = run({"hold", "room", "guest", "1h"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("in use by process " + std::to_string(::getpid())));
}

TEST(Bodies, OfWhatTheCommandLineCannotBeMadeToAnswer) {
  Answer answer;
  answer.operation = Operation::hold_place;
  answer.token = "t";
  answer.rejection = Rejection::in_progress;
  EXPECT_EQ(Json(answer_body(answer)).text("/code"), "protocol.idempotency_in_flight");
  answer.rejection = Rejection::store_unavailable;
  answer.note = "disk \xff gone";
  EXPECT_THAT(Json(answer_body(answer)).text("/detail"), HasSubstr("disk \uFFFD gone"));
  EXPECT_EQ(http_status(answer), 503);
  answer.note.clear();
  answer.rejection = Rejection::confirmation_required;
  answer.confirmation = "c0de";
  answer.confirmation_expires = Instant(std::chrono::seconds(1));
  const Json json(answer_body(answer));
  EXPECT_EQ(json.text("/confirmation"), "c0de");
  EXPECT_EQ(json.text("/confirmation_expires"), "1970-01-01T00:00:01.000000Z");
  for (const RejectionRow& each : rejection_table) {
    answer.rejection = each.id;
    EXPECT_EQ(Json(answer_body(answer)).number("/status"), each.http_status) << each.name;
  }
}

TEST(Bodies, EndAtNoInstantThatNeverComes) {
  TokenResult result;
  result.answer.operation = Operation::resource_declare;
  result.answer.resource = Resource{.name = "r", .capacity = 2, .declared = true};
  result.answer.token_expires = never;
  std::string body;
  JsonWriter json(body);
  write_token_result(json, result);
  EXPECT_TRUE(Json(body).is_null("/forgotten_at"));
}

}  // namespace
}  // namespace holdfast::test
