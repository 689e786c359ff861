#include <fmt/format.h>

#include "client/fixture.hpp"
#include "support/json.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Batches : public FakeServerTest {
 protected:
  static ServerStep results(const std::vector<std::string>& results) {
    return answer(200, fmt::format(R"({{"results":[{}]}})", fmt::join(results, ",")));
  }
  static std::string held(bool replayed = false) {
    return fmt::format(R"({{"status":201,"replayed":{},"body":{}}})", replayed, held_body());
  }
  static std::string refusal(int status, const std::string& code, bool retryable,
                             const std::string& token_action) {
    return fmt::format(
        R"({{"status":{},"replayed":false,"body":{{"detail":"D.","code":"{}","retryable":{},)"
        R"("token_action":"{}"}}}})",
        status, code, retryable, token_action);
  }
  /// The tokens of the operations in a request.
  static std::vector<std::string> tokens_in(const Seen& seen) {
    return Json(seen.body).texts("/operations", "token");
  }
  static std::vector<Call> calls(int count) {
    std::vector<Call> calls;
    for (int i = 0; i < count; ++i) calls.push_back(test::place(stay, fmt::format("t{}", i)));
    return calls;
  }
};

TEST_F(Batches, AreOneRequest) {
  script({results({held(), held(true), refusal(409, "resource-unavailable", true, "new")})});
  Call confirming = confirm(held_id, "t1");
  confirming.nonce = "n";
  const auto replies =
      client().submit({test::place(stay, "t0"), confirming, declare("r", 2, "t2")});
  ASSERT_THAT(replies, SizeIs(3));
  EXPECT_THAT(replies[0], is_done());
  EXPECT_EQ(replies[0]->token, "t0");
  EXPECT_TRUE(replies[1]->replayed);
  EXPECT_THAT(*replies[2], refused(Rejection::resource_unavailable));
  const std::vector<Seen> seen = server_.seen();
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].target, "/v1/batch");
  const Json json(seen[0].body);
  EXPECT_EQ(json.raw("/operations/0"),
            R"({"token":"t0","operation":"hold.place","params":{"resource":"room_307",)"
            R"("requester":"guest_g91","duration":"PT86400S","quantity":1}})");
  EXPECT_EQ(json.raw("/operations/1"),
            R"({"token":"t1","operation":"hold.confirm","params":{"id":")" + held_id.text() +
                R"("},"nonce":"n"})");
  EXPECT_EQ(
      json.raw("/operations/2"),
      R"({"token":"t2","operation":"resource.declare","params":{"resource":"r","capacity":2}})");
}

TEST_F(Batches, OfNothingAskNobody) {
  EXPECT_THAT(client().submit(std::vector<Call>{}), IsEmpty());
  EXPECT_THAT(server_.seen(), IsEmpty());
}

TEST_F(Batches, SendAgainOnlyWhatHasNoAnswer) {
  script({results({held(), refusal(503, "overloaded", true, "reuse"),
                   refusal(400, "malformed-request", false, "reuse"),
                   refusal(409, "protocol.idempotency_in_flight", true, "reuse")}),
          hang_up(), results({held(), held(true)})});
  const auto replies = client().submit(calls(4));
  EXPECT_THAT(replies[0], is_done());
  EXPECT_THAT(replies[1], is_done());
  EXPECT_THAT(replies[2], is_refused(400, "malformed-request"));
  EXPECT_THAT(replies[3], is_done());
  const std::vector<Seen> seen = server_.seen();
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_THAT(tokens_in(seen[0]), ElementsAre("t0", "t1", "t2", "t3"));
  EXPECT_THAT(tokens_in(seen[1]), ElementsAre("t1", "t3"));
  EXPECT_THAT(tokens_in(seen[2]), ElementsAre("t1", "t3"));
}

TEST_F(Batches, EndEachCallOnItsOwn) {
  ClientOptions impatient = options();
  impatient.attempts_max = 2;
  script({results({held(), refusal(503, "overloaded", true, "reuse")}), hang_up()});
  auto replies = client(impatient).submit(calls(2));
  EXPECT_THAT(replies[0], is_done());
  ASSERT_THAT(replies[1], is_unknown());
  EXPECT_EQ(replies[1].error().attempts, 2U);
  EXPECT_EQ(replies[1].error().call.token, Token("t1"));
  script({answer(201, held_body())});
  EXPECT_THAT(client(impatient).resume(replies[1].error()), is_done());
}

TEST_F(Batches, AreRefusedAsAWhole) {
  script({problem(401, "unauthenticated", false, "reuse")});
  const auto replies = client().submit(calls(2));
  for (const Reply& each : replies) EXPECT_THAT(each, is_refused(401, "unauthenticated"));
}

TEST_F(Batches, DoNotBelieveAnAnswerOfAnotherLength) {
  script({results({held()}), answer(200, "[]"), results({held(), held()})});
  for (const Reply& each : client().submit(calls(2))) EXPECT_THAT(each, is_done());
  EXPECT_THAT(server_.seen(), SizeIs(3));
}

TEST_F(Batches, AnswerHereWhatCannotBeSent) {
  script({results({held()})});
  const auto replies = client().submit({test::place(stay, "\n"), test::place(stay, "t")});
  EXPECT_THAT(replies[0], is_refused(400, "protocol.idempotency_key_invalid"));
  EXPECT_THAT(replies[1], is_done());
}

TEST_F(Batches, AreCutIntoWhatAServerTakes) {
  const ServerStep as_many = {.bytes = [](const Seen& seen) {
    return results(std::vector<std::string>(tokens_in(seen).size(), held())).bytes(seen);
  }};
  script(std::vector<ServerStep>(10, as_many));
  const Placing wordy{
      .resource = std::string(1000, 'r'), .requester = std::string(1000, 'q'), .duration = 1h};
  for (const auto& [each, requests] :
       {std::pair(test::place(stay, "t"), 2U), std::pair(test::place(wordy, "t"), 3U)}) {
    const std::size_t before = server_.seen().size();
    const auto count = requests == 2 ? 10'001U : 1'000U;
    const auto replies = client().submit(std::vector<Call>(count, each));
    ASSERT_THAT(replies, SizeIs(count));
    for (const Reply& reply : replies) ASSERT_THAT(reply, is_done());
    EXPECT_EQ(server_.seen().size() - before, requests);
    for (const Seen& seen : server_.seen()) EXPECT_LE(seen.body.size(), 1U << 20U);
  }
}

}  // namespace
}  // namespace holdfast::test
