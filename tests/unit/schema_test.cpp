#include "schema/schema.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace holdfast::schema {
namespace {

std::shared_ptr<const Schema> compiled(std::string_view json, const Options& options = {}) {
  auto schema = Schema::compile(json, options);
  EXPECT_TRUE(schema) << json << ": " << schema.error().pointer << ' ' << schema.error().text;
  return schema.value_or(nullptr);
}

bool value_fits(std::string_view schema, std::string_view value) {
  return compiled(schema)->check(value).empty();
}

std::string schema_error(std::string_view json, const Options& options = {}) {
  const auto schema = Schema::compile(json, options);
  return schema ? "" : schema.error().pointer + ": " + schema.error().text;
}

/// "pointer schema_pointer: text", a line for each.
std::string misfits_of(std::string_view schema, std::string_view value,
                       const Options& options = {}) {
  std::string out;
  for (const Misfit& each : compiled(schema, options)->check(value)) {
    out += each.pointer + ' ' + each.schema_pointer + ": " + each.text + '\n';
  }
  return out;
}

std::string secrets_of(std::string_view schema, std::string_view value) {
  simdjson::dom::parser parser;
  std::string out;
  for (const std::string& each :
       compiled(schema)->secrets_in(parser.parse(value.data(), value.size()).value())) {
    out += each + ' ';
  }
  return out;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Schema, tells_every_place_that_does_not_fit) {
  const std::string_view schema = R"({
    "type": "object",
    "required": ["room", "nights"],
    "additionalProperties": false,
    "properties": {
      "room": {"$ref": "#/$defs/room"},
      "nights": {"type": "integer", "minimum": 1, "maximum": 30},
      "guests": {"type": "array", "items": {"type": "string", "minLength": 2}}
    },
    "$defs": {"room": {"enum": ["a/b", "c"]}}
  })";
  EXPECT_EQ(misfits_of(schema, R"({"room":"c","nights":1.0,"guests":["Bo"]})"), "");
  EXPECT_EQ(misfits_of(schema, R"({"room":"d","guests":["Bo","é",3],"a/~b":1})"),
            " /required: has no member \"nights\"\n"
            "/a~1~0b /additionalProperties: is not allowed\n"
            "/guests/1 /properties/guests/items/minLength: is shorter than 2\n"
            "/guests/2 /properties/guests/items/type: is not a string\n"
            "/room /$defs/room/enum: is none of the values that are allowed\n");
}

TEST(Schema, tells_no_more_than_it_should) {
  const std::string value = "[" + repeated("1,", 100) + "1]";
  const auto count = [&](std::size_t max) {
    return compiled(R"({"items":{"type":"null"}})", {.misfits_max = max})->check(value).size();
  };
  EXPECT_EQ(count(0), 1U);
  EXPECT_EQ(count(5), 5U);
  EXPECT_EQ(count(1'000), 101U);
}

TEST(Schema, never_quotes_the_value) {
  const std::string told = misfits_of(
      R"({"type":"number","const":1,"enum":[2],"pattern":"b","maxLength":3,"format":"date"})",
      R"("hunter2-hunter2")");
  EXPECT_EQ(told.find("hunter2"), std::string::npos) << told;
}

TEST(Schema, compares_numbers_exactly) {
  EXPECT_TRUE(value_fits(R"({"const":9007199254740993})", "9007199254740993"));
  EXPECT_FALSE(value_fits(R"({"const":9007199254740993})", "9007199254740992"));
  EXPECT_FALSE(value_fits(R"({"maximum":9007199254740992})", "9007199254740993"));
  EXPECT_TRUE(value_fits(R"({"maximum":18446744073709551615})", "18446744073709551615"));
  EXPECT_FALSE(value_fits(R"({"exclusiveMaximum":18446744073709551615})", "18446744073709551615"));
  EXPECT_FALSE(value_fits(R"({"minimum":-9223372036854775807})", "-9223372036854775808"));
  EXPECT_TRUE(value_fits(R"({"maximum":1e300})", "18446744073709551615"));
  EXPECT_FALSE(value_fits(R"({"minimum":1e-300})", "0"));
  EXPECT_TRUE(value_fits(R"({"exclusiveMinimum":-0.1})", "-0.09"));
  EXPECT_TRUE(value_fits(R"({"const":0})", "-0.0"));
  EXPECT_TRUE(value_fits(R"({"enum":[100]})", "1e2"));
}

TEST(Schema, divides_exactly) {
  for (const std::string_view value :
       {"0.3", "19.99", "4.35", "1.1", "0", "-0.07", "1e20", "18446744073709551615", "1e300"}) {
    EXPECT_TRUE(value_fits(R"({"multipleOf":0.01})", value)) << value;
  }
  EXPECT_FALSE(value_fits(R"({"multipleOf":0.01})", "0.005"));
  EXPECT_FALSE(value_fits(R"({"multipleOf":0.01})", "19.999"));
  EXPECT_FALSE(value_fits(R"({"multipleOf":10})", "9007199254740993"));
  EXPECT_TRUE(value_fits(R"({"multipleOf":3})", "9007199254740993"));
  EXPECT_FALSE(value_fits(R"({"multipleOf":1e300})", "1"));
  EXPECT_TRUE(value_fits(R"({"type":"integer"})", "1.0"));
  EXPECT_TRUE(value_fits(R"({"type":"integer"})", "1e19"));
  EXPECT_FALSE(value_fits(R"({"type":"integer"})", "1.5"));
}

TEST(Schema, tells_bounds_as_decimals) {
  EXPECT_EQ(misfits_of(R"({"minimum":1000})", "1"), " /minimum: is less than 1000\n");
  EXPECT_EQ(misfits_of(R"({"maximum":-0.025})", "1"), " /maximum: is more than -0.025\n");
  EXPECT_EQ(misfits_of(R"({"multipleOf":1.25})", "1"), " /multipleOf: is not a multiple of 1.25\n");
  EXPECT_EQ(misfits_of(R"({"minimum":1e300})", "1"), " /minimum: is less than 1e300\n");
}

TEST(Schema, refuses_what_is_no_value) {
  EXPECT_EQ(misfits_of("true", ""), " : is no JSON\n");
  EXPECT_EQ(misfits_of("true", "{"), " : is no JSON\n");
  EXPECT_EQ(misfits_of("true", "1e999"), " : has a number that is no JSON or is too large\n");
  EXPECT_EQ(misfits_of("true", R"({"a":[{"b":1,"b":2}]})"), "/a/0/b : is there twice\n");
  EXPECT_EQ(misfits_of("true", "\"\xff\""), " : is no JSON\n");
}

TEST(Schema, says_where_a_schema_is_wrong) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"3", ""},
      {R"({"type":"int"})", "/type"},
      {R"({"type":[]})", "/type"},
      {R"({"properties":{"a/b":{"minimum":"1"}}})", "/properties/a~1b/minimum"},
      {R"({"minLength":-1})", "/minLength"},
      {R"({"maxItems":1.5})", "/maxItems"},
      {R"({"multipleOf":0})", "/multipleOf"},
      {R"({"allOf":[{},3]})", "/allOf/1"},
      {R"({"anyOf":[]})", "/anyOf"},
      {R"({"required":["a","a"]})", "/required"},
      {R"x({"pattern":"(?=a)"})x", "/pattern"},
      {R"({"patternProperties":{"(":{}}})", "/patternProperties"},
      {R"({"format":"datetime"})", "/format"},
      {R"({"$schema":"http://json-schema.org/draft-07/schema#"})", "/$schema"},
      {R"({"$id":"a#b"})", "/$id"},
      {R"({"$anchor":"1"})", "/$anchor"},
      {R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})", "/$defs/b/$anchor"},
      {R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})", "/$defs/b/$id"},
      {R"({"$ref":"https://example.com/other"})", "/$ref"},
      {R"({"$ref":"#/$defs/none"})", "/$ref"},
      {R"({"$ref":"#/const","const":{}})", "/$ref"},
      {R"({"$dynamicRef":"#none"})", "/$dynamicRef"},
      {R"({"secret":"yes"})", "/secret"},
      {R"({"type":"null","type":"null"})", "/type"},
  };
  for (const auto& [schema, pointer] : cases) {
    const auto result = Schema::compile(schema);
    ASSERT_FALSE(result) << schema;
    EXPECT_EQ(result.error().pointer, pointer) << schema << ": " << result.error().text;
    EXPECT_FALSE(result.error().text.empty()) << schema;
  }
}

TEST(Schema, reports_misspelt_keywords_when_strict) {
  EXPECT_EQ(schema_error(R"({"items":{"minlength":3}})").substr(0, 17), "/items/minlength:");
  EXPECT_EQ(schema_error(R"({"items":{"minlength":3}})", {.strict = false}), "");
  EXPECT_EQ(schema_error(R"({"x-mine":3,"title":"t","examples":[{"minlength":3}]})"), "");
  EXPECT_EQ(schema_error(R"({"format":"datetime"})", {.strict = false}), "");
}

TEST(Schema, asserts_formats_unless_told_not_to) {
  const std::string_view schema = R"({"format":"date-time"})";
  EXPECT_TRUE(value_fits(schema, R"("2026-02-28T23:59:60Z")"));
  EXPECT_FALSE(value_fits(schema, R"("2026-02-29T00:00:00Z")"));
  EXPECT_FALSE(value_fits(schema, R"("2026-02-28 00:00:00Z")"));
  EXPECT_TRUE(value_fits(schema, "3"));
  EXPECT_EQ(misfits_of(schema, "\"today\"", {.assert_format = false}), "");
  EXPECT_EQ(misfits_of(schema, "\"today\""), " /format: is no date-time\n");
}

TEST(Schema, refuses_schemas_that_go_in_circles) {
  for (
      const std::string_view schema :
      {R"({"$ref":"#"})", R"({"allOf":[{"not":{"$ref":"#"}}]})",
       R"({"$ref":"#/$defs/a","$defs":{"a":{"if":{"$ref":"#/$defs/b"}},"b":{"$ref":"#/$defs/a"}}})",
       R"({"dependentSchemas":{"a":{"$ref":"#"}}})", R"({"$dynamicRef":"#"})"}) {
    EXPECT_NE(schema_error(schema).find("without end"), std::string::npos) << schema;
  }
  EXPECT_TRUE(value_fits(R"({"properties":{"a":{"$ref":"#"}},"type":"object"})", R"({"a":{}})"));
  // A dynamic circle is seen when it is gone through.
  const std::string told = misfits_of(R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", "1");
  EXPECT_NE(told.find("512 deep"), std::string::npos) << told;
}

TEST(Schema, is_bounded_in_depth) {
  const std::string deep_value = repeated("[", 65) + repeated("]", 65);
  EXPECT_EQ(misfits_of("true", deep_value), repeated("/0", 64) + " : is nested too deeply\n");
  EXPECT_TRUE(value_fits("true", deep_value.substr(1, 128)));
  EXPECT_FALSE(value_fits("true", repeated("[", 100'000) + repeated("]", 100'000)));
  EXPECT_NE(schema_error(repeated(R"({"not":)", 65) + "true" + repeated("}", 65)), "");
  EXPECT_EQ(schema_error(repeated(R"({"not":)", 64) + "true" + repeated("}", 64)), "");
  std::string chain = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 5'000; ++i) {
    chain += '"' + std::to_string(i) + R"(":{"$ref":"#/$defs/)" + std::to_string(i + 1) + R"("},)";
  }
  EXPECT_NE(misfits_of(chain + R"("5000":true}})", "1").find("512 deep"), std::string::npos);
}

TEST(Schema, is_bounded_in_work) {
  std::string doubling = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 60; ++i) {
    const std::string next = R"({"$ref":"#/$defs/)" + std::to_string(i + 1) + R"("})";
    doubling += '"' + std::to_string(i) + R"(":{"anyOf":[)" + next + ',' + next + "]},";
  }
  doubling += R"("60":false}})";
  EXPECT_EQ(misfits_of(doubling, "1"), " : takes too much work to check\n");
  // Nor does what cannot be decided fit by being negated.
  const std::string negated = doubling.replace(1, 18, R"("not":{"$ref":"#/$defs/0"})");
  EXPECT_EQ(misfits_of(negated, "1"), " : takes too much work to check\n");
  const std::string long_text = '"' + std::string(1'000'000, 'a') + '"';
  EXPECT_EQ(misfits_of(R"({"pattern":"(a?){50}a{50}b"})", long_text),
            " : takes too much work to check\n");
}

TEST(Schema, is_bounded_in_size) {
  EXPECT_NE(schema_error("{\"allOf\":[" + repeated("{},", 30'000) + "{}]}"), "");
  EXPECT_NE(schema_error(R"({"pattern":"((a{1000}){1000}){1000}"})"), "");
  EXPECT_NE(schema_error(R"({"$id":")" + std::string(3'000, 'a') + "\"}"), "");
}

TEST(Schema, finds_the_same_item_in_many) {
  std::string items = "[";
  for (int i = 0; i < 50'000; ++i) items += std::to_string(i) + ',';
  EXPECT_TRUE(value_fits(R"({"uniqueItems":true})", items + "\"0\"]"));
  EXPECT_EQ(misfits_of(R"({"uniqueItems":true})", items + "7.0]"),
            " /uniqueItems: has the same item at 7 and 50000\n");
  EXPECT_FALSE(value_fits(R"({"uniqueItems":true})", R"([{"a":1,"b":[2]},{"b":[2.0],"a":1e0}])"));
}

TEST(Schema, knows_what_nothing_has_evaluated) {
  const std::string_view schema = R"({
    "allOf": [{"properties": {"a": true}}],
    "anyOf": [{"properties": {"b": {"type": "string"}}, "required": ["b"]}, true],
    "unevaluatedProperties": false
  })";
  EXPECT_TRUE(value_fits(schema, R"({"a":1,"b":"x"})"));
  EXPECT_EQ(misfits_of(schema, R"({"a":1,"b":2})"), "/b /unevaluatedProperties: is not allowed\n");
}

TEST(Schema, finds_secrets) {
  const std::string_view schema = R"({
    "properties": {
      "card": {"$ref": "#/$defs/card"},
      "keys": {"items": {"secret": true}},
      "name": {"type": "string"}
    },
    "patternProperties": {"^x-": {"secret": true}},
    "if": {"properties": {"kind": {"const": "agent"}}, "required": ["kind"]},
    "then": {"properties": {"password": {"secret": true}}},
    "$defs": {"card": {"properties": {"number/4": {"secret": true}, "holder": true}}}
  })";
  EXPECT_EQ(secrets_of(schema, R"({"card":{"number/4":"1","holder":"x"},"keys":[1,2],"x-a":1})"),
            "/card/number~14 /keys/0 /keys/1 /x-a ");
  EXPECT_EQ(secrets_of(schema, R"({"kind":"agent","password":1})"), "/password ");
  EXPECT_EQ(secrets_of(schema, R"({"kind":"guest","password":1})"), "");
  EXPECT_EQ(secrets_of(R"({"secret":true,"type":"string"})", "3"), " ");
}

TEST(Schema, takes_for_secret_what_might_be) {
  const std::string_view schema = R"({"oneOf":[
    {"properties":{"kind":{"const":1},"a":{"secret":true}},"required":["kind"]},
    {"properties":{"kind":{"const":2},"b":{"secret":true}},"required":["kind"]}]})";
  EXPECT_EQ(secrets_of(schema, R"({"kind":1,"a":1,"b":1})"), "/a ");
  EXPECT_EQ(secrets_of(schema, R"({"kind":2,"a":1,"b":1})"), "/b ");
  EXPECT_EQ(secrets_of(schema, R"({"kind":3,"a":1,"b":1})"), "/a /b ");
  EXPECT_EQ(secrets_of("true", R"({"a":1,"a":2})"), " ");
  EXPECT_EQ(secrets_of(R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", "[1]"), " ");
  // What does not fit is no less secret.
  EXPECT_EQ(secrets_of(R"({"type":"null","allOf":[false],"items":{"secret":true}})", "[1]"), "/0 ");
}

TEST(Schema, keeps_its_text_and_is_shared_by_threads) {
  const std::string text = R"( {"items": {"pattern": "^a+$", "secret": true}} )";
  const auto schema = compiled(text);
  EXPECT_EQ(schema->text(), text);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n) EXPECT_EQ(schema->check(R"(["aaa","b"])").size(), 1U);
    });
  }
  for (std::thread& each : threads) each.join();
}

}  // namespace
}  // namespace holdfast::schema
