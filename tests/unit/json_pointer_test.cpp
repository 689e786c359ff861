#include "base/json_pointer.hpp"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

constexpr std::string_view document =
    R"({"id":"evt_1","data":{"id":7,"a/b":"slash","m~n":"tilde","":"empty","deep":["x",{"y":"z"}]},)"
    R"("most":18446744073709551615,"least":-9223372036854775808,"half":0.5,"power":1e3,)"
    R"("yes":true,"none":null,"escaped":"\u0041\n","twice":1,"twice":1})";

TEST(JsonPointer, finds_texts_and_whole_numbers) {
  EXPECT_EQ(scalar_at(document, "/id"), "evt_1");
  EXPECT_EQ(scalar_at(document, "/data/id"), "7");
  EXPECT_EQ(scalar_at(document, "/data/a~1b"), "slash");
  EXPECT_EQ(scalar_at(document, "/data/m~0n"), "tilde");
  EXPECT_EQ(scalar_at(document, "/data/"), "empty");
  EXPECT_EQ(scalar_at(document, "/data/deep/0"), "x");
  EXPECT_EQ(scalar_at(document, "/data/deep/1/y"), "z");
  EXPECT_EQ(scalar_at(document, "/most"), "18446744073709551615");
  EXPECT_EQ(scalar_at(document, "/least"), "-9223372036854775808");
  EXPECT_EQ(scalar_at(document, "/escaped"), "A\n");
}

TEST(JsonPointer, finds_nothing_else) {
  for (const char* pointer :
       {"/nowhere", "/id/deeper", "/data", "/data/deep", "/data/deep/2", "/data/deep/00",
        "/data/deep/-", "/data/deep/", "/data/deep/+0", "/half", "/power", "/yes", "/none"})
    EXPECT_EQ(scalar_at(document, pointer), std::nullopt) << pointer;
}

TEST(JsonPointer, finds_no_member_that_stands_twice) {
  EXPECT_EQ(scalar_at(document, "/twice"), std::nullopt);
  EXPECT_EQ(scalar_at(R"({"a":{"id":1},"a":{"id":1}})", "/a/id"), std::nullopt);
  EXPECT_EQ(scalar_at(R"({"id":1,"\u0069d":2})", "/id"), std::nullopt);
}

TEST(JsonPointer, finds_nothing_in_what_is_not_json) {
  for (const char* text : {"", "{", R"({"id":1)", R"({"id":1}})", R"({"id":1} {"id":1})",
                           R"({"id":01})", "{\"id\":\"\xff\"}"})
    EXPECT_EQ(scalar_at(text, "/id"), std::nullopt) << text;
}

TEST(JsonPointer, is_steps_that_begin_with_slashes) {
  for (const char* pointer : {"/", "/id", "/a/b", "/a~1b~0", "//"})
    EXPECT_TRUE(is_json_pointer(pointer)) << pointer;
  for (const char* pointer : {"", "id", "#/id", "/a~", "/a~2", "a/b"})
    EXPECT_FALSE(is_json_pointer(pointer)) << pointer;
}

}  // namespace
}  // namespace holdfast
