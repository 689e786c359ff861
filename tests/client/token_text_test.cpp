#include "client/token_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "http/handlers/idempotency_key.hpp"

namespace holdfast::client {
namespace {

TEST(Tokens, AreSentBareWhenPlainAndQuotedOtherwise) {
  EXPECT_EQ(to_key("3f0c2a91"), "3f0c2a91");
  EXPECT_EQ(to_key("order-4711/step:2"), "order-4711/step:2");
  EXPECT_EQ(to_key("order 1"), R"("order 1")");
  EXPECT_EQ(to_key(R"(a"b\c)"), R"("a\"b\\c")");
  EXPECT_EQ(to_key(""), "");
}

TEST(Tokens, AreReadInBothSpellings) {
  EXPECT_EQ(from_key("k"), "k");
  EXPECT_EQ(from_key(R"("k")"), "k");
  EXPECT_EQ(from_key(R"("a\"b\\c")"), R"(a"b\c)");
  EXPECT_EQ(from_key(R"(")"), std::nullopt);
  EXPECT_EQ(from_key(R"("k)"), std::nullopt);
  EXPECT_EQ(from_key(R"("k"k")"), std::nullopt);
  EXPECT_EQ(from_key(R"("k\")"), std::nullopt);
}

TEST(Tokens, AreSendableWhenAHeaderCanCarryThem) {
  EXPECT_TRUE(is_sendable("order 1 \"~"));
  EXPECT_FALSE(is_sendable("a\r\nX: y"));
  EXPECT_FALSE(is_sendable("\x7f"));
  EXPECT_FALSE(is_sendable("\xc3\xb6"));
}

RC_GTEST_PROP(Tokens, AreUnderstoodByTheServerAsWeMeanThem, ()) {
  const auto token =
      *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '\x7f')));
  RC_ASSERT(http::parse_idempotency_key(to_key(token), token.size()) == token);
  RC_ASSERT(from_key(to_key(token)) == token);
}

}  // namespace
}  // namespace holdfast::client
