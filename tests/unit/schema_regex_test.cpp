#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schema/regex.hpp"

namespace holdfast::schema {
namespace {

constexpr std::uint64_t plenty = 50'000'000;

bool found(std::string_view pattern, std::string_view text) {
  std::uint64_t budget = 50'000;
  const auto regex = Regex::compile(pattern, budget);
  if (!regex) {
    ADD_FAILURE() << pattern << ": " << regex.error();
    return false;
  }
  std::uint64_t work = plenty;
  const auto result = regex->search(text, work);
  EXPECT_TRUE(result.has_value()) << pattern;
  return result.value_or(false);
}

std::string error_of(std::string_view pattern) {
  std::uint64_t budget = 50'000;
  const auto regex = Regex::compile(pattern, budget);
  return regex ? "" : regex.error();
}

struct RegexCase {
  std::string_view pattern, text;
  bool found;
};

TEST(SchemaRegex, finds_what_it_should) {
  const RegexCase cases[] = {
      {"", "", true},
      {"", "x", true},
      {"b", "abc", true},
      {"^b", "abc", false},
      {"^a.c$", "abc", true},
      {"^a.c$", "a\nc", false},
      {"^a|b$", "xb", true},
      {"^(a|b)$", "ab", false},
      {"^(?:ab)*$", "abab", true},
      {"^(?<name>ab)+$", "aba", false},
      {"^a{3}$", "aa", false},
      {"^a{3}$", "aaa", true},
      {"^a{2,}$", "a", false},
      {"^a{2,}$", "aaaa", true},
      {"^a{1,2}?$", "aaa", false},
      {"^(a{0,2}b){2}$", "aabb", true},
      {"^a{0}$", "", true},
      {"^a{0}$", "a", false},
      {"^(a*)*$", "aaab", false},
      {"^(|a)+$", "aaa", true},
      {"^[a-c-]+$", "ab-c", true},
      {"^[^a-c]+$", "abc", false},
      {"^[^]$", "\n", true},
      {"^[]$", "", false},
      {"^[\\w-.]+$", "a-b.c", true},
      {"^[\\]\\\\]+$", "]\\", true},
      {"^[\\b]$", "\b", true},
      {"^\\d+$", "12", true},
      {"^\\d+$", "\u0661", false},
      {"^\\D\\W\\S$", "a-b", true},
      {"^\\s$", "\u2003", true},
      {"^\\s$", "\uFEFF", true},
      {"\\bcat\\b", "a cat!", true},
      {"\\bcat\\b", "concat", false},
      {"\\Bcat", "concat", true},
      {"^\\u0041\\x42\\cJ\\0$", std::string_view("AB\n\0", 4), true},
      {"^\\u{1F432}$", "\U0001F432", true},
      {"^\\ud83d\\udc32*$", "\U0001F432\U0001F432", true},
      {"^.$", "\U0001F432", true},
      {"^\u00e9[\u00e0-\u00ff]$", "\u00e9\u00e8", true},
      {"^\\^\\$\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/\\-\\@$", "^$.*+?()[]{}|/-@", true},
  };
  for (const RegexCase& each : cases) {
    EXPECT_EQ(found(each.pattern, each.text), each.found) << each.pattern << " in " << each.text;
  }
}

TEST(SchemaRegex, refuses_by_name_what_it_cannot_do) {
  EXPECT_NE(error_of("(a)\\1").find("back references"), std::string::npos);
  EXPECT_NE(error_of("(?<x>a)\\k<x>").find("back references"), std::string::npos);
  EXPECT_NE(error_of("(?=a)").find("looking ahead"), std::string::npos);
  EXPECT_NE(error_of("(?!a)").find("looking ahead"), std::string::npos);
  EXPECT_NE(error_of("(?<=a)").find("looking behind"), std::string::npos);
  EXPECT_NE(error_of("(?<!a)").find("looking behind"), std::string::npos);
  EXPECT_NE(error_of("^\\p{L}").find("\\p{...}"), std::string::npos);
  EXPECT_NE(error_of("[\\P{L}]").find("\\p{...}"), std::string::npos);
  EXPECT_NE(error_of("(?i)a").find("flags"), std::string::npos);
}

TEST(SchemaRegex, refuses_what_is_no_expression) {
  for (const std::string_view pattern :
       {"(",     ")",      "(()",  "[",      "[a",   "[b-a]", "[\\",   "\\",
        "*",     "a**",    "+a",   "^*",     "{",    "a{",    "a{1",   "a{1,",
        "a{,2}", "a{2,1}", "}",    "]",      "\\a",  "\\x1",  "\\u12", "\\u{110000}",
        "\\u{}", "\\c1",   "\\01", "(?<>a)", "(?<a", "(?",    "(?:",   "a{999999999999999999}"}) {
    EXPECT_NE(error_of(pattern), "") << pattern;
  }
}

TEST(SchemaRegex, is_never_larger_than_its_budget) {
  EXPECT_NE(error_of("(((a{100}){100}){100}){100}"), "");
  EXPECT_NE(error_of("((((){99999}){99999}){99999}){99999}"), "");
  EXPECT_NE(error_of(std::string(60'000, 'a')), "");
  EXPECT_NE(error_of(std::string(1'000, '(') + std::string(1'000, ')')), "");
  std::uint64_t budget = 150;
  EXPECT_TRUE(Regex::compile("a{100}", budget));
  EXPECT_FALSE(Regex::compile("a{100}", budget));
}

TEST(SchemaRegex, takes_linear_time) {
  const std::string text(20'000, 'a');
  EXPECT_FALSE(found("^(a+)+$", text + "!"));
  EXPECT_FALSE(found("^(a|a)*$", text + "!"));
  EXPECT_FALSE(found("^(([a-z])+.)+[A-Z]([a-z])+$", text));
  EXPECT_FALSE(found("(a?){50}a{50}b", text));
}

TEST(SchemaRegex, says_nothing_when_the_work_is_not_paid_for) {
  std::uint64_t budget = 50'000;
  const auto regex = Regex::compile("(a?){50}a{50}b", budget);
  ASSERT_TRUE(regex);
  std::uint64_t work = 10'000;
  EXPECT_FALSE(regex->search(std::string(20'000, 'a'), work).has_value());
  EXPECT_EQ(work, 0U);
}

TEST(SchemaRegex, takes_any_bytes) {
  for (const std::string_view text : {"\xff", "\xf0\x9f", "\xc3", "\x80\x80", "a\xe2\x82"}) {
    EXPECT_TRUE(found("^[^]+$", text));
    EXPECT_FALSE(found("^b", text));
  }
}

}  // namespace
}  // namespace holdfast::schema
