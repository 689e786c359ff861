#include "outbound/request.hpp"

#include <gtest/gtest.h>

namespace holdfast::outbound {
namespace {

Call good_call() { return {.method = "GET", .url = "http://h/p"}; }

bool is_good(Call call) { return checked(std::move(call)).has_value(); }

bool is_good_header(std::string name, std::string value) {
  Call call = good_call();
  call.headers.push_back({std::move(name), std::move(value)});
  return is_good(std::move(call));
}

TEST(OutboundRequests, are_written_as_they_are_meant) {
  Call call = good_call();
  EXPECT_EQ(render(*checked(std::move(call)))
                .find("GET /p HTTP/1.1\r\nHost: h\r\n"
                      "Accept-Encoding: identity\r\nUser-Agent: "),
            0U);
  call = good_call();
  call.method = "POST";
  call.headers = {{"user-agent", "me"}, {"X-Tab", "a\tb"}};
  call.body = "b\r\n\r\n";
  EXPECT_EQ(render(*checked(std::move(call))),
            "POST /p HTTP/1.1\r\nHost: h\r\nAccept-Encoding: identity\r\nuser-agent: me\r\n"
            "X-Tab: a\tb\r\nContent-Length: 5\r\n\r\nb\r\n\r\n");
}

TEST(OutboundRequests, say_how_long_an_empty_body_is_where_one_is_usual) {
  for (const char* method : {"POST", "PUT", "PATCH"}) {
    Call call = good_call();
    call.method = method;
    EXPECT_NE(render(*checked(std::move(call))).find("Content-Length: 0\r\n"), std::string::npos);
  }
}

TEST(OutboundRequests, cannot_be_given_a_second_line) {
  using namespace std::string_literals;
  for (const std::string& bad :
       {"a\r\nb: c"s, "a\nb"s, "a\rb"s, "a\0b"s, "a\x1f"s, "a\x7f"s, "\r\n"s}) {
    EXPECT_FALSE(is_good_header("X-Name", bad));
    EXPECT_FALSE(is_good_header(bad, "value"));
    Call call = good_call();
    call.method = bad;
    EXPECT_FALSE(is_good(call));
    call = good_call();
    call.url += bad;
    EXPECT_FALSE(is_good(call));
  }
  for (const char* name : {"", " X", "X ", "X:", "X Y", "(x)", "\xc3\xa9"}) {
    EXPECT_FALSE(is_good_header(name, "value")) << name;
  }
  EXPECT_TRUE(is_good_header("X-Name", "caf\xc3\xa9 \"%\" \t"));
}

TEST(OutboundRequests, leave_to_the_client_what_is_the_client_s) {
  for (const char* name : {"Host", "hOsT", "Content-Length", "Connection", "Transfer-Encoding",
                           "Accept-Encoding", "Expect", "TE", "Trailer", "Upgrade"}) {
    EXPECT_FALSE(is_good_header(name, "x")) << name;
  }
}

TEST(OutboundRequests, have_a_method_and_limits_that_make_sense) {
  for (const char* method : {"", "G T", "CONNECT", "TRACE", "GET\t", "G/T"}) {
    Call call = good_call();
    call.method = method;
    EXPECT_FALSE(is_good(call)) << method;
  }
  const auto with = [](Limits limits) {
    Call call = good_call();
    call.limits = limits;
    return is_good(call);
  };
  EXPECT_TRUE(with({}));
  EXPECT_FALSE(with({.connect = Duration(0)}));
  EXPECT_FALSE(with({.total = Duration(-1)}));
  EXPECT_FALSE(with({.total = Duration::max()}));
  EXPECT_FALSE(with({.redirects_max = -1}));
  EXPECT_FALSE(with({.redirects_max = 21}));
}

/// Where a request goes after that answer; `stays` if nowhere, `refused` if it must not.
std::string redirected(Request& request, int status, const char* location) {
  const Response response{.status = status, .headers = {{"Location", location}}};
  const auto follows = redirect(request, response);
  if (!follows) return "refused";
  return *follows ? request.url.origin() + request.url.target : "stays";
}

std::string redirected(const char* method, int status, const char* location) {
  Request request{.method = method, .url = *parse_url("https://h/p")};
  return redirected(request, status, location);
}

TEST(OutboundRedirects, never_change_the_method) {
  for (const int status : {301, 302, 303}) {
    EXPECT_EQ(redirected("GET", status, "/q"), "https://h/q");
    EXPECT_EQ(redirected("HEAD", status, "/q"), "https://h/q");
    EXPECT_EQ(redirected("POST", status, "/q"), "stays");
  }
  for (const int status : {307, 308}) EXPECT_EQ(redirected("POST", status, "/q"), "https://h/q");
  for (const int status : {200, 201, 300, 304, 305, 306})
    EXPECT_EQ(redirected("GET", status, "/q"), "stays");
}

TEST(OutboundRedirects, lead_to_no_less_security) {
  EXPECT_EQ(redirected("GET", 307, "http://h/p"), "refused");
  EXPECT_EQ(redirected("GET", 307, "ftp://h/p"), "refused");
  EXPECT_EQ(redirected("GET", 307, "https://u@h/p"), "refused");
  EXPECT_EQ(redirected("GET", 307, "https://h:0/"), "refused");
}

TEST(OutboundRedirects, keep_secrets_from_other_origins) {
  const std::vector<Header> headers{{"authorization", "a"},
                                    {"Cookie", "b"},
                                    {"X-Key", "c", true},
                                    {"X-Plain", "d"},
                                    {"Accept", "e"}};
  for (const auto& [location, kept] :
       {std::pair{"/q", 5U}, {"https://h:443/q", 5U}, {"https://h:444/q", 2U}, {"//o/p", 2U}}) {
    Request request{.method = "GET", .url = *parse_url("https://h/p"), .headers = headers};
    EXPECT_NE(redirected(request, 308, location), "refused");
    EXPECT_EQ(request.headers.size(), kept) << location;
  }
}

}  // namespace
}  // namespace holdfast::outbound
