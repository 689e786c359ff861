// What is sent, and what becomes of it.

#include "client/fixture.hpp"
#include "wire/body.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Answers : public FakeServerTest {};

TEST_F(Answers, FollowTheCallsOnTheirAddresses) {
  script(std::vector<ServerStep>(5, problem(401, "unauthenticated", false, "reuse")));
  Client rooms = client();
  (void)rooms.place({.resource = "r", .requester = "q", .duration = 1500ms, .quantity = 2});
  (void)rooms.confirm(held_id);
  (void)rooms.release(held_id);
  (void)rooms.expire(held_id);
  (void)rooms.declare("a/b", 3);
  const std::vector<Seen> seen = server_.seen();
  ASSERT_THAT(seen, SizeIs(5));
  EXPECT_EQ(seen[0].method + seen[0].target, "POST/v1/holds");
  EXPECT_EQ(seen[0].body,
            R"({"resource":"r","requester":"q","duration":"PT1.500000S","quantity":2})");
  EXPECT_EQ(seen[1].method + seen[1].target, "POST/v1/holds/" + held_id.text() + "/confirm");
  EXPECT_EQ(seen[2].target, "/v1/holds/" + held_id.text() + "/release");
  EXPECT_EQ(seen[3].target, "/v1/holds/" + held_id.text() + "/expire");
  EXPECT_EQ(seen[4].method + seen[4].target, "PUT/v1/resources/a%2Fb");
  EXPECT_EQ(seen[4].body, R"({"capacity":3})");
}

TEST_F(Answers, AreAskedForWithKeyNonceAndConfirmation) {
  script({answer(201, held_body())});
  ClientOptions known = options();
  known.key = "hf_1_2";
  known.url += "/behind/";
  Call call = test::place(stay, "t");
  call.nonce = "n";
  call.confirmation = "c";
  EXPECT_THAT(client(known).submit(call), is_done());
  const Seen seen = server_.seen().front();
  EXPECT_EQ(seen.target, "/behind/v1/holds");
  EXPECT_EQ(seen.header("authorization"), "Bearer hf_1_2");
  EXPECT_EQ(seen.header("idempotency-key"), "t");
  EXPECT_EQ(seen.header("x-nonce"), "n");
  EXPECT_EQ(seen.header("x-confirmation"), "c");
  EXPECT_EQ(seen.header("content-type"), "application/json");
}

TEST_F(Answers, TellAboutTheirToken) {
  script({answer(201, held_body(),
                 "Idempotent-Replayed: true\r\nIdempotency-Key: \"t\"\r\n"
                 "Idempotency-Expires: 2026-01-02T00:00:00.000000Z\r\n"),
          answer(200, R"({"name":"r","capacity":2,"declared":true})",
                 "Idempotent-Replayed: false\r\nIdempotency-Expires: never\r\n"),
          answer(201, held_body(), "Idempotency-Key: derived\r\n")});
  Client rooms = client();
  const Reply placed = rooms.place(stay, Token("t"));
  ASSERT_THAT(placed, is_done());
  EXPECT_EQ(placed->token, "t");
  EXPECT_TRUE(placed->recorded);
  EXPECT_TRUE(placed->replayed);
  EXPECT_EQ(placed->token_expires, start + 24h);
  const Reply declared = rooms.declare("r", 2);
  ASSERT_THAT(declared, is_done());
  EXPECT_FALSE(declared->replayed);
  EXPECT_EQ(declared->token_expires, never);
  const Reply derived = rooms.submit(Call{.command = Command::place(stay)});
  ASSERT_THAT(derived, is_done());
  EXPECT_EQ(derived->token, "derived");
  EXPECT_EQ(tokens().back(), "") << "none was sent";
}

TEST_F(Answers, MayBeRefusalsWhichAreFinal) {
  const auto refusal = [](Rejection rejection, Reason reason = Reason::none) {
    Answer answer;
    answer.rejection = rejection;
    answer.reason = reason;
    answer.recorded = row(rejection).recorded == Recorded::by_policy;
    answer.confirmation = rejection == Rejection::confirmation_required ? "c0de" : "";
    answer.confirmation_expires = start;
    return test::answer(row(rejection).http_status, answer_body(answer));
  };
  script({refusal(Rejection::resource_unavailable), refusal(Rejection::token_collision),
          refusal(Rejection::invalid_request, Reason::quantity_above_capacity),
          refusal(Rejection::confirmation_required), refusal(Rejection::nonce_replay)});
  Client rooms = client();
  const Reply taken = rooms.place(stay);
  ASSERT_TRUE(taken);
  EXPECT_THAT(*taken, refused(Rejection::resource_unavailable));
  EXPECT_TRUE(taken->recorded);
  EXPECT_EQ(taken->token_action(), TokenAction::new_token);
  const Reply collision = rooms.place(stay);
  ASSERT_TRUE(collision);
  EXPECT_THAT(*collision, refused(Rejection::token_collision));
  EXPECT_EQ(collision->status, 409);
  EXPECT_FALSE(collision->recorded);
  EXPECT_EQ(collision->token_action(), TokenAction::new_token);
  const Reply too_much = rooms.place(stay);
  ASSERT_TRUE(too_much);
  EXPECT_THAT(*too_much, invalid(Reason::quantity_above_capacity));
  const Reply unconfirmed = rooms.place(stay);
  ASSERT_TRUE(unconfirmed);
  EXPECT_THAT(*unconfirmed, refused(Rejection::confirmation_required));
  EXPECT_EQ(unconfirmed->confirmation, "c0de");
  EXPECT_EQ(unconfirmed->confirmation_expires, start);
  EXPECT_THAT(*unconfirmed, token_unused());
  EXPECT_THAT(*rooms.place(stay), refused(Rejection::nonce_replay));
  EXPECT_THAT(pace_->waits(), IsEmpty());
}

TEST_F(Answers, ComeFromHereWhenACallCannotBeSent) {
  Client rooms = client();
  EXPECT_THAT(*rooms.place({.resource = "\xff", .requester = "q", .duration = 1h}),
              invalid(Reason::resource_text));
  EXPECT_THAT(*rooms.place({.resource = "r", .requester = std::string(1, '\0'), .duration = 1h}),
              invalid(Reason::requester_text));
  EXPECT_THAT(
      *rooms.place(
          {.resource = "r", .requester = "q", .duration = 1h, .quantity = quantity_max + 1}),
      invalid(Reason::quantity_bounds));
  EXPECT_THAT(*rooms.place({.resource = "r", .requester = "q", .duration = Duration::min()}),
              invalid(Reason::duration_bounds));
  EXPECT_THAT(*rooms.declare("", 1), invalid(Reason::resource_blank));
  EXPECT_THAT(*rooms.declare("r", -quantity_max - 1), invalid(Reason::capacity_bounds));
  EXPECT_THAT(*rooms.submit(Call{}), refused(Rejection::invalid_request));
  EXPECT_THAT(rooms.place(stay, Token("a\r\nX-Evil: 1")),
              is_refused(400, "protocol.idempotency_key_invalid"));
  Call odd = test::place(stay, "t");
  odd.nonce = "\n";
  EXPECT_THAT(rooms.submit(odd), is_refused(400, "malformed-request"));
  EXPECT_THAT(server_.seen(), IsEmpty());
}

TEST_F(Answers, ToReadsAreTriedForToo) {
  script({hang_up(), problem(503, "overloaded", true, "reuse"), answer(200, "nonsense"),
          answer(200, R"({"name":"r","capacity":7,"declared":true,"in_use":3,"available":4})"),
          problem(404, "not-known", false, "reuse"),
          problem(409, "protocol.idempotency_in_flight", true, "reuse"),  // not yet
          problem(404, "not-known", false, "reuse"),
          problem(401, "unauthenticated", false, "reuse"),
          problem(401, "unauthenticated", false, "reuse")});
  const Client rooms = client();
  const auto resource = rooms.resource("r");
  ASSERT_TRUE(resource) << resource.error().text();
  EXPECT_EQ(*resource, (Resource{.name = "r", .capacity = 7, .in_use = 3, .declared = true}));
  const auto hold = rooms.hold(held_id);
  ASSERT_TRUE(hold);
  EXPECT_FALSE(*hold);
  const auto token = rooms.token(Token("t/1"));
  ASSERT_TRUE(token);
  EXPECT_FALSE(*token);
  const auto holds = rooms.holds(
      {.resource = "a b", .state = HoldState::held, .placed_after = start, .limit = 5000});
  (void)rooms.resources({.limit = 0});
  ASSERT_FALSE(holds);
  EXPECT_EQ(holds.error().text(), "401 unauthenticated: D.");
  std::vector<std::string> targets;
  for (const Seen& each : server_.seen()) targets.push_back(each.target);
  EXPECT_THAT(targets, ElementsAre("/v1/resources/r", "/v1/resources/r", "/v1/resources/r",
                                   "/v1/resources/r", "/v1/holds/" + held_id.text(),
                                   "/v1/tokens/t%2F1", "/v1/tokens/t%2F1",
                                   "/v1/holds?resource=a%20b&state=held&placed_after="
                                   "2026-01-01T00%3A00%3A00.000000Z&limit=1000",
                                   "/v1/resources?limit=1"));
  EXPECT_FALSE(*rooms.token(Token(""))) << "nobody is asked";
}

TEST(Connecting, NeedsSense) {
  const auto refused = [](ClientOptions options) {
    const auto client = connect(std::move(options));
    return client ? std::string() : client.error().message;
  };
  EXPECT_THAT(refused({.url = "rooms"}), HasSubstr("http://"));
  EXPECT_THAT(refused({.key = "hf_1_2\r\n"}), HasSubstr("key"));
  EXPECT_THAT(refused({.patience = 0s}), HasSubstr("longer than zero"));
  EXPECT_THAT(refused({.attempts_max = 0}), HasSubstr("attempts_max"));
  EXPECT_THAT(refused({.pace = nullptr}), HasSubstr("pace"));
  EXPECT_THAT(refused({.url = "https://h", .ca_file = "/no/such.pem"}), HasSubstr("/no/such.pem"));
  EXPECT_THAT(refused({.url = "https://h", .certificate_file = "c.pem"}), HasSubstr("together"));
}

}  // namespace
}  // namespace holdfast::test
