#pragma once

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

/// A parsed JSON text. Looking for what is not there fails the test and gives a default.
class Json {
 public:
  explicit Json(const std::string& text);
  [[nodiscard]] bool has(const std::string& pointer) const;
  [[nodiscard]] std::string text(const std::string& pointer) const;
  [[nodiscard]] std::int64_t number(const std::string& pointer) const;
  [[nodiscard]] bool truth(const std::string& pointer) const;
  [[nodiscard]] bool is_null(const std::string& pointer) const;
  [[nodiscard]] std::size_t size(const std::string& pointer) const;
  /// One text of each object in an array.
  [[nodiscard]] std::vector<std::string> texts(const std::string& pointer,
                                               const std::string& member) const;
  /// The value as compact JSON again.
  [[nodiscard]] std::string raw(const std::string& pointer) const;
  /// The names of an object's members, in order.
  [[nodiscard]] std::vector<std::string> keys(const std::string& pointer) const;

 private:
  [[nodiscard]] simdjson::simdjson_result<simdjson::dom::element> at(
      const std::string& pointer) const;

  std::shared_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element root_;
};

}  // namespace holdfast::test
