// The operator's page as it is sent. What it does is in tests/browser.

#include <openssl/evp.h>

#include <regex>

#include "domain/digest.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class ConsoleAnswers : public HttpTest {
 protected:
  void SetUp() override { start(); }

  /// What is between the first of this tag and its end.
  static std::string inside(const std::string& page, const std::string& tag) {
    const std::string open = "<" + tag + ">";
    const std::size_t begin = page.find(open) + open.size();
    return page.substr(begin, page.find("</" + tag + ">", begin) - begin);
  }
  static std::size_t count(const std::string& text, const std::string& wanted) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string::npos; ++at) ++found;
    return found;
  }
  static std::string base64_sha256(const std::string& text) {
    const Digest digest = sha256(text);
    std::string out(44, '\0');
    std::array<unsigned char, 45> letters{};
    EXPECT_EQ(::EVP_EncodeBlock(letters.data(), digest.bytes.data(), 32), 44);
    return out.assign(letters.begin(), letters.end() - 1);
  }
};

TEST_F(ConsoleAnswers, AreAPageThatNobodyKeepsOrGuesses) {
  const Answered page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.header("cache-control"), "no-cache");
  EXPECT_EQ(page.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.header("referrer-policy"), "no-referrer");
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.body.ends_with("</html>\n"));
}

TEST_F(ConsoleAnswers, AllowTheirOwnScriptAndStyleAndNothingElse) {
  const Answered page = get("/");
  for (const char* tag : {"script", "style"}) {
    EXPECT_EQ(count(page.body, std::string("<") + tag), 1U);
    EXPECT_EQ(count(page.body, std::string("</") + tag), 1U);
    EXPECT_GT(inside(page.body, tag).size(), 1000U);
  }
  EXPECT_EQ(page.header("content-security-policy"),
            "default-src 'none'; script-src 'sha256-" + base64_sha256(inside(page.body, "script")) +
                "'; style-src 'sha256-" + base64_sha256(inside(page.body, "style")) +
                "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                "frame-ancestors 'none'");
  EXPECT_THAT(page.body, Not(HasSubstr("@SCRIPT@")));
  EXPECT_THAT(page.body, Not(HasSubstr("@STYLE@")));
}

TEST_F(ConsoleAnswers, ReferToNothingElsewhere) {
  const std::string page = get("/").body;
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  const std::regex reference(R"re((src|href)\s*=\s*["']([^"']*)|url\(([^)]*)\))re");
  for (std::sregex_iterator each(page.begin(), page.end(), reference), end; each != end; ++each) {
    const std::string to = (*each)[2].matched ? (*each)[2].str() : (*each)[3].str();
    EXPECT_THAT(to, MatchesRegex("(#|data:).*"));
  }
  // Nor is anything ever read as markup, or as code.
  for (const char* call : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                           "eval(", "new Function", "localStorage", "srcdoc"})
    EXPECT_THAT(page, Not(HasSubstr(call)));
}

TEST_F(ConsoleAnswers, HaveAHeadOfTheirOwn) {
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(request_text("HEAD", "/") + request_text("GET", "/")));
  const auto head = connection.read(std::chrono::seconds(20), true);
  const auto page = connection.read();
  ASSERT_TRUE(head && page);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->header("content-length"), std::to_string(page->body.size()));
  EXPECT_EQ(head->header("content-security-policy"), page->header("content-security-policy"));
  EXPECT_EQ(call("POST", "/").status, 405);
  EXPECT_EQ(call("POST", "/").header("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(get("/?from=elsewhere").status, 200);
  EXPECT_EQ(get("//").status, 404);
  EXPECT_EQ(get("/index.html").status, 404);
}

/// Everybody may have the page; what it shows is for whoever has a key.
TEST_F(ConsoleAnswers, NeedNoKey) {
  (void)new_key("hotel", "reception", http::Role::operator_role);
  EXPECT_EQ(get("/").status, 200);
  EXPECT_EQ(get("/v1/holds").status, 401);
}

TEST_F(ConsoleAnswers, ComeFromPagesThatMayMakeChanges) {
  const auto from = [&](const std::string& origin, const std::string& host) {
    RawConnection connection = connect();
    const std::string body = holding("room_307");
    EXPECT_TRUE(connection.send("POST /v1/holds HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " +
                                origin + "\r\nIdempotency-Key: first\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body));
    return connection.read().value_or(Answered{}).status;
  };
  EXPECT_EQ(from("http://127.0.0.1:8421", "127.0.0.1:8420"), 403);
  EXPECT_EQ(from("http://evil.example", "127.0.0.1:8420"), 403);
  EXPECT_EQ(from("null", "127.0.0.1:8420"), 403);
  EXPECT_EQ(from("http://evil.example:8420", "evil.example:8420"), 403);
  EXPECT_EQ(events(), 0U);
  EXPECT_EQ(from("http://127.0.0.1:8420", "127.0.0.1:8420"), 201);
  EXPECT_EQ(from("http://localhost:8420", "localhost:8420"), 201);
  EXPECT_EQ(events(), 1U);
}

}  // namespace
}  // namespace holdfast::test
