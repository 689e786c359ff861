// Who may do what, and who sees what.

#include <sstream>
#include <thread>

#include "store/sqlite/file/connection.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using http::Role;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Tenants : public HttpTest {
 protected:
  Tenants()
      : alice_(new_key("north", "alice", Role::operator_role)),
        bob_(new_key("south", "bob", Role::operator_role)),
        carol_(new_key("north", "carol", Role::client)),
        audrey_(new_key("north", "audrey", Role::auditor)) {
    http::Settings settings;
    settings.log_level = http::LogLevel::debug;
    settings.log_requests = true;
    start(settings);
  }

  [[nodiscard]] Answered place_as(const std::string& who, const std::string& key,
                                  const std::string& resource) const {
    return place(key, holding(resource), with_key(who));
  }
  [[nodiscard]] Answered post_as(const std::string& who, const std::string& target,
                                 const std::string& key) const {
    Headers headers = with_key(who);
    headers.push_back({"Idempotency-Key", key});
    return call("POST", target, headers);
  }

  const std::string alice_, bob_, carol_, audrey_;
};

TEST_F(Tenants, TheSameTokensAndNamesAreDifferentThings) {
  const Answered north = place_as(alice_, "k-1", "room_307");
  const Answered south = place_as(bob_, "k-1", "room_307");
  EXPECT_EQ(north.status, 201);
  EXPECT_EQ(south.status, 201);
  EXPECT_EQ(south.header("idempotent-replayed"), "false");
  const std::string id = Json(north.body).text("/id");

  // Another tenant's hold is indistinguishable from none.
  const Answered theirs = get("/v1/holds/" + id, with_key(bob_));
  const Answered nobodys = get("/v1/holds/h99-000000000000000", with_key(bob_));
  EXPECT_EQ(theirs.status, 404);
  EXPECT_EQ(Json(theirs.body).text("/detail"), Json(nobodys.body).text("/detail"));
  const Answered confirm = post_as(bob_, "/v1/holds/" + id + "/confirm", "c-1");
  const Answered confirm_none = post_as(bob_, "/v1/holds/h99-000000000000000/confirm", "c-2");
  EXPECT_EQ(confirm.status, 404);
  EXPECT_EQ(Json(confirm.body).keys(""), Json(confirm_none.body).keys(""));
  EXPECT_EQ(Json(confirm.body).text("/detail"), Json(confirm_none.body).text("/detail"));

  const std::string his = Json(south.body).text("/id");
  ASSERT_NE(his, id);
  for (const auto& [address, member] :
       {std::pair{"/v1/holds", "/items/0/id"}, std::pair{"/v1/events", "/items/0/hold/id"}}) {
    for (const auto& [who, own] : {std::pair{bob_, his}, std::pair{alice_, id}}) {
      const Json list(get(address, with_key(who)).body);
      EXPECT_EQ(list.size("/items"), 1U) << address;
      EXPECT_EQ(list.text(member), own) << address;
    }
  }
  EXPECT_EQ(Json(get("/v1/resources", with_key(bob_)).body).size("/items"), 1U);
  EXPECT_THAT(get("/v1/tokens/k-1", with_key(bob_)).body,
              AllOf(HasSubstr(his), Not(HasSubstr(id))));
  EXPECT_EQ(get("/v1/tokens/c-1", with_key(alice_)).status, 404);
  EXPECT_EQ(Json(get("/v1/holds/" + id, with_key(alice_)).body).text("/state"), "held");
}

TEST_F(Tenants, AStreamOfEventsIsOneTenants) {
  Headers headers = with_key(bob_);
  headers.push_back({"Accept", "text/event-stream"});
  ASSERT_EQ(place_as(alice_, "k-1", "room_north").status, 201);
  RawConnection stream = connect();
  ASSERT_TRUE(stream.send(request_text("GET", "/v1/events", headers)));
  ASSERT_THAT(stream.read_until("retry:"), HasSubstr("text/event-stream"));
  ASSERT_EQ(place_as(alice_, "k-2", "another_north").status, 201);
  ASSERT_EQ(place_as(bob_, "k-1", "room_south").status, 201);
  EXPECT_THAT(stream.read_until("room_south"),
              AllOf(HasSubstr("room_south"), HasSubstr("id: 3\n"), Not(HasSubstr("north"))));
}

TEST_F(Tenants, AnAuditNamesWhatIsTheTenantsOwn) {
  const std::string north = Json(place_as(alice_, "k-1", "room").body).text("/id");
  const std::string south = Json(place_as(bob_, "k-1", "room").body).text("/id");
  auto tampered = sqlite::Connection::open(settings_.store, SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(tampered && tampered->run("UPDATE journal SET quantity = 7"));
  for (const auto& [who, own, others] : {std::tuple{alice_, north, south}, {bob_, south, north}}) {
    const Answered verdict = get("/v1/audit", with_key(who));
    EXPECT_EQ(verdict.status, 200);
    EXPECT_FALSE(Json(verdict.body).truth("/clean"));
    EXPECT_GE(Json(verdict.body).number("/violations_total"), 2) << "of the store as a whole";
    EXPECT_THAT(verdict.body, AllOf(HasSubstr(own), Not(HasSubstr(others))));
  }
  ASSERT_TRUE(tampered->run("UPDATE journal SET quantity = 1"));
}

TEST_F(Tenants, AnotherPrincipalsTokenIsACollision) {
  ASSERT_EQ(place_as(alice_, "k-1", "room_307").status, 201);
  const Answered other = place_as(carol_, "k-1", "room_307");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(Json(other.body).text("/code"), "protocol.idempotency_conflict");
}

TEST_F(Tenants, RolesAllowWhatTheySay) {
  const std::string id = Json(place_as(carol_, "k-1", "room_307").body).text("/id");
  Headers declare = with_key(carol_);
  declare.push_back({"Idempotency-Key", "d-1"});
  const Answered forbidden = call("PUT", "/v1/resources/r", declare, R"({"capacity":2})");
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_EQ(Json(forbidden.body).text("/code"), "forbidden");
  EXPECT_EQ(Json(forbidden.body).text("/token_action"), "reuse");
  EXPECT_EQ(get("/v1/tokens/d-1", with_key(alice_)).status, 404);
  const Answered batch = call("POST", "/v1/batch", with_key(carol_), R"({"operations":[
    {"token":"d-1","operation":"resource.declare","params":{"resource":"r","capacity":2}}]})");
  EXPECT_EQ(Json(batch.body).number("/results/0/status"), 403);

  const Answered looks_only = place_as(audrey_, "k-2", "room_308");
  EXPECT_EQ(looks_only.status, 403);
  EXPECT_EQ(looks_only.header("idempotency-key"), "k-2");
  EXPECT_EQ(looks_only.header("idempotent-replayed"), "false");
  EXPECT_EQ(post_as(audrey_, "/v1/holds/" + id + "/confirm", "c-1").status, 403);
  EXPECT_EQ(get("/v1/holds/" + id, with_key(audrey_)).status, 200);
  EXPECT_EQ(get("/v1/audit", with_key(audrey_)).status, 200);
  EXPECT_EQ(get("/metrics", with_key(audrey_)).status, 200);
  EXPECT_EQ(get("/metrics", with_key(carol_)).status, 403);
}

TEST_F(Tenants, WrongAndMissingCredentials) {
  const std::string wrong_secret =
      alice_.substr(0, alice_.size() - 1) + (alice_.back() == 'a' ? 'b' : 'a');
  for (const Headers& headers :
       {Headers{}, Headers{{"Authorization", "Bearer"}}, Headers{{"Authorization", "Bearer "}},
        Headers{{"Authorization", "Basic " + alice_}}, Headers{{"Authorization", alice_}},
        with_key("hf_000000000000_x"), with_key(wrong_secret), with_key(alice_ + "x"),
        with_key(alice_.substr(0, alice_.size() - 1)),
        Headers{{"Authorization", "Bearer " + alice_}, {"Authorization", "Bearer " + alice_}}}) {
    const Answered refused = place("k-1", holding("r"), headers);
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(Json(refused.body).text("/code"), "unauthenticated");
    EXPECT_EQ(Json(refused.body).text("/token_action"), "reuse");
    EXPECT_EQ(refused.header("www-authenticate"), "Bearer");
    EXPECT_EQ(refused.header("idempotency-key"), "k-1");
    EXPECT_EQ(refused.header("idempotent-replayed"), "false");
  }
  EXPECT_EQ(records(), 0U);
  EXPECT_EQ(place("k-1", holding("r"), {{"authorization", "bearer " + alice_}}).status, 201);
  EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(Tenants, RevokedKeysStopAtOnce) {
  RawConnection connection = connect();
  const auto ask = [&] {
    EXPECT_TRUE(connection.send(request_text("GET", "/v1/holds", with_key(carol_))));
    return connection.read().value_or(Answered{}).status;
  };
  EXPECT_EQ(ask(), 200);
  ASSERT_EQ(place_as(carol_, "k-1", "room_307").status, 201);
  const http::KeyFile file(http::KeyFile::beside(dir_.file("holdfast.db")));
  ASSERT_TRUE(file.revoke(carol_.substr(3, 12), clock_->now()));
  EXPECT_EQ(ask(), 401);
  // Not even an answer it was given before.
  EXPECT_EQ(place_as(carol_, "k-1", "room_307").status, 401);
  // A key made meanwhile is good at once.
  const std::string dave = new_key("north", "dave", Role::client);
  EXPECT_EQ(place_as(dave, "k-2", "room_308").status, 201);
}

TEST_F(Tenants, AReplayOnlyToWhoMayPerformItNow) {
  const http::KeyFile file(http::KeyFile::beside(dir_.file("holdfast.db")));
  ASSERT_EQ(place_as(carol_, "k-1", "room_307").status, 201);
  // The same principal with a key that may only look.
  const std::string lesser = new_key("north", "carol", Role::auditor);
  EXPECT_EQ(place_as(lesser, "k-1", "room_307").status, 403);
  const std::string renewed = new_key("north", "carol", Role::client);
  EXPECT_EQ(place_as(renewed, "k-1", "room_307").header("idempotent-replayed"), "true");
}

/// Nor must the service keep it.
TEST_F(Tenants, WhoIsNotLetInNeedNotSendABody) {
  const auto head = [](const std::string& key, const std::string& more) {
    return "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
           (key.empty() ? "" : "Authorization: Bearer " + key + "\r\n") + more + "\r\n";
  };
  const std::string stranger = "hf_000000000000_" + std::string(64, '0');
  for (const std::string& more :
       {std::string("Content-Length: 900000\r\n"), std::string("Transfer-Encoding: chunked\r\n"),
        std::string("Content-Length: 900000\r\nExpect: 100-continue\r\n")}) {
    for (const std::string& key : {std::string(), stranger}) {
      RawConnection connection = connect();
      ASSERT_TRUE(connection.send(head(key, more)));
      const Answered refused = connection.read().value_or(Answered{});
      EXPECT_EQ(refused.status, 401) << more;
      EXPECT_EQ(refused.header("connection"), "close");
      EXPECT_EQ(refused.header("www-authenticate"), "Bearer");
      EXPECT_EQ(connection.read_to_end(), "");
    }
  }
  // Nor whoever may look and not change.
  RawConnection auditor = connect();
  ASSERT_TRUE(auditor.send(head(audrey_, "Content-Length: 900000\r\nExpect: 100-continue\r\n")));
  const Answered forbidden = auditor.read().value_or(Answered{});
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_EQ(forbidden.header("connection"), "close");
  EXPECT_EQ(auditor.read_to_end(), "");

  RawConnection connection = connect();
  const std::string body = R"({"operations":[]})";
  ASSERT_TRUE(connection.send(head(
      alice_, "Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n")));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 100);
  ASSERT_TRUE(connection.send(body));
  EXPECT_NE(connection.read().value_or(Answered{}).status, 401);
}

TEST_F(Tenants, NothingSecretIsLogged) {
  const std::string planted = "s3cr3t-planted";
  (void)place_as(alice_, "token-" + planted, "resource-" + planted);
  (void)place("token-" + planted, holding("x"), with_key("hf_" + planted));
  (void)place("token-" + planted, "{" + planted, with_key(alice_));
  (void)get("/v1/tokens/token-" + planted, with_key(alice_));
  Headers more = with_key(alice_);
  for (const char* header : {"X-Nonce", "X-Confirmation", "Idempotency-Key"})
    more.push_back({header, planted});
  (void)call("POST", "/v1/holds", more, holding("r", "requester-" + planted));
  (void)call("PUT", "/v1/resources/" + planted, more, R"({"capacity":2})");
  (void)get("/nowhere/" + planted, with_key(alice_));
  (void)get("/v1/holds?resource=" + planted, with_key(alice_));
  (void)call("POST", "/v1/batch", with_key(alice_),
             R"({"operations":[{"token":")" + planted +
                 R"(","operation":"hold.expire","params":{"id":"h1-0"}}]})");
  RawConnection broken = connect();
  (void)broken.send("GET /" + planted + " HTTP/1.1\r\nBroken " + planted + "\r\n\r\n");
  (void)broken.read();
  const std::string log = logged();
  EXPECT_THAT(log, HasSubstr("\"message\":\"request\""));
  EXPECT_THAT(log, Not(HasSubstr(planted)));
  EXPECT_THAT(log, Not(HasSubstr(alice_.substr(16))));
  EXPECT_THAT(log, HasSubstr("\"principal\":\"alice\""));
  // Nor is it a label.
  const std::string metrics = get("/metrics", with_key(alice_)).body;
  EXPECT_THAT(metrics, HasSubstr("holdfast_http_responses_total"));
  for (const std::string& word : {planted, std::string("north"), std::string("alice")})
    EXPECT_THAT(metrics, Not(HasSubstr(word)));
}

TEST_F(Tenants, ARequestIsOneLineOfTheLog) {
  ASSERT_EQ(place_as(alice_, "k-1", "room_307").status, 201);
  ASSERT_EQ(place_as(alice_, "k-1", "room_307").status, 201);
  ASSERT_EQ(place_as(alice_, "k-2", "room_307").status, 409);
  ASSERT_EQ(get("/v1/holds", with_key(alice_)).status, 200);
  std::istringstream log(logged());
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) {
    if (line.find("\"request_id\"") != std::string::npos) lines.push_back(line);
  }
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], AllOf(HasSubstr(R"("operation":"hold.place")"),
                              HasSubstr(R"("replayed":"false")"), HasSubstr(R"("status":"201")")));
  EXPECT_THAT(lines[1], HasSubstr(R"("replayed":"true")"));
  EXPECT_THAT(lines[2], HasSubstr(R"("outcome":"resource-unavailable")"));
  EXPECT_THAT(lines[3], Not(HasSubstr("operation")));
}

class Unasked : public HttpTest {};

TEST_F(Unasked, RequestsAreNotLogged) {
  http::Settings settings;
  settings.log_level = http::LogLevel::debug;
  start(settings);
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  EXPECT_THAT(logged(), Not(HasSubstr("request_id")));
}

TEST_F(Tenants, WhoeverWasNotLetInHasNoNameInTheLog) {
  ASSERT_EQ(get("/v1/holds").status, 401);
  EXPECT_THAT(logged(), AllOf(HasSubstr("\"status\":\"401\""), Not(HasSubstr("\"tenant\"")),
                              Not(HasSubstr("\"principal\""))));
}

class WithoutKeys : public HttpTest {};

TEST_F(WithoutKeys, AForeignPageHasNoNameInTheLog) {
  http::Settings settings;
  settings.log_level = http::LogLevel::debug;
  settings.log_requests = true;
  start(settings);
  RawConnection page = connect();
  ASSERT_TRUE(page.send("GET /v1/holds HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
  EXPECT_EQ(page.read().value_or(Answered{}).status, 403);
  EXPECT_THAT(logged(), AllOf(HasSubstr("\"status\":\"403\""), Not(HasSubstr("principal"))));
}

TEST_F(WithoutKeys, OnlyLoopbackIsServed) {
  http::Settings settings;
  settings.store = dir_.file("holdfast.db");
  settings.listen = "0.0.0.0:0";
  const auto refused = http::Server::start(settings);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("without credentials"));
  EXPECT_THAT(refused.error(), HasSubstr("holdfast keys create"));
}

TEST_F(WithoutKeys, TheFirstKeyClosesTheDoorAtOnce) {
  start();
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  const std::string key = new_key("default", "local", Role::client);
  EXPECT_EQ(place("k-1", holding("room_307")).status, 401);
  EXPECT_EQ(place("k-1", holding("room_307"), with_key(key)).header("idempotent-replayed"), "true");
}

}  // namespace
}  // namespace holdfast::test
