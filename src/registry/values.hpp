#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/clock.hpp"

/// Values of members. Each `take` is false, and leaves things alone, if the value is of another
/// kind or outside its bounds.
namespace holdfast::registry {

inline constexpr std::size_t name_bytes_max = 64;

/// `[a-z][a-z0-9_]*`
[[nodiscard]] bool is_name(std::string_view text);

[[nodiscard]] bool take_name(const toml::node& value, std::string& into);
/// One line of people's words, without control characters.
[[nodiscard]] bool take_line(const toml::node& value, std::size_t bytes_max, std::string& into);
/// Any text at all.
[[nodiscard]] bool take_text(const toml::node& value, std::size_t bytes_max, std::string& into);
[[nodiscard]] bool take_truth(const toml::node& value, bool& into);

struct DurationBounds {
  Duration least;
  Duration most;
};
[[nodiscard]] bool take_duration(const toml::node& value, DurationBounds bounds, Duration& into);

template <typename Number>
[[nodiscard]] bool take_count(const toml::node& value, std::int64_t least, std::int64_t most,
                              Number& into) {
  const auto* const number = value.as_integer();
  if (number == nullptr || number->get() < least || number->get() > most) return false;
  into = static_cast<Number>(number->get());
  return true;
}

/// HTTP statuses, each once, at least one.
[[nodiscard]] bool take_statuses(const toml::node& value, std::vector<int>& into);

/// A table of text, as headers are.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] bool take_texts(const toml::node& value, NamedTexts& into);

/// RFC 6901.
[[nodiscard]] bool take_pointer(const toml::node& value, std::optional<std::string>& into);

/// One of some enumerators, by its name.
template <typename Enum>
[[nodiscard]] bool take_choice(const toml::node& value, std::initializer_list<Enum> choices,
                               Enum& into) {
  const auto* const text = value.as_string();
  if (text == nullptr) return false;
  for (const Enum each : choices) {
    if (name(each) != text->get()) continue;
    into = each;
    return true;
  }
  return false;
}

/// One of two words.
[[nodiscard]] bool take_either(const toml::node& value, std::string_view no, std::string_view yes,
                               bool& into);

}  // namespace holdfast::registry
