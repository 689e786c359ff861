// Bodies and keys that cannot be accepted: refused with a pointer, nothing recorded, token unused.

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

class Bodies : public HttpTest {
 protected:
  Bodies() { start(); }

  /// Refused as malformed, pointing there, and leaves no trace.
  void expect_malformed(const std::string& body, const std::string& pointer) const {
    const Answered refused = place("k-1", body);
    EXPECT_EQ(refused.status, 400) << body;
    const Json problem(refused.body);
    EXPECT_EQ(problem.text("/code"), "malformed-request") << body;
    EXPECT_EQ(problem.text("/token_action"), "reuse") << body;
    ASSERT_TRUE(problem.has("/errors/0")) << refused.body;
    EXPECT_EQ(problem.text("/errors/0/pointer"), pointer) << refused.body;
    EXPECT_NE(problem.text("/errors/0/detail"), "") << body;
  }
};

TEST_F(Bodies, OfTheWrongShapeLeaveTheTokenUsable) {
  expect_malformed("", "");
  expect_malformed("{", "");
  expect_malformed("[]", "");
  expect_malformed("null", "");
  expect_malformed("\"text\"", "");
  expect_malformed(holding("r") + "x", "");
  expect_malformed(R"({"requester":"q","duration":1})", "/resource");
  expect_malformed(R"({"resource":"r","duration":1})", "/requester");
  expect_malformed(R"({"resource":"r","requester":"q"})", "/duration");
  expect_malformed(R"({"resource":7,"requester":"q","duration":1})", "/resource");
  expect_malformed(R"({"resource":null,"requester":"q","duration":1})", "/resource");
  expect_malformed(R"({"resource":"r","requester":["q"],"duration":1})", "/requester");
  expect_malformed(R"({"resource":"r","requester":"q","duration":"15 minutes"})", "/duration");
  expect_malformed(R"({"resource":"r","requester":"q","duration":"15m"})", "/duration");
  expect_malformed(R"({"resource":"r","requester":"q","duration":true})", "/duration");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1e300})", "/duration");
  expect_malformed(R"({"resource":"r","requester":"q","duration":0.00000001})", "/duration");
  expect_malformed(R"({"resource":"r","requester":"q","duration":86400.0000005})", "/duration");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1,"quantity":"1"})", "/quantity");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1,"quantity":1.5})", "/quantity");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1,"quantity":1e30})", "/quantity");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1,"quantity":9007199254740993})",
                   "/quantity");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1,"colour":"red"})", "/colour");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1,"a/b~c":1})", "/a~1b~0c");
  EXPECT_FALSE(is_used("k-1"));
  EXPECT_EQ(records(), 0U);
  EXPECT_EQ(place("k-1", holding("r")).status, 201);
}

TEST_F(Bodies, WithDuplicateMembers) {
  expect_malformed(R"({"resource":"r","resource":"r","requester":"q","duration":1})", "/resource");
  expect_malformed(R"({"resource":"r","requester":"q","duration":1,"\u0072esource":"s"})",
                   "/resource");
  EXPECT_EQ(records(), 0U);
}

TEST_F(Bodies, WithTextThatIsNone) {
  expect_malformed("{\"resource\":\"\xff\",\"requester\":\"q\",\"duration\":1}", "");
  expect_malformed(R"({"resource":"a\u0000b","requester":"q","duration":1})", "/resource");
  expect_malformed(std::string("{\"resource\":\"a\0b\",\"requester\":\"q\",\"duration\":1}", 46),
                   "");
  expect_malformed(R"({"resource":"\ud800","requester":"q","duration":1})", "");
  const Answered low = place("k-1", R"({"resource":"\udc00","requester":"q","duration":1})");
  EXPECT_EQ(low.status, 400);
  expect_malformed("{\"resource\":\"a\nb\",\"requester\":\"q\",\"duration\":1}", "");
  EXPECT_EQ(records(), 0U);
}

TEST_F(Bodies, WithNumbersThatProgramsDisagreeOn) {
  for (const char* number : {"1e400", "-1e400", "123456789012345678901234567890", "NaN", "01", "+1",
                             "1.", ".5", "0x10", "Infinity"}) {
    const Answered refused =
        place("k-1", std::string(R"({"resource":"r","requester":"q","duration":1,"quantity":)") +
                         number + "}");
    EXPECT_EQ(refused.status, 400) << number;
    EXPECT_TRUE(Json(refused.body).has("/errors/0/pointer")) << number;
  }
  EXPECT_EQ(records(), 0U);
}

/// RFC 7493, 2.2: more digits than a double has would be rounded without a word.
TEST_F(Bodies, WithNumbersThatWouldBeRounded) {
  const auto with = [&](const std::string& duration, const std::string& quantity) {
    return R"({"resource":"r \"9.99999999999999999999\\","requester":"q","duration":)" + duration +
           R"(,"quantity":)" + quantity + "}";
  };
  for (const auto& [duration, quantity] : {std::pair{"60", "0.99999999999999999999"},
                                           {"1.00000000000000000001", "1"},
                                           {"60", "1e-400"},
                                           {"60", "1.00000000000000000001e0"},
                                           {"60", "0.99999999999999999"},
                                           {"60", "1.0000000000000001"},
                                           {"60.000000000000001", "1"}}) {
    expect_malformed(with(duration, quantity), "");
    const Answered batch =
        call("POST", "/v1/batch", {},
             R"({"operations":[{"token":"k-1","operation":"hold.place","params":)" +
                 with(duration, quantity) + "}]}");
    EXPECT_EQ(batch.status, 400) << duration << " " << quantity;
  }
  EXPECT_EQ(records(), 0U);
  EXPECT_EQ(place("k-1", with("60.500000000000000000000", "1.0")).status, 201);
  EXPECT_EQ(place("k-2", R"({"resource":"s","requester":"q","duration":6e1,"quantity":1})").status,
            201);
}

TEST_F(Bodies, NestedTooDeeply) {
  const auto detail = [&](int depth, std::string deep = "1") {
    for (int i = 0; i < depth; ++i) deep = R"({"a":)" + deep + "}";
    const Answered refused = place("k-1", deep);
    EXPECT_EQ(refused.status, 400);
    return Json(refused.body).text("/detail");
  };
  EXPECT_THAT(detail(32), testing::Not(testing::HasSubstr("nested")));
  EXPECT_THAT(detail(33), testing::HasSubstr("nested deeper than 32"));
  EXPECT_THAT(detail(5000), testing::HasSubstr("nested deeper than 32"));
  for (const char* empty : {"[]", "{}", "[ ]", "[1,{}]"}) {
    EXPECT_THAT(detail(30, empty), testing::Not(testing::HasSubstr("nested"))) << empty;
    EXPECT_THAT(detail(32, empty), testing::HasSubstr("nested deeper than 32")) << empty;
  }
  EXPECT_THAT(detail(31, "[]"), testing::Not(testing::HasSubstr("nested")));
  EXPECT_THAT(detail(31, "[1,{}]"), testing::HasSubstr("nested deeper than 32"));
  expect_malformed(std::string(30'000, '['), "");
}

TEST_F(Bodies, AMegabyteOfBracketsIsRefusedAndHurtsNobody) {
  for (const char bracket : {'[', '{', ']'}) {
    const Answered refused = call("POST", "/v1/batch", {}, std::string(1024 * 1024, bracket));
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(Json(refused.body).text("/code"), "malformed-request");
  }
  const std::string start = R"({"operations":)";
  EXPECT_EQ(
      call("POST", "/v1/batch", {}, start + std::string(1024 * 1024 - start.size(), '[')).status,
      400);
  EXPECT_EQ(records(), 0U);
  EXPECT_EQ(place("k-1", holding("r")).status, 201);
}

TEST_F(Bodies, EveryMistakeIsNamedAtOnce) {
  const Answered refused = place("k-1", R"({"resource":7,"quantity":"x","nope":1})");
  EXPECT_EQ(Json(refused.body).size("/errors"), 5U) << refused.body;
}

TEST_F(Bodies, SensibleShapesWithSenselessValuesAreTheEnginesToRefuse) {
  const Answered blank = place("k-1", R"({"resource":" ","requester":"q","duration":1})");
  EXPECT_EQ(blank.status, 422);
  EXPECT_EQ(Json(blank.body).text("/code"), "invalid-request");
  EXPECT_EQ(Json(blank.body).text("/errors/0/pointer"), "/resource");
  EXPECT_EQ(Json(blank.body).text("/token_action"), "new");
  EXPECT_EQ(Json(blank.body).text("/reason"), "resource-blank");
  EXPECT_FALSE(Json(blank.body).has("/effect")) << "that is the outcome";
  EXPECT_TRUE(is_used("k-1"));
  EXPECT_EQ(place("k-2", R"({"resource":"r","requester":"q","duration":0})").status, 422);
  EXPECT_EQ(place("k-3", R"({"resource":"r","requester":"q","duration":-1})").status, 422);
  EXPECT_EQ(place("k-4", R"({"resource":"r","requester":"q","duration":1,"quantity":2})").status,
            422);
  EXPECT_EQ(place("k-5", R"({"resource":"r","requester":"q","duration":1,"quantity":-1})").status,
            422);
}

TEST_F(Bodies, DurationsInBothForms) {
  const Answered text = place("k-1", R"({"resource":"a","requester":"q","duration":"PT1.5S"})");
  const Answered number = place("k-1", R"({"resource":"a","requester":"q","duration":1.5})");
  EXPECT_EQ(text.status, 201);
  EXPECT_EQ(number.body, text.body);
  EXPECT_EQ(Json(text.body).text("/expires_at"), "2026-01-01T00:00:01.500000Z");
}

TEST_F(Bodies, KeysInBothSpellingsAreOneToken) {
  const Answered bare = place("k-1", holding("r"));
  const Answered quoted = place("\"k-1\"", holding("r"));
  EXPECT_EQ(quoted.body, bare.body);
  EXPECT_EQ(quoted.header("idempotent-replayed"), "true");
  EXPECT_EQ(quoted.header("idempotency-key"), "\"k-1\"");
  EXPECT_EQ(place(R"("a\"b\\c")", holding("s")).status, 201);
  EXPECT_TRUE(is_used("a%22b%5Cc"));
}

TEST_F(Bodies, KeysMissingMalformedOrTwice) {
  const Answered missing = call("POST", "/v1/holds", {}, holding("r"));
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(Json(missing.body).text("/code"), "protocol.idempotency_key_missing");
  for (const std::string& key :
       {std::string(), std::string(257, 'k'), std::string("\"open"), std::string("\"a\"b\""),
        std::string("\"a\\b\""), std::string("\"\""), std::string("caf\xc3\xa9"),
        std::string("tab\there")}) {
    const Answered invalid = place(key, holding("r"));
    EXPECT_EQ(invalid.status, 400) << key;
    EXPECT_EQ(Json(invalid.body).text("/code"), "protocol.idempotency_key_invalid") << key;
  }
  const Answered twice = place("k-1", holding("r"), {{"Idempotency-Key", "k-1"}});
  EXPECT_EQ(Json(twice.body).text("/code"), "protocol.idempotency_key_invalid");
  EXPECT_EQ(records(), 0U);
  EXPECT_EQ(place(std::string(256, 'k'), holding("r")).status, 201);
  // The key is looked at before the body.
  EXPECT_EQ(Json(call("POST", "/v1/holds", {}, "{").body).text("/code"),
            "protocol.idempotency_key_missing");
}

TEST_F(Bodies, NoncesAndConfirmationsAreSentOnce) {
  for (const char* name : {"X-Nonce", "X-Confirmation"}) {
    const Answered refused = place("k-1", holding("room_307"), {{name, "a"}, {name, "b"}});
    EXPECT_EQ(refused.status, 400) << name;
    EXPECT_EQ(refused.header("idempotency-key"), "k-1");
    EXPECT_EQ(refused.header("idempotent-replayed"), "false");
  }
  EXPECT_FALSE(is_used("k-1"));
}

TEST_F(Bodies, ResolvingTakesNoneOrAnEmptyOne) {
  const std::string id = Json(place("k-1", holding("r")).body).text("/id");
  const std::string confirm = "/v1/holds/" + id + "/confirm";
  EXPECT_EQ(call("POST", confirm, {{"Idempotency-Key", "c-1"}}, R"({"id":1})").status, 400);
  EXPECT_EQ(call("POST", confirm, {{"Idempotency-Key", "c-1"}}, "{}").status, 200);
  EXPECT_EQ(call("POST", confirm, {{"Idempotency-Key", "c-1"}}).header("idempotent-replayed"),
            "true");
}

TEST_F(Bodies, ABatchNamesTheCallsWithoutAToken) {
  const Json batch(
      call("POST", "/v1/batch", {},
           R"({"operations":[{"operation":"hold.place","params":)" + holding("a") + "}]}")
          .body);
  EXPECT_EQ(batch.number("/results/0/status"), 400);
  EXPECT_EQ(batch.text("/results/0/body/code"), "protocol.idempotency_key_missing");
}

/// What is recorded under a token must be found again by one that a header can carry.
TEST_F(Bodies, TokensOfABatchAreHeldToTheRulesOfKeys) {
  for (const std::string token : {"", "caf\xc3\xa9", "a\x7f", "a\\n", "a\\u0000"}) {
    const Json batch(call("POST", "/v1/batch", {},
                          R"({"operations":[{"token":")" + token +
                              R"(","operation":"hold.place","params":)" + holding("a") + "}]}")
                         .body);
    EXPECT_EQ(batch.number("/results/0/status"), 400) << token;
    EXPECT_EQ(batch.text("/results/0/body/errors/0/pointer"), "/operations/0/token") << token;
    EXPECT_EQ(batch.text("/results/0/body/detail"), batch.text("/results/0/body/errors/0/detail"));
  }
  EXPECT_EQ(records(), 0U);
}

}  // namespace
}  // namespace holdfast::test
