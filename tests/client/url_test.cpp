#include "client/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::client {
namespace {

using testing::HasSubstr;

TEST(Urls, AreTakenApart) {
  EXPECT_EQ(parse_url("http://127.0.0.1:8420"), (Url{.host = "127.0.0.1", .port = 8420}));
  EXPECT_EQ(parse_url("http://rooms.example"), (Url{.host = "rooms.example", .port = 80}));
  EXPECT_EQ(parse_url("https://rooms.example/"),
            (Url{.tls = true, .host = "rooms.example", .port = 443}));
  EXPECT_EQ(parse_url("https://[::1]:8420/a/b//"),
            (Url{.tls = true, .host = "::1", .port = 8420, .prefix = "/a/b"}));
}

TEST(Urls, AreNamedToTheServerAsItExpects) {
  EXPECT_EQ(parse_url("http://h:80")->authority(), "h");
  EXPECT_EQ(parse_url("http://h:443")->authority(), "h:443");
  EXPECT_EQ(parse_url("https://h:443")->authority(), "h");
  EXPECT_EQ(parse_url("http://[::1]:8420")->authority(), "[::1]:8420");
}

TEST(Urls, AreRefusedWithAReason) {
  const auto expect_refused = [](std::string_view text, const char* why) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_THAT(url.error(), HasSubstr(why)) << text;
    EXPECT_THAT(url.error(), HasSubstr("http://127.0.0.1:8420")) << text;
  };
  expect_refused("", "neither http:// nor https://");
  expect_refused("127.0.0.1:8420", "neither http:// nor https://");
  expect_refused("ftp://h", "neither http:// nor https://");
  expect_refused("http://", "no host");
  expect_refused("http://:80", "no host");
  expect_refused("http:///path", "no host");
  expect_refused("http://[::1", "no host");
  expect_refused("http://h:", "port");
  expect_refused("http://h:0", "port");
  expect_refused("http://h:65536", "port");
  expect_refused("http://h:80x", "port");
  expect_refused("http://[::1]x", "port");
  expect_refused("http://u:p@h", "credential");
  expect_refused("http://h?q", "query");
  expect_refused("http://h/#f", "fragment");
  expect_refused("http://h/a b", "blank");
  expect_refused("http://h\r\nX: y", "blank");
  expect_refused("http://h\xc3\xb6", "ASCII");
}

TEST(PercentEncoding, LeavesOnlyPlainCharactersAlone) {
  EXPECT_EQ(percent_encoded("room_307-a.b~C"), "room_307-a.b~C");
  EXPECT_EQ(percent_encoded("a/b c%?&=+"), "a%2Fb%20c%25%3F%26%3D%2B");
  EXPECT_EQ(percent_encoded("\xc3\xb6\n"), "%C3%B6%0A");
  EXPECT_EQ(percent_encoded(".."), "%2E%2E");
  EXPECT_EQ(percent_encoded("."), "%2E");
  EXPECT_EQ(percent_encoded("..."), "...");
}

TEST(Queries, GrowByOneParameterAtATime) {
  std::string target = "/v1/holds";
  add_query(target, "resource", "a&b");
  add_query(target, "limit", "10");
  EXPECT_EQ(target, "/v1/holds?resource=a%26b&limit=10");
}

}  // namespace
}  // namespace holdfast::client
