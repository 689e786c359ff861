#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_writer.hpp"

/// Members of objects, and pointers to them.
namespace holdfast {

inline void text_member(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  json.string(text);
}

inline void integer_member(JsonWriter& json, std::string_view name, std::int64_t number) {
  json.key(name);
  json.integer(number);
}

/// One more step of an RFC 6901 pointer: a slash and the name, escaped.
[[nodiscard]] inline std::string pointer_step(std::string_view name) {
  std::string step = "/";
  for (const char c : name) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

}  // namespace holdfast
