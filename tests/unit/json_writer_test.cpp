#include "base/json_writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace holdfast {
namespace {

std::string as_string(std::string_view text) {
  std::string out;
  JsonWriter(out).string(text);
  return out;
}

std::string as_number(double value) {
  std::string out;
  JsonWriter(out).number(value);
  return out;
}

struct NumberSample {
  std::uint64_t bits;
  std::string_view text;
};

// RFC 8785, appendix B, every finite row.
constexpr NumberSample appendix_b[] = {
    {0x0000000000000000, "0"},
    {0x8000000000000000, "0"},
    {0x0000000000000001, "5e-324"},
    {0x8000000000000001, "-5e-324"},
    {0x7fefffffffffffff, "1.7976931348623157e+308"},
    {0xffefffffffffffff, "-1.7976931348623157e+308"},
    {0x4340000000000000, "9007199254740992"},
    {0xc340000000000000, "-9007199254740992"},
    {0x4430000000000000, "295147905179352830000"},
    {0x44b52d02c7e14af5, "9.999999999999997e+22"},
    {0x44b52d02c7e14af6, "1e+23"},
    {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
    {0x444b1ae4d6e2ef4e, "999999999999999700000"},
    {0x444b1ae4d6e2ef4f, "999999999999999900000"},
    {0x444b1ae4d6e2ef50, "1e+21"},
    {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
    {0x3eb0c6f7a0b5ed8d, "0.000001"},
    {0x41b3de4355555553, "333333333.3333332"},
    {0x41b3de4355555554, "333333333.33333325"},
    {0x41b3de4355555555, "333333333.3333333"},
    {0x41b3de4355555556, "333333333.3333334"},
    {0x41b3de4355555557, "333333333.33333343"},
    {0xbecbf647612f3696, "-0.0000033333333333333333"},
    {0x43143ff3c1cb0959, "1424953923781206.2"},
};

TEST(JsonWriterNumber, matches_rfc_8785_appendix_b) {
  for (const auto& sample : appendix_b) {
    EXPECT_EQ(as_number(std::bit_cast<double>(sample.bits)), sample.text);
  }
}

TEST(JsonWriterNumber, lays_out_each_ecmascript_case) {
  EXPECT_EQ(as_number(1), "1");
  EXPECT_EQ(as_number(-1), "-1");
  EXPECT_EQ(as_number(120), "120");
  EXPECT_EQ(as_number(9007199254740991), "9007199254740991");
  EXPECT_EQ(as_number(1e20), "100000000000000000000");
  EXPECT_EQ(as_number(1.5), "1.5");
  EXPECT_EQ(as_number(123456.789), "123456.789");
  EXPECT_EQ(as_number(0.5), "0.5");
  EXPECT_EQ(as_number(-0.00001), "-0.00001");
  EXPECT_EQ(as_number(1.5e-7), "1.5e-7");
  EXPECT_EQ(as_number(1e300), "1e+300");
  EXPECT_EQ(as_number(-2.5e-300), "-2.5e-300");
}

// Appendix B's two remaining rows are refusals: NaN and Infinity.
TEST(JsonWriterNumberDeathTest, stops_on_what_json_cannot_say) {
  EXPECT_DEATH(as_number(std::bit_cast<double>(std::uint64_t{0x7fffffffffffffff})), "");
  EXPECT_DEATH(as_number(std::bit_cast<double>(std::uint64_t{0x7ff0000000000000})), "");
  EXPECT_DEATH(as_number(-std::numeric_limits<double>::infinity()), "");
}

RC_GTEST_PROP(JsonWriterNumber, reads_back_as_the_same_double, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  const std::string text = as_number(value);
  double back = 1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), back);
  RC_ASSERT(read.ptr == text.data() + text.size());
  RC_ASSERT(back == value);
}

TEST(JsonWriterInteger, covers_the_range) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_array();
  writer.integer(std::numeric_limits<std::int64_t>::min());
  writer.integer(0);
  writer.integer(std::numeric_limits<std::int64_t>::max());
  writer.end_array();
  EXPECT_EQ(out, "[-9223372036854775808,0,9223372036854775807]");
}

TEST(JsonWriterString, escapes_every_control_character) {
  constexpr std::string_view expected[] = {
      R"(\u0000)", R"(\u0001)", R"(\u0002)", R"(\u0003)", R"(\u0004)", R"(\u0005)", R"(\u0006)",
      R"(\u0007)", R"(\b)",     R"(\t)",     R"(\n)",     R"(\u000b)", R"(\f)",     R"(\r)",
      R"(\u000e)", R"(\u000f)", R"(\u0010)", R"(\u0011)", R"(\u0012)", R"(\u0013)", R"(\u0014)",
      R"(\u0015)", R"(\u0016)", R"(\u0017)", R"(\u0018)", R"(\u0019)", R"(\u001a)", R"(\u001b)",
      R"(\u001c)", R"(\u001d)", R"(\u001e)", R"(\u001f)"};
  for (char c = 0; c < 0x20; ++c) {
    const auto& escape = expected[static_cast<unsigned char>(c)];
    EXPECT_EQ(as_string(std::string(1, c)), '"' + std::string(escape) + '"');
  }
}

TEST(JsonWriterString, leaves_all_else_alone) {
  EXPECT_EQ(as_string(""), R"("")");
  EXPECT_EQ(as_string(R"(say "hi" \ /)"), R"("say \"hi\" \\ /")");
  EXPECT_EQ(as_string("\x7f \u0080 \u2028 \u20ac \U0001F600"),
            "\"\x7f \u0080 \u2028 \u20ac \U0001F600\"");
}

TEST(JsonWriterString, finds_an_escape_at_any_place_in_any_length) {
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      std::string text(length, place % 2 == 0 ? 'x' : '\xff');  // neighbours of either sign
      text[place] = '"';
      std::string expected = text;
      expected.insert(place, "\\");
      ASSERT_EQ(as_string(text), '"' + expected + '"') << length << ' ' << place;
    }
  }
}

TEST(JsonWriter, places_commas_and_keeps_the_order_of_keys) {
  std::string out = "data: ";
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("z");
  writer.begin_array();
  writer.end_array();
  writer.key("a\n");
  writer.begin_array();
  writer.begin_object();
  writer.end_object();
  writer.null();
  writer.boolean(true);
  writer.boolean(false);
  writer.number(0.25);
  writer.end_array();
  writer.key("r");
  writer.raw(R"({"recorded":1})");
  writer.key("s");
  writer.string("t");
  writer.end_object();
  EXPECT_EQ(out, R"(data: {"z":[],"a\n":[{},null,true,false,0.25],"r":{"recorded":1},"s":"t"})");
}

TEST(JsonWriter, is_reusable_after_reset) {
  std::string out;
  JsonWriter writer(out);
  writer.string("first");
  out.clear();
  writer.reset();
  writer.integer(2);
  EXPECT_EQ(out, "2");
}

TEST(Utf8, tells_valid_from_invalid) {
  for (const std::string_view text : {"", "plain", "\u00f6\u20ac\U0001F600", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
  EXPECT_TRUE(is_valid_utf8(std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_valid_utf8({}));
  for (const std::string_view text :
       {"\xff", "\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "a long clean beginning and then a cut tail \xf0\x9f\x98"}) {
    EXPECT_FALSE(is_valid_utf8(text)) << text;
  }
}

}  // namespace
}  // namespace holdfast
