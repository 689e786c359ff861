// Objects that are written, read and described by a table of their members.

#include "domain/members.hpp"

#include <gmock/gmock.h>

#include "support/json.hpp"

namespace holdfast::test {
namespace {

struct Inner {
  std::int64_t count = 0;
  std::optional<Instant> until{};
};

struct Outer {
  std::string name;
  std::string note;
  bool open = false;
  std::vector<std::string> parts;
  Instant at{};
  Inner inner;

  static const ObjectMembers members;
};

constexpr std::array outer_members{member<&Outer::at>("at"),
                                   member<&Outer::inner, &Inner::count>("count"),
                                   member<&Outer::name>("name"),
                                   optional_member<&Outer::note>("note"),
                                   optional_member<&Outer::open>("open"),
                                   member<&Outer::parts>("parts", R"({"type":"array"})"),
                                   optional_member<&Outer::inner, &Inner::until>("until")};
static_assert(in_order(outer_members));
const ObjectMembers Outer::members = outer_members;

constexpr std::array wrong_order{member<&Outer::name>("name"), member<&Outer::at>("at")};
constexpr std::array twice{member<&Outer::name>("name"), member<&Outer::note>("name")};
static_assert(!in_order(wrong_order) && !in_order(twice));

const Instant instant = *parse_rfc3339("2026-01-02T03:04:05.000006Z");

TEST(MembersOfObjects, are_written_in_order_and_read_back) {
  const Outer whole{"a \"b\" \u00e9", "why", true, {"x", ""}, instant, {-7, instant}};
  const std::string text = object_text(whole);
  EXPECT_EQ(text,
            R"({"at":"2026-01-02T03:04:05.000006Z","count":-7,"name":"a \"b\" é","note":"why",)"
            R"("open":true,"parts":["x",""],"until":"2026-01-02T03:04:05.000006Z"})");
  const auto again = object_in<Outer>(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(object_text(*again), text);
}

TEST(MembersOfObjects, that_are_not_set_are_left_out_where_they_may_be) {
  Outer outer;
  outer.at = instant;
  const std::string text = object_text(outer);
  EXPECT_EQ(text, R"({"at":"2026-01-02T03:04:05.000006Z","count":0,"name":"","parts":[]})");
  const auto again = object_in<Outer>(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->inner.until, std::nullopt);
  EXPECT_FALSE(again->open);
}

TEST(MembersOfObjects, are_refused_where_they_are_missing_or_of_another_type) {
  const Json good(object_text(Outer{"n", "o", true, {"x"}, instant, {1, instant}}));
  const std::map<std::string, std::vector<std::string>> wrong{
      {"at", {"1", "\"yesterday\""}},
      {"count", {"\"1\"", "1.5", "9223372036854775808"}},
      {"name", {"1", "null"}},
      {"note", {"1", "null"}},
      {"open", {"0", "\"true\""}},
      {"parts", {"\"x\"", "[1]", "[\"x\",null]"}},
      {"until", {"null", "\"tomorrow\""}},
  };
  const auto with = [&](const std::string& name, const std::string& value) {
    std::string text;
    for (const std::string& each : good.keys("")) {
      const std::string raw = each == name ? value : good.raw("/" + each);
      if (!raw.empty()) text += (text.empty() ? "{\"" : ",\"") + each + "\":" + raw;
    }
    return text + '}';
  };
  ASSERT_TRUE(object_in<Outer>(with("", "")));
  for (const auto& [name, values] : wrong) {
    for (const std::string& value : values)
      EXPECT_FALSE(object_in<Outer>(with(name, value))) << name << " " << value;
  }
  for (const ObjectMember& each : Outer::members)
    EXPECT_EQ(object_in<Outer>(with(std::string(each.name), "")).has_value(), !each.required);
  for (const char* text : {"", "no JSON", "[]", "7", "{"})
    EXPECT_FALSE(object_in<Outer>(text)) << text;
}

TEST(MembersOfObjects, say_their_schema) {
  std::string text;
  JsonWriter json(text);
  write_object_schema(json, Outer::members, "Something.", "[1]");
  const Json schema(text);
  EXPECT_EQ(schema.raw("/required"), R"(["at","count","name","parts"])");
  EXPECT_FALSE(schema.truth("/additionalProperties"));
  EXPECT_EQ(schema.text("/properties/count/type"), "integer");
  EXPECT_EQ(schema.text("/properties/parts/type"), "array");
  EXPECT_EQ(schema.text("/properties/until/$ref"), "#/components/schemas/Instant");
  EXPECT_EQ(schema.raw("/examples"), "[1]");
}

}  // namespace
}  // namespace holdfast::test
