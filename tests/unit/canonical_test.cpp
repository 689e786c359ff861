#include "domain/canonical.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace holdfast {
namespace {

using Kind = CanonicalErrorKind;

std::string form(std::string_view json) {
  const auto result = canonicalize(json);
  return result ? *result : "refused: " + result.error().message;
}

CanonicalError refusal(std::string_view json, CanonicalLimits limits = {}) {
  const auto result = canonicalize(json, limits);
  if (!result) return result.error();
  ADD_FAILURE() << "accepted " << json << " as " << *result;
  return {};
}

std::string nested(std::size_t depth, std::string_view inner) {
  return std::string(depth, '[').append(inner).append(depth, ']');
}

TEST(Canonical, rfc_8785_section_3_2_2_sample) {
  EXPECT_EQ(form(R"({
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    })"),
            "{\"literals\":[null,true,false],"
            "\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST(Canonical, rfc_8785_section_3_2_3_sort_sample) {
  EXPECT_EQ(form(R"({
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    })"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
            "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
            "\"\U0001F600\":\"Emoji: Grinning Face\","
            "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(Canonical, sorts_prefixes_first_and_at_every_level) {
  EXPECT_EQ(form(R"({"ab":1,"a":2,"":3,"B":[{"y":{"d":1,"c":2},"x":0}]})"),
            R"({"":3,"B":[{"x":0,"y":{"c":2,"d":1}}],"a":2,"ab":1})");
  EXPECT_EQ(form("{\"x\U0001F600\":1,\"x\ue000\":2,\"x\ud7ff\":3}"),
            "{\"x\ud7ff\":3,\"x\U0001F600\":1,\"x\ue000\":2}");
}

TEST(Canonical, takes_any_value_as_a_document) {
  EXPECT_EQ(form(" null "), "null");
  EXPECT_EQ(form("\ttrue\n"), "true");
  EXPECT_EQ(form("\r\n-1.50"), "-1.5");
  EXPECT_EQ(form(R"("a")"), R"("a")");
  EXPECT_EQ(form("[ ]"), "[]");
  EXPECT_EQ(form("{ }"), "{}");
}

TEST(Canonical, keeps_unicode_as_it_is) {
  EXPECT_EQ(form("[\"\u00e5\",\"a\u030a\"]"), "[\"\u00e5\",\"a\u030a\"]");  // no normalisation
  EXPECT_EQ(form(R"("\u0000\u007f\/\ud83d\ude00")"), "\"\\u0000\x7f/\U0001F600\"");
}

TEST(Canonical, numbers_with_one_value_have_one_form) {
  EXPECT_EQ(form("[100,1e2,1E+2,100.0,1000e-1]"), "[100,100,100,100,100]");
  EXPECT_EQ(form("[0,-0,-0.0,0e5,-0E-5,1e-400]"), "[0,0,0,0,0,0]");
  EXPECT_EQ(form("[9007199254740991,-9007199254740991,9007199254740991.0]"),
            "[9007199254740991,-9007199254740991,9007199254740991]");
  EXPECT_EQ(form("[1e300,1e21,1e-7,1.7976931348623157e308]"),
            "[1e+300,1e+21,1e-7,1.7976931348623157e+308]");
}

TEST(CanonicalRefusal, integers_that_are_not_exact) {
  for (const char* json : {"9007199254740992", "-9007199254740992", "9223372036854775807",
                           "-9223372036854775808", "18446744073709551615", "18446744073709551616",
                           "-9223372036854775809", "123456789012345678901234567890", "1e20",
                           "9007199254740992.0", "9007199254740991.5", "-1.5e17"}) {
    const auto error = refusal(json);
    EXPECT_EQ(error.kind, Kind::integer_not_exact) << json;
    EXPECT_NE(error.message.find("send it as a string"), std::string::npos) << json;
  }
  EXPECT_EQ(refusal(R"({"a":[0,{"id":9007199254740993}]})").pointer, "/a/1/id");
  EXPECT_EQ(refusal(R"({"note":"123456789012345678901","id":123456789012345678901})").kind,
            Kind::integer_not_exact);
}

TEST(CanonicalRefusal, numbers_beyond_a_double) {
  for (const char* json : {"1e400", "-1e400", "[1,1e-400,1.8e308]", R"({"1e1":1e999999999999})"}) {
    EXPECT_EQ(refusal(json).kind, Kind::number_out_of_range) << json;
  }
  EXPECT_NE(refusal(R"(["-", 1e400])").message.find("at byte 6"), std::string::npos);
  EXPECT_EQ(refusal(std::string(400, '9')).kind, Kind::integer_not_exact);
}

TEST(CanonicalRefusal, text_that_is_not_json) {
  for (const char* json : {"{",           "[1",       "[1,]",    R"({"a":1,})", R"({"a"})",
                           R"({"a":})",   "{a:1}",    "{'a':1}", "[1}",         "]",
                           "nul",         "nullx",    "True",    "NaN",         "Infinity",
                           "-Infinity",   "01",       "1.",      ".5",          "+1",
                           "-",           "1e",       "0x10",    "[-01]",       R"("\x")",
                           R"("\u12G4")", R"("\u12)", "\"\t\"",  "\"a",         "/**/1",
                           ",",           ":",        R"("\)",   "[1 2]",       "\xEF\xBB\xBF{}"}) {
    EXPECT_EQ(refusal(json).kind, Kind::invalid_json) << json;
  }
  EXPECT_EQ(refusal(std::string_view("[1]\0", 4)).kind, Kind::trailing_content);
  EXPECT_EQ(refusal(std::string_view("\0", 1)).kind, Kind::invalid_json);
}

TEST(CanonicalRefusal, nothing_at_all) {
  for (const char* json : {"", " ", "\n\t\r "}) EXPECT_EQ(refusal(json).kind, Kind::empty);
  EXPECT_EQ(refusal({}).kind, Kind::empty);
}

TEST(CanonicalRefusal, trailing_content) {
  for (const char* json : {"{} {}", "1 2", "[1] 2", "[1]]", "{}}", R"("a" "b")", "true false",
                           R"({"a":"}\""} x)", "null,", "[],1"}) {
    EXPECT_EQ(refusal(json).kind, Kind::trailing_content) << json;
  }
  EXPECT_NE(refusal(R"({"a":1} x)").message.find("at byte 8"), std::string::npos);
}

TEST(CanonicalRefusal, invalid_utf8) {
  for (const char* json : {"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"",
                           "{\"\xe2\x82\":1}", "\"\xf0\x9f\x98\"", "\xfe"}) {
    EXPECT_EQ(refusal(json).kind, Kind::invalid_utf8) << json;
  }
}

TEST(CanonicalRefusal, lone_surrogates) {
  for (const char* json :
       {R"("\uD800")", R"("\uDC00")", R"("\uDFFF x")", R"("\uD800\uD800")", R"("\uDC00\uD800")",
        R"("\uD83Dx")", R"("\ud83d\u0041")", R"("\ud83d\n")", R"({"\udead":1})",
        R"(["\ud83d\ude00","\ude00"])", R"("\\\ud800")"}) {
    EXPECT_EQ(refusal(json).kind, Kind::lone_surrogate) << json;
  }
  EXPECT_EQ(form(R"("\\ud800")"), R"("\\ud800")");  // an escaped backslash, then plain text
}

TEST(CanonicalRefusal, duplicate_members) {
  EXPECT_EQ(refusal(R"({"a":1,"a":1})").kind, Kind::duplicate_member);
  EXPECT_EQ(refusal(R"({"a":1,"b":2,"\u0061":3})").kind, Kind::duplicate_member);
  EXPECT_EQ(refusal(R"({"":1,"":2})").pointer, "/");
  EXPECT_EQ(refusal("{\"\U0001F600\":1,\"\\ud83d\\ude00\":2}").kind, Kind::duplicate_member);
  EXPECT_EQ(refusal(R"([{"x":[0,{"a/b~c":{"k":1,"j":2,"k":3}}]}])").pointer, "/0/x/1/a~1b~0c/k");
  EXPECT_EQ(form(R"({"a":{"a":[{"a":1}]},"A":1})"), R"({"A":1,"a":{"a":[{"a":1}]}})");
}

TEST(CanonicalRefusal, nesting_beyond_the_limit) {
  EXPECT_EQ(form(nested(32, "")), nested(32, ""));
  EXPECT_EQ(form(nested(32, "1")), nested(32, "1"));
  EXPECT_EQ(refusal(nested(33, "")).kind, Kind::too_deep);
  EXPECT_EQ(refusal(nested(32, "{}")).kind, Kind::too_deep);
  EXPECT_EQ(refusal(nested(3, "1"), {.depth = 2}).pointer, "/0/0");
  EXPECT_EQ(refusal("[]", {.depth = 0}).kind, Kind::too_deep);
  EXPECT_EQ(canonicalize("1", {.depth = 0}), "1");
  EXPECT_EQ(refusal(nested(400000, "")).kind, Kind::too_deep);
  EXPECT_EQ(refusal(std::string(1000000, '[')).kind, Kind::invalid_json);
}

TEST(CanonicalRefusal, a_depth_limit_past_the_ceiling_is_not_honoured) {
  const CanonicalLimits limits{.depth = 1000000};
  EXPECT_EQ(canonicalize(nested(512, "1"), limits), nested(512, "1"));
  EXPECT_EQ(refusal(nested(513, "1"), limits).kind, Kind::too_deep);
  EXPECT_EQ(refusal(nested(400000, "1"), limits).kind, Kind::too_deep);
}

TEST(CanonicalRefusal, text_beyond_the_size_limit) {
  EXPECT_EQ(canonicalize("[1]", {.bytes = 3}), "[1]");
  EXPECT_EQ(refusal("[1] ", {.bytes = 3}).kind, Kind::too_large);
}

TEST(Canonical, reads_long_texts_and_short_ones_after_a_refusal) {
  const std::string text = '"' + std::string(200000, 'x') + '"';
  EXPECT_EQ(form("[" + text + " , " + text + "]"), "[" + text + "," + text + "]");
  EXPECT_EQ(refusal(R"({"a":{"b":1,"b":2}})").pointer, "/a/b");
  EXPECT_EQ(form(R"({"b":2,"a":1})"), R"({"a":1,"b":2})");
}

// Properties. A Tree is a JSON value without a spelling; Speller writes one of its many spellings.

using Text = std::vector<char32_t>;

struct Tree {
  enum class Shape { scalar, text, array, object };
  Shape shape = Shape::scalar;
  std::string scalar;
  Text text;
  std::vector<Tree> items;
  std::map<Text, Tree> members;
};

std::string utf8(const Text& text) {
  std::string out;
  for (const char32_t c : text) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xC0 | (c >> 6)), tail(0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0);
    }
  }
  return out;
}

std::u16string utf16(const Text& text) {
  std::u16string out;
  for (const char32_t c : text) {
    if (c >= 0x10000) out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
    out += static_cast<char16_t>(c < 0x10000 ? c : 0xDC00 + ((c - 0x10000) & 0x3FF));
  }
  return out;
}

// Few distinct characters, so that prefixes and near misses are common, from every length class.
rc::Gen<Text> any_text() {
  return rc::gen::container<Text>(rc::gen::elementOf(
      std::vector<char32_t>{0, 0x1F, '"', '/', '\\', 'a', 'b', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF,
                            0xE000, 0xFB33, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF}));
}

rc::Gen<Tree> any_tree(int depth) {
  const auto number = rc::gen::map(rc::gen::inRange<std::int64_t>(-1000000, 1000000), [](auto n) {
    return std::to_string(n) + (n % 2 == 0 ? "" : "e-" + std::to_string(n % 40 < 0 ? 7 : n % 40));
  });
  const auto word = rc::gen::elementOf(std::vector<std::string>{"null", "true", "false", "-0.0"});
  const auto scalar = rc::gen::map(rc::gen::oneOf(number, word), [](std::string spelled) {
    Tree tree;
    tree.scalar = std::move(spelled);
    return tree;
  });
  const auto text = rc::gen::map(any_text(), [](Text chars) {
    Tree tree;
    tree.shape = Tree::Shape::text;
    tree.text = std::move(chars);
    return tree;
  });
  if (depth == 0) return rc::gen::oneOf(scalar, text);
  const auto deeper = rc::gen::lazy([depth] { return any_tree(depth - 1); });
  const auto array = rc::gen::map(rc::gen::resize(5, rc::gen::container<std::vector<Tree>>(deeper)),
                                  [](std::vector<Tree> items) {
                                    Tree tree;
                                    tree.shape = Tree::Shape::array;
                                    tree.items = std::move(items);
                                    return tree;
                                  });
  const auto object =
      rc::gen::map(rc::gen::resize(6, rc::gen::container<std::map<Text, Tree>>(any_text(), deeper)),
                   [](std::map<Text, Tree> members) {
                     Tree tree;
                     tree.shape = Tree::Shape::object;
                     tree.members = std::move(members);
                     return tree;
                   });
  return rc::gen::oneOf(scalar, text, array, object, object);
}

class Speller {
 public:
  explicit Speller(std::uint32_t seed) : random_(seed) {}

  std::string spell(const Tree& tree) {
    switch (tree.shape) {
      case Tree::Shape::scalar:
        return tree.scalar;
      case Tree::Shape::text:
        return spell(tree.text);
      case Tree::Shape::array:
        break;
      case Tree::Shape::object:
        return spell_object(tree);
    }
    std::string out = "[";
    for (const Tree& item : tree.items) {
      out += (out.size() > 1 ? "," : "") + space() + spell(item) + space();
    }
    return out + space() + "]";
  }

 private:
  std::string spell_object(const Tree& tree) {
    std::vector<std::string> members;
    for (const auto& [key, value] : tree.members) {
      members.push_back(space() + spell(key) + space() + ":" + space() + spell(value) + space());
    }
    std::shuffle(members.begin(), members.end(), random_);
    std::string out = "{";
    for (const auto& member : members) out += (out.size() > 1 ? "," : "") + member;
    return out + "}" + space();
  }

  std::string spell(const Text& text) {
    std::string out = "\"";
    for (const char32_t c : text) {
      const bool must_escape = c < 0x20 || c == '"' || c == '\\';
      out += must_escape || random_() % 2 == 0 ? escaped(c) : utf8({c});
    }
    return out + '"';
  }

  std::string escaped(char32_t c) {
    const std::string_view digits = random_() % 2 == 0 ? "0123456789abcdef" : "0123456789ABCDEF";
    std::string out;
    for (const unsigned unit : utf16({c})) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += digits[(unit >> shift) & 15];
    }
    return out;
  }

  std::string space() {
    constexpr std::string_view all = " \t\n\r";
    std::string out;
    while (random_() % 3 == 0) out += all[random_() % all.size()];
    return out;
  }

  std::mt19937 random_;
};

// How RapidCheck prints a counterexample; the name is its own.
// NOLINTNEXTLINE(readability-identifier-naming)
void showValue(const Tree& tree, std::ostream& out) { out << Speller(0).spell(tree); }

RC_GTEST_PROP(CanonicalProperty, ignores_member_order_white_space_and_escapes,
              (std::uint32_t one_seed, std::uint32_t other_seed)) {
  const Tree tree = *any_tree(3);
  const auto one = canonicalize(Speller(one_seed).spell(tree));
  const auto other = canonicalize(Speller(other_seed).spell(tree));
  RC_ASSERT(one.has_value());
  RC_ASSERT(other.has_value());
  RC_ASSERT(*one == *other);
}

RC_GTEST_PROP(CanonicalProperty, is_idempotent, (std::uint32_t seed)) {
  const auto once = canonicalize(Speller(seed).spell(*any_tree(3)));
  RC_ASSERT(once.has_value());
  const auto twice = canonicalize(*once);
  RC_ASSERT(twice.has_value());
  RC_ASSERT(*twice == *once);
}

RC_GTEST_PROP(CanonicalProperty, distinct_strings_stay_distinct, (std::uint32_t seed)) {
  const Text left = *any_text();
  const Text right = *any_text();
  const auto form_of = [&](const Text& text) {
    Tree tree;
    tree.shape = Tree::Shape::text;
    tree.text = text;
    return *canonicalize(Speller(seed).spell(tree));
  };
  RC_ASSERT((left == right) == (form_of(left) == form_of(right)));
}

RC_GTEST_PROP(CanonicalProperty, key_order_is_utf16_order, ()) {
  const Text left = *any_text();
  const Text right = *any_text();
  RC_ASSERT(utf16_less(utf8(left), utf8(right)) == (utf16(left) < utf16(right)));
}

}  // namespace
}  // namespace holdfast
