#include "support/json.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {

Json::Json(const std::string& text) : parser_(std::make_shared<simdjson::dom::parser>()) {
  const auto error = parser_->parse(text).get(root_);
  if (error != simdjson::SUCCESS) {
    ADD_FAILURE() << "not JSON: " << text;
    root_ = parser_->parse(std::string("{}")).value();
  }
}

simdjson::simdjson_result<simdjson::dom::element> Json::at(const std::string& pointer) const {
  return root_.at_pointer(pointer);
}

bool Json::has(const std::string& pointer) const {
  return at(pointer).error() == simdjson::SUCCESS;
}

std::string Json::text(const std::string& pointer) const {
  std::string_view value;
  EXPECT_EQ(at(pointer).get(value), simdjson::SUCCESS) << pointer << " in " << raw("");
  return std::string(value);
}

std::int64_t Json::number(const std::string& pointer) const {
  std::int64_t value = 0;
  EXPECT_EQ(at(pointer).get(value), simdjson::SUCCESS) << pointer << " in " << raw("");
  return value;
}

bool Json::truth(const std::string& pointer) const {
  bool value = false;
  EXPECT_EQ(at(pointer).get(value), simdjson::SUCCESS) << pointer << " in " << raw("");
  return value;
}

bool Json::is_null(const std::string& pointer) const {
  return has(pointer) && at(pointer).is_null();
}

std::size_t Json::size(const std::string& pointer) const {
  simdjson::dom::array values;
  const auto error = at(pointer).get(values);
  EXPECT_EQ(error, simdjson::SUCCESS) << pointer << " in " << raw("");
  return error == simdjson::SUCCESS ? values.size() : 0;
}

std::vector<std::string> Json::texts(const std::string& pointer, const std::string& member) const {
  std::vector<std::string> found;
  simdjson::dom::array values;
  const auto error = at(pointer).get(values);
  EXPECT_EQ(error, simdjson::SUCCESS) << pointer << " in " << raw("");
  if (error != simdjson::SUCCESS) return found;
  for (const simdjson::dom::element each : values) {
    std::string_view text;
    EXPECT_EQ(each.at_key(member).get(text), simdjson::SUCCESS) << member << " in " << pointer;
    found.emplace_back(text);
  }
  return found;
}

std::string Json::raw(const std::string& pointer) const {
  return has(pointer) ? simdjson::minify(at(pointer).value()) : std::string();
}

std::vector<std::string> Json::keys(const std::string& pointer) const {
  std::vector<std::string> names;
  simdjson::dom::object object;
  const auto error = at(pointer).get(object);
  EXPECT_EQ(error, simdjson::SUCCESS) << pointer;
  if (error != simdjson::SUCCESS) return names;
  for (const auto& [name, value] : object) names.emplace_back(name);
  return names;
}

}  // namespace holdfast::test
