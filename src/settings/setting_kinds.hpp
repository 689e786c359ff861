#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/time_text.hpp"
#include "settings/setting.hpp"
#include "settings/setting_values.hpp"

/// Makes rows of the table of settings. `at` finds a setting's member in `Settings`, const or not.
namespace holdfast::http {

/// What a row says besides where its value is kept.
struct Words {
  std::string name;
  std::string help;
  std::string unset{};
};

template <typename T>
struct Range {
  T min;
  T max;
};

template <typename At>
using Member = std::remove_cvref_t<std::invoke_result_t<At, Settings&>>;

/// A row whose value is read by `parse`, which gives an optional, and written by `print`.
template <typename At, typename Parse, typename Print>
Setting make_setting(const Words& words, Kind kind, const std::string& allowed, At at, Parse parse,
                     Print print) {
  return {.name = words.name,
          .kind = kind,
          .allowed = allowed,
          .help = words.help,
          .unset = words.unset,
          .set =
              [at, parse](Settings& settings, std::string_view text) {
                const auto value = parse(text);
                if (value) at(settings) = *value;
                return value.has_value();
              },
          .show = [at, print](const Settings& settings) { return print(at(settings)); }};
}

template <typename At>
Setting text_setting(const Words& words, At at, const std::string& allowed,
                     bool (*is_allowed)(std::string_view)) {
  return make_setting(
      words, Kind::text, allowed, at,
      [is_allowed](std::string_view text) {
        return is_allowed(text) ? std::optional(std::string(text)) : std::nullopt;
      },
      [](const std::string& value) { return value; });
}

template <typename At>
Setting number_setting(const Words& words, Kind kind, const std::string& allowed, At at,
                       Range<std::uint64_t> range,
                       std::optional<std::uint64_t> (*parse)(std::string_view),
                       std::string (*print)(std::uint64_t)) {
  return make_setting(
      words, kind, allowed, at,
      [range, parse](std::string_view text) {
        std::optional<Member<At>> value;
        const auto number = parse(text);
        if (number && *number >= range.min && *number <= range.max) {
          value = static_cast<Member<At>>(*number);
        }
        return value;
      },
      [print](Member<At> value) { return print(static_cast<std::uint64_t>(value)); });
}

template <typename At>
Setting count_setting(const Words& words, At at, Range<std::uint64_t> range) {
  return number_setting(words, Kind::count,
                        fmt::format("a whole number from {} to {}", range.min, range.max), at,
                        range, parse_count, std::to_string);
}

template <typename At>
Setting bytes_setting(const Words& words, At at, Range<std::uint64_t> range) {
  return number_setting(words, Kind::bytes,
                        fmt::format("a size from {} to {}, such as 64KiB or 65536",
                                    bytes_text(range.min), bytes_text(range.max)),
                        at, range, parse_bytes, bytes_text);
}

/// For a `Duration`, or an optional one that is unset until it is given.
template <typename At>
Setting duration_setting(const Words& words, At at, Range<Duration> range) {
  return make_setting(
      words, Kind::duration,
      fmt::format("a duration from {} to {}, such as 15m or PT15M", to_short_text(range.min),
                  to_short_text(range.max)),
      at,
      [range](std::string_view text) {
        auto duration = parse_duration(text);
        if (duration && (*duration < range.min || *duration > range.max)) duration.reset();
        return duration;
      },
      [](const std::optional<Duration>& value) {
        return value ? to_short_text(*value) : std::string();
      });
}

/// One of several values, each with a name.
template <typename At, std::size_t Count>
Setting choice_setting(const Words& words, At at,
                       const std::array<std::pair<std::string_view, Member<At>>, Count>& choices,
                       Kind kind = Kind::choice) {
  std::string allowed;
  for (std::size_t i = 0; i < Count; ++i) {
    allowed += fmt::format("{}{}", i == 0 ? "" : i + 1 == Count ? " or " : ", ", choices[i].first);
  }
  return make_setting(
      words, kind, allowed, at,
      [choices](std::string_view text) {
        std::optional<Member<At>> value;
        for (const auto& [name, choice] : choices) {
          if (name == text) value = choice;
        }
        return value;
      },
      [choices](Member<At> value) {
        std::string shown;
        for (const auto& [name, choice] : choices) {
          if (choice == value) shown = name;
        }
        return shown;
      });
}

template <typename At>
Setting boolean_setting(const Words& words, At at) {
  constexpr std::array<std::pair<std::string_view, bool>, 2> choices{
      {{"true", true}, {"false", false}}};
  return choice_setting(words, at, choices, Kind::boolean);
}

}  // namespace holdfast::http
