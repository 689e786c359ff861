// Who is let in, and for how long: keys that were named and are not there, stores by another name,
// streams whose key is revoked, pages of other people's in a browser of this machine.

#include <filesystem>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class AccessTest : public HttpTest {
 protected:
  [[nodiscard]] RawConnection stream(const Headers& more = {}) const {
    Headers headers{{"Accept", "text/event-stream"}};
    headers.insert(headers.end(), more.begin(), more.end());
    RawConnection connection = connect();
    EXPECT_TRUE(connection.send(request_text("GET", "/v1/events", headers)));
    EXPECT_THAT(connection.read_until("retry:"), HasSubstr("text/event-stream"));
    return connection;
  }
};

TEST_F(AccessTest, AFileOfKeysThatWasNamedMustBeThere) {
  settings_.store = dir_.file("holdfast.db");
  settings_.listen = "127.0.0.1:0";
  settings_.keys = dir_.file("typo.keys");
  const auto server = http::Server::start(settings_);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error(), AllOf(HasSubstr("typo.keys"), HasSubstr("holdfast keys create")));
  EXPECT_FALSE(std::filesystem::exists(settings_.store));
}

TEST_F(AccessTest, AStoreByAnotherNameHasTheSameKeys) {
  const std::string key = new_key("default", "ada", http::Role::operator_role);
  std::filesystem::create_symlink("holdfast.db", dir_.file("link.db"));
  settings_.store = dir_.file("link.db");
  start(settings_);
  EXPECT_TRUE(server_->needs_keys());
  EXPECT_EQ(get("/v1/holds").status, 401);
  EXPECT_EQ(get("/v1/holds", with_key(key)).status, 200);
}

TEST_F(AccessTest, AStreamEndsWithItsKey) {
  const std::string ada = new_key("default", "ada", http::Role::client);
  const std::string bob = new_key("default", "bob", http::Role::client);
  start();
  RawConnection revoked = stream(with_key(ada));
  RawConnection kept = stream(with_key(bob));
  ASSERT_EQ(place("k-1", holding("room_1"), with_key(bob)).status, 201);
  EXPECT_THAT(revoked.read_until("room_1"), HasSubstr("hold.placed"));
  const http::KeyFile file(http::KeyFile::beside(dir_.file("holdfast.db")));
  ASSERT_TRUE(file.revoke(ada.substr(3, 12), clock_->now()));
  ASSERT_EQ(place("k-2", holding("room_2"), with_key(bob)).status, 201);
  EXPECT_THAT(revoked.read_to_end(), AllOf(Not(HasSubstr("room_2")), EndsWith("0\r\n\r\n")))
      << "in good order";
  EXPECT_THAT(kept.read_until("room_2"), HasSubstr("room_2"));
}

TEST_F(AccessTest, AStreamWithoutAKeyEndsWithTheFirstKey) {
  start();
  RawConnection open = stream();
  const std::string ada = new_key("default", "ada", http::Role::client);
  ASSERT_EQ(place("k-1", holding("room_1"), with_key(ada)).status, 201);
  EXPECT_THAT(open.read_to_end(), Not(HasSubstr("room_1")));
}

TEST_F(AccessTest, KeysThatCannotBeReadAreLogged) {
  (void)new_key("default", "ada", http::Role::client);
  start();
  std::filesystem::remove(http::KeyFile::beside(settings_.store));
  EXPECT_EQ(get("/v1/holds").status, 401);
  EXPECT_EQ(get("/v1/holds", with_key("hf_x_y")).status, 401);
  EXPECT_THAT(logged(), AllOf(HasSubstr("nobody is let in"), HasSubstr("holdfast.db-keys")));
}

TEST_F(AccessTest, AKeyThatCannotBeLookedUpIsNotAWrongKey) {
  const std::string ada = new_key("default", "ada", http::Role::client);
  start();
  const std::string file = http::KeyFile::beside(settings_.store);
  std::filesystem::rename(file, file + "-away");
  const Answered refused = place("k-1", holding("room_1"), with_key(ada));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(Json(refused.body).text("/code"), "store-unavailable");
  EXPECT_EQ(Json(refused.body).text("/token_action"), "reuse");
  EXPECT_EQ(refused.header("retry-after"), "1");
  EXPECT_THAT(logged(), AllOf(HasSubstr("nobody is let in"), Not(HasSubstr("the store cannot"))));
  std::filesystem::rename(file + "-away", file);
  EXPECT_EQ(place("k-1", holding("room_1"), with_key(ada)).status, 201) << "the same key, later";
}

/// A request as a browser sends it: from a page, to a name.
class Browser : public HttpTest {
 protected:
  Browser() { start(); }

  [[nodiscard]] int posted(const std::string& host, const Headers& more = {}) {
    std::string text = "POST /v1/holds HTTP/1.1\r\nHost: " + host + "\r\n";
    const std::string body = holding("room_" + std::to_string(++calls_));
    text += "Idempotency-Key: k-" + std::to_string(calls_) + "\r\n";
    for (const Header& each : more) text += each.name + ": " + each.value + "\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    RawConnection connection = connect();
    EXPECT_TRUE(connection.send(text));
    last_ = connection.read().value_or(Answered{});
    return last_.status;
  }

  int calls_ = 0;
  Answered last_;
};

TEST_F(Browser, APageOfSomebodyElsesChangesNothing) {
  for (const char* origin : {"https://evil.example", "null", "http://localhost:1", "localhost"}) {
    EXPECT_EQ(posted("localhost:8420", {{"Origin", origin}}), 403) << origin;
    EXPECT_THAT(last_.body, HasSubstr("the Origin is another"));
  }
  EXPECT_EQ(posted("localhost:8420",
                   {{"Origin", "http://localhost:8420"}, {"Origin", "https://evil.example"}}),
            403);
  EXPECT_EQ(records(), 0U);
  EXPECT_EQ(posted("localhost:8420", {{"Origin", "http://localhost:8420"}}), 201) << "our own";
}

TEST_F(Browser, ANameThatWasBentToThisMachineReadsAndChangesNothing) {
  for (const char* host : {"evil.example", "evil.example:8420", "127.evil.example", "10.0.0.1",
                           "localhost.evil.example", "[2001:db8::1]:8420", "", "[", ":8420"}) {
    EXPECT_EQ(posted(host), 403) << host;
  }
  EXPECT_EQ(records(), 0U);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send("GET /v1/events HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
  EXPECT_EQ(connection.read().value_or(Answered{}).status, 403);
  for (const char* host :
       {"localhost", "LOCALHOST:8420", "127.0.0.1:8420", "127.1.2.3", "[::1]:8420"}) {
    EXPECT_EQ(posted(host), 201) << host;
  }
}

TEST_F(Browser, WithKeysAnybodyWhoHasOneMayCall) {
  const Headers ada = with_key(new_key("default", "ada", http::Role::client));
  Headers headers = ada;
  headers.push_back({"Origin", "https://shop.example"});
  EXPECT_EQ(posted("holds.example", headers), 201);
  EXPECT_EQ(posted("holds.example", {{"Origin", "https://shop.example"}}), 401);
}

TEST_F(Browser, WhatSaysThatItIsNoJsonIsNotRead) {
  for (const char* type : {"text/plain", "text/plain;charset=UTF-8", "multipart/form-data"}) {
    EXPECT_EQ(posted("localhost", {{"Content-Type", type}}), 400) << type;
    EXPECT_THAT(last_.body, HasSubstr("application/json"));
  }
  EXPECT_EQ(records(), 0U);
  for (const char* type : {"application/json", "Application/JSON ; charset=utf-8",
                           "application/x-www-form-urlencoded"}) {
    EXPECT_EQ(posted("localhost", {{"Content-Type", type}}), 201) << type;
  }
}

}  // namespace
}  // namespace holdfast::test
