// Whatever happens to the attempts of one call: one token, and a clear end.

#include "client/fixture.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Attempts : public FakeServerTest {};

std::string cut(const ServerStep& step, std::size_t bytes) {
  return step.bytes({}).substr(0, bytes);
}

TEST_F(Attempts, KeepTheirTokenUntilThereIsAnAnswer) {
  const ServerStep whole = answer(201, held_body());
  const std::size_t size = whole.bytes({}).size();
  script({refuse(), hang_up(), problem(503, "overloaded", true, "reuse"), blurt(cut(whole, 12)),
          blurt(cut(whole, size - 1)), blurt("\x16\x03\x01 what?\r\n\r\n"), answer(201, "{}"),
          answer(200, "<html>"), problem(500, "store-unavailable", true, "reuse"),
          answer(502, "<html>Bad gateway"), problem(408, "too-slow", true, "reuse"),
          problem(429, "throttled", true, "reuse"),
          problem(409, "protocol.idempotency_in_flight", true, "reuse"), whole});
  const Reply reply = client().place(stay);
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_THAT(*reply, done());
  EXPECT_EQ(reply->hold->id, held_id);
  EXPECT_THAT(tokens(), AllOf(SizeIs(13), Each(reply->token))) << "one was refused unread";
  for (const Seen& each : server_.seen()) {
    EXPECT_EQ(each.target, "/v1/holds");
    EXPECT_EQ(each.body, server_.seen().front().body);
  }
  EXPECT_THAT(pace_->waits(), SizeIs(13));
}

TEST_F(Attempts, OfDifferentCallsHaveDifferentTokens) {
  script({answer(201, held_body()), answer(201, held_body())});
  Client rooms = client();
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_NE(tokens()[0], tokens()[1]);
  EXPECT_EQ(tokens()[0].size(), 32U);
}

TEST_F(Attempts, EndInAnUnknownOutcomeThatCanBeResumed) {
  ClientOptions impatient = options();
  impatient.attempts_max = 3;
  Client rooms = client(impatient);
  const Reply lost = rooms.place(stay, Token("order-4711"));
  ASSERT_THAT(lost, is_unknown());
  EXPECT_EQ(lost.error().attempts, 3U);
  EXPECT_THAT(lost.error().text(), AllOf(HasSubstr("outcome unknown, token order-4711"),
                                         HasSubstr("3 attempts"), HasSubstr("connection lost")));
  script({problem(401, "unauthenticated", false, "reuse"),
          answer(201, held_body(), "Idempotent-Replayed: true\r\n")});
  EXPECT_THAT(rooms.resume(lost.error()), is_unknown()) << "a refusal now says nothing about then";
  const Reply found = rooms.resume(lost.error());
  ASSERT_THAT(found, is_done());
  EXPECT_TRUE(found->replayed);
  EXPECT_THAT(tokens(), AllOf(SizeIs(5), Each("order-4711")));
}

TEST_F(Attempts, AreGivenUpWhenPatienceEnds) {
  script(std::vector<ServerStep>(100,
                                 problem(503, "overloaded", true, "reuse", "Retry-After: 7\r\n")));
  ClientOptions impatient = options();
  impatient.patience = 30s;
  const Reply reply = client(impatient).place(stay);
  ASSERT_THAT(reply, is_unknown());
  EXPECT_EQ(reply.error().trouble.code, "overloaded");
  EXPECT_EQ(reply.error().trouble.status, 503);
  EXPECT_EQ(reply.error().trouble.request_id, "r1");
  EXPECT_THAT(pace_->waits(), SizeIs(4)) << "a fifth wait of 7 s would end after 30 s";
  EXPECT_LT(pace_->elapsed(), 30s);
}

TEST_F(Attempts, WaitAsLongAsTheServerAsks) {
  const std::string date = "Date: Thu, 01 Jan 2026 12:00:00 GMT\r\n";
  script(
      {problem(503, "overloaded", true, "reuse", "Retry-After: 4\r\n"),
       problem(429, "throttled", true, "reuse",
               date + "Retry-After: Thu, 01 Jan 2026 12:00:05 GMT\r\n"),
       problem(503, "overloaded", true, "reuse", "Retry-After: Thu, 01 Jan 2026 00:00:06 GMT\r\n"),
       problem(503, "overloaded", true, "reuse", "Retry-After: whenever\r\n"),
       answer(201, held_body())});
  EXPECT_THAT(client().place(stay), is_done());
  const std::vector<Duration> waits = pace_->waits();
  ASSERT_THAT(waits, SizeIs(4));
  EXPECT_GE(waits[0], 4s);
  EXPECT_GE(waits[1], 5s) << "by the server's clock";
  EXPECT_GE(waits[2], 6s) << "by ours, when the server does not tell its own";
  EXPECT_LT(waits[3], 1s);
}

/// On a busy machine the server's answer, too, may be cut off now and then: it is there many times.
class CutOff : public Attempts {
 protected:
  void expect_done_after(ServerStep step) {
    script({std::move(step)});
    script(std::vector<ServerStep>(19, answer(201, held_body())));
    ClientOptions hasty = options();
    hasty.answer_timeout = 100ms;
    EXPECT_THAT(client(hasty).place(stay, Token("t")), is_done());
    EXPECT_THAT(tokens(), AllOf(SizeIs(testing::Ge(2U)), Each("t")));
  }
};

TEST_F(CutOff, WhenTheAnswerHangs) { expect_done_after(hang()); }

TEST_F(CutOff, WhenTheAnswerTrickles) {
  expect_done_after(
      {.bytes = [](const Seen&) { return "HTTP/1.1 201 X\r\nContent-Length: 5\r\n\r\n{"; },
       .then = ServerStep::Then::hang});
}

TEST_F(Attempts, WithNobodyThereEndInAnUnknownOutcome) {
  ClientOptions lonely = options();
  lonely.url = "http://127.0.0.1:1";
  const Reply reply = client(lonely).place(stay, Token("t"));
  ASSERT_THAT(reply, is_unknown()) << "an earlier call with this token may have been made";
  EXPECT_EQ(reply.error().attempts, lonely.attempts_max);
  EXPECT_EQ(reply.error().trouble.code, "unreachable");
  EXPECT_THAT(reply.error().text(), HasSubstr("cannot connect to 127.0.0.1"));
}

TEST_F(Attempts, AreNotRepeatedAfterAFinalRefusal) {
  script(
      {problem(401, "unauthenticated", false, "reuse"), problem(403, "forbidden", false, "reuse"),
       problem(400, "malformed-request", false, "reuse"), problem(413, "too-large", false, "reuse"),
       answer(404, "<html>"), answer(308, "", "Location: https://elsewhere/\r\n")});
  Client rooms = client();
  EXPECT_THAT(rooms.place(stay), is_refused(401, "unauthenticated"));
  EXPECT_THAT(rooms.place(stay), is_refused(403, "forbidden"));
  EXPECT_THAT(rooms.place(stay), is_refused(400, "malformed-request"));
  EXPECT_THAT(rooms.place(stay), is_refused(413, "too-large"));
  EXPECT_THAT(rooms.place(stay), is_refused(404, "unexplained"));
  const Reply redirected = rooms.place(stay);
  ASSERT_THAT(redirected, is_refused(308, "unexplained"));
  EXPECT_THAT(redirected.error().text(), AllOf(HasSubstr("refused: 308"), HasSubstr("elsewhere")));
  EXPECT_THAT(pace_->waits(), IsEmpty());
}

TEST_F(Attempts, AreNotRepeatedWhenTheAnswerForbidsIt) {
  script({problem(503, "odd", false, "reuse"), problem(503, "odd", true, "new")});
  Client rooms = client();
  EXPECT_THAT(rooms.place(stay), is_unknown()) << "a failing server may have done it";
  EXPECT_THAT(rooms.place(stay), is_unknown());
  EXPECT_THAT(pace_->waits(), IsEmpty());
}

TEST_F(Attempts, ThatMayHaveArrivedMakeALaterRefusalUnknown) {
  script({hang_up(), problem(401, "unauthenticated", false, "reuse")});
  const Reply reply = client().place(stay);
  ASSERT_THAT(reply, is_unknown());
  EXPECT_EQ(reply.error().trouble.code, "unauthenticated");
  EXPECT_EQ(reply.error().attempts, 2U);
}

TEST_F(Attempts, ThatWereTurnedAwayLeaveALaterRefusalCertain) {
  script({problem(429, "throttled", true, "reuse"), problem(503, "overloaded", true, "reuse"),
          problem(401, "unauthenticated", false, "reuse")});
  EXPECT_THAT(client().place(stay), is_refused(401, "unauthenticated"));
}

/// The server knows whether this call did something. Whoever does not say is not asked in vain.
TEST_F(Attempts, BelieveWhatTheServerSaysOfTheEffect) {
  const auto failing = [](const std::string& effect) {
    return answer(503, R"({"code":"store-unavailable","detail":"D.","retryable":true)" + effect +
                           R"(,"token_action":"reuse"})");
  };
  const ServerStep turned_away = problem(401, "unauthenticated", false, "reuse");
  script({failing(R"(,"effect":"none")"), turned_away,     //
          failing(R"(,"effect":"unknown")"), turned_away,  //
          failing(R"(,"effect":"perhaps")"), turned_away,  //
          failing(""), turned_away,                        //
          problem(409, "protocol.idempotency_in_flight", true, "reuse"), turned_away,
          answer(409, R"({"code":"protocol.idempotency_in_flight","retryable":true})"),
          turned_away});
  Client rooms = client();
  const Reply known = rooms.place(stay);
  EXPECT_THAT(known, is_refused(401, "unauthenticated"));
  EXPECT_EQ(known.error().attempts, 2U);
  EXPECT_EQ(known.error().trouble.effect, Effect::none);
  for (int i = 0; i < 5; ++i) EXPECT_THAT(rooms.place(stay), is_unknown()) << i;
}

TEST_F(Attempts, DoNotTakeTheAnswerToAnotherCall) {
  script({answer(201, held_body(), "Idempotency-Key: other\r\n"),
          answer(201, held_body(), "Idempotency-Key: \"order 1\"\r\n")});
  EXPECT_THAT(client().place(stay, Token("order 1")), is_done());
  EXPECT_THAT(pace_->waits(), SizeIs(1));
}

TEST_F(Attempts, PassOverWhatIsOnlyAnnounced) {
  const ServerStep whole = answer(201, held_body());
  script({{.bytes = [whole](const Seen& seen) {
    return "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + whole.bytes(seen);
  }}});
  EXPECT_THAT(client().place(stay), is_done());
}

TEST_F(Attempts, TakeOnlyAnAnswerThatFits) {
  script({answer(200, R"({"name":"room_307","capacity":2,"declared":true})"),
          answer(201, held_body())});
  EXPECT_THAT(client().place(stay), is_done());
}

}  // namespace
}  // namespace holdfast::test
