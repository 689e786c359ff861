#pragma once

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "domain/canonical.hpp"

/// Members of the rows and records of modules. Writers are to name them in the order of RFC 8785;
/// what is empty is left out.
namespace holdfast {

/// JSON has no unsigned numbers of its own; those of rows are far below 2^53.
[[nodiscard]] inline std::int64_t signed_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

inline void optional_text(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) text_member(json, name, text);
}

inline void optional_json(JsonWriter& json, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  json.key(name);
  json.raw(value);
}

inline void instant_text(JsonWriter& json, std::string_view name, Instant at) {
  text_member(json, name, time_text(at));
}

/// The canonical form of a value that was written in it. The parser's own writer gives that of
/// anything but fractions.
inline bool has_fraction(const simdjson::dom::element& value) {
  simdjson::dom::array array;
  if (value.get(array) == simdjson::SUCCESS)
    return std::any_of(array.begin(), array.end(), has_fraction);
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS)
    return value.is<double>() && !value.is<std::int64_t>();
  return std::any_of(object.begin(), object.end(),
                     [](const auto& each) { return has_fraction(each.value); });
}

inline std::string canonical_text(const simdjson::dom::element& value) {
  std::string text = simdjson::minify(value);
  if (!has_fraction(value)) return text;
  auto canonical = canonicalize(text, {.depth = 512, .bytes = text.size()});
  return canonical ? std::move(*canonical) : text;
}

/// Reads an object that a module wrote, member by member. What is of another type makes it bad.
class ObjectReader {
 public:
  explicit ObjectReader(std::string_view json) {
    thread_local simdjson::dom::parser parser;
    good_ = parser.parse(json.data(), json.size()).get(object_) == simdjson::SUCCESS;
  }
  explicit ObjectReader(const simdjson::dom::element& element)
      : good_(element.get(object_) == simdjson::SUCCESS) {}

  void text(std::string_view name, std::string& out, bool required = false) {
    std::string_view value;
    if (take(name, value, required)) out = value;
  }
  void number(std::string_view name, std::uint64_t& out, bool required = false) {
    take(name, out, required);
  }
  void flag(std::string_view name, bool& out) { take(name, out, false); }
  void instant(std::string_view name, Instant& out, bool required = false) {
    std::string_view value;
    if (!take(name, value, required)) return;
    const auto parsed = parse_rfc3339(value);
    good_ = good_ && parsed.has_value();
    if (parsed) out = *parsed;
  }
  void instant(std::string_view name, std::optional<Instant>& out) {
    Instant at{};
    if (good_ && object_[name].error() == simdjson::SUCCESS) {
      instant(name, at);
      out = at;
    }
  }
  /// A value as it stands: what was written in canonical form is in canonical form again.
  void json(std::string_view name, std::string& out) {
    simdjson::dom::element value;
    if (good_ && object_[name].get(value) == simdjson::SUCCESS) out = canonical_text(value);
  }
  template <typename Each>
  void array(std::string_view name, const Each& each) {
    simdjson::dom::array values;
    if (!take(name, values, true)) return;
    for (const auto& value : values) each(value);
  }
  void fail() { good_ = false; }
  [[nodiscard]] bool good() const { return good_; }

 private:
  template <typename T>
  bool take(std::string_view name, T& out, bool required) {
    if (!good_) return false;
    const auto code = object_[name].get(out);
    if (code == simdjson::SUCCESS) return true;
    if (required || code != simdjson::NO_SUCH_FIELD) good_ = false;
    return false;
  }

  simdjson::dom::object object_;
  bool good_ = false;
};

}  // namespace holdfast
