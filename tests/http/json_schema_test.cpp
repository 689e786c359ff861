// The validator that the contract is checked with: it accepts, and above all it refuses.

#include "support/http/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

JsonSchema::Faults faults(const std::string& schema, const std::string& instance) {
  const JsonSchema document(schema);
  return document.check(document.document(), std::string_view(instance));
}

void expect_valid(const std::string& schema, const std::vector<std::string>& instances) {
  for (const std::string& each : instances)
    EXPECT_THAT(faults(schema, each), IsEmpty()) << schema << " of " << each;
}

void expect_invalid(const std::string& schema, const std::vector<std::string>& instances) {
  for (const std::string& each : instances)
    EXPECT_FALSE(faults(schema, each).empty()) << schema << " of " << each;
}

TEST(JsonSchema, Types) {
  expect_valid(R"({"type":"string"})", {R"("")"});
  expect_invalid(R"({"type":"string"})", {"1", "null", "true", "[]", "{}"});
  expect_valid(R"({"type":"integer"})", {"1", "-1", "2.0", "18446744073709551615"});
  expect_invalid(R"({"type":"integer"})", {"1.5", R"("1")"});
  expect_valid(R"({"type":"number"})", {"1", "1.5"});
  expect_invalid(R"({"type":"number"})", {R"("1")", "false"});
  expect_invalid(R"({"type":"boolean"})", {"0", R"("true")"});
  expect_invalid(R"({"type":"object"})", {"[]"});
  expect_invalid(R"({"type":"array"})", {"{}"});
  expect_valid(R"({"type":["string","null"]})", {"null", R"("a")"});
  expect_invalid(R"({"type":["string","null"]})", {"1"});
  expect_invalid(R"({"type":"strange"})", {"1", R"("a")"});
}

TEST(JsonSchema, TruthValues) {
  expect_valid("true", {"1", "{}"});
  expect_invalid("false", {"1", "null"});
}

TEST(JsonSchema, EnumAndConst) {
  expect_valid(R"({"enum":["a",1,null]})", {R"("a")", "1", "1.0", "null"});
  expect_invalid(R"({"enum":["a",1,null]})", {R"("b")", "2", "false", R"("1")"});
  expect_valid(R"({"const":{"a":[1,2],"b":true}})", {R"({"b":true,"a":[1,2]})"});
  expect_invalid(R"({"const":{"a":[1,2]}})",
                 {R"({"a":[2,1]})", R"({"a":[1]})", R"({"a":[1,2],"b":1})", R"({"b":[1,2]})"});
  expect_invalid(R"({"const":false})", {"true", R"("false")", "0", "null"});
}

TEST(JsonSchema, Objects) {
  const std::string closed = R"({"type":"object","required":["a"],"additionalProperties":false,
                                 "properties":{"a":{"type":"integer"},"b":{"type":"string"}}})";
  expect_valid(closed, {R"({"a":1})", R"({"a":1,"b":"x"})"});
  expect_invalid(closed, {"{}", R"({"b":"x"})", R"({"a":"1"})", R"({"a":1,"b":2})",
                          R"({"a":1,"c":3})", R"({"A":1})"});
  expect_valid(R"({"properties":{"a":{"type":"integer"}}})", {R"({"z":1})", R"("no object")"});
  expect_invalid(R"({"additionalProperties":{"type":"integer"}})", {R"({"z":"1"})"});
  expect_invalid(R"({"properties":{"a":false}})", {R"({"a":null})"});
  EXPECT_THAT(faults(closed, R"({"a":1,"c":3})"), ElementsAre(HasSubstr("/c")));
}

TEST(JsonSchema, Arrays) {
  const std::string schema =
      R"({"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":2})";
  expect_valid(schema, {"[1]", "[1,2]"});
  expect_invalid(schema, {"[]", "[1,2,3]", R"([1,"2"])"});
  EXPECT_THAT(faults(schema, R"([1,"2"])"), ElementsAre(HasSubstr("/1")));
}

TEST(JsonSchema, Branches) {
  const std::string branches = R"([{"type":"integer"},{"minimum":5}])";
  expect_valid(R"({"oneOf":)" + branches + "}", {"1", "7.5"});
  expect_invalid(R"({"oneOf":)" + branches + "}", {"7", "1.5"});
  expect_valid(R"({"anyOf":)" + branches + "}", {"1", "7", "7.5"});
  expect_invalid(R"({"anyOf":)" + branches + "}", {"1.5"});
  expect_valid(R"({"allOf":)" + branches + "}", {"7"});
  expect_invalid(R"({"allOf":)" + branches + "}", {"1", "7.5"});
}

TEST(JsonSchema, References) {
  const std::string schema = R"({"$ref":"#/defs/a","minimum":2,"defs":{"a":{"type":"integer"}}})";
  const JsonSchema document(schema);
  const auto root = document.at("/defs/a");
  EXPECT_THAT(document.check(root, "1"), IsEmpty());
  const JsonSchema nested(
      R"({"properties":{"x":{"$ref":"#/properties/y","minimum":2},"y":{"type":"integer"}}})");
  EXPECT_THAT(nested.check(nested.document(), R"({"x":2})"), IsEmpty());
  EXPECT_FALSE(nested.check(nested.document(), R"({"x":1})").empty()) << "beside the reference";
  EXPECT_FALSE(nested.check(nested.document(), R"({"x":"2"})").empty()) << "what it refers to";
}

TEST(JsonSchema, Texts) {
  expect_valid(R"({"pattern":"^[a-z]+$"})", {R"("abc")", "1"});
  expect_invalid(R"({"pattern":"^[a-z]+$"})", {R"("aBc")", R"("")"});
  expect_valid(R"({"pattern":"b"})", {R"("abc")"});
  expect_valid(R"({"minLength":2,"maxLength":3})", {R"("äö")", R"("äöü")"});
  expect_invalid(R"({"minLength":2,"maxLength":3})", {R"("ä")", R"("abcd")"});
}

TEST(JsonSchema, Numbers) {
  expect_valid(R"({"minimum":1,"maximum":9007199254740991})", {"1", "9007199254740991", R"("x")"});
  expect_invalid(R"({"minimum":1,"maximum":9007199254740991})", {"0", "0.5", "9007199254740992"});
  expect_valid(R"({"exclusiveMinimum":0})", {"0.1"});
  expect_invalid(R"({"exclusiveMinimum":0})", {"0", "-1"});
}

TEST(JsonSchema, UnknownKeywordsLetNothingPass) {
  expect_invalid(R"({"multipleOf":2})", {"2", "3"});
  expect_invalid(R"({"properties":{"a":{"not":{"type":"string"}}}})", {R"({"a":1})"});
  expect_invalid(R"({"typ":"string"})", {R"("a")"});
  expect_valid(R"({"format":"date-time","description":"d","examples":[1]})", {R"("no date")"});
}

TEST(JsonSchema, NotJsonIsAtFault) { expect_invalid("true", {"", "{", "nul"}); }

TEST(JsonSchema, SchemasAreInspectedWherever) {
  const auto found = [](const std::string& schema) {
    const JsonSchema document(schema);
    return document.check_schema(document.document());
  };
  EXPECT_THAT(found(R"({"type":"object","properties":{"a":{"items":{"oneOf":[true]}}}})"),
              IsEmpty());
  EXPECT_THAT(found(R"({"properties":{"a":{"items":{"oneOf":[{"not":1}]}}}})"),
              ElementsAre(HasSubstr("not")));
  EXPECT_THAT(found(R"({"properties":{"a":{"$ref":"#/properties/b"},"b":{"uniqueItems":true}}})"),
              testing::SizeIs(2));
  EXPECT_THAT(found(R"({"items":7})"), testing::SizeIs(1));
}

}  // namespace
}  // namespace holdfast::test
