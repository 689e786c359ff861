#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/types.hpp"

/// Words for people.
namespace holdfast::cli {

/// The bytes as something safe to show: control characters, characters that reorder text, and
/// bytes that are not UTF-8 appear as `\x1b` or `\u{202e}`, so that a name can neither move the
/// cursor nor pretend to be another.
[[nodiscard]] std::string printable(std::string_view bytes);

/// How many columns a printable text takes, one per character.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// The bytes as one word of a shell command, quoted only if need be.
[[nodiscard]] std::string shell_quoted(std::string_view bytes);

/// ` --token X`, as one would type it to repeat a call.
[[nodiscard]] std::string token_option(std::string_view token);

/// The two largest units, rounded down: `23h 59m`, `1m 30s`, `250ms`.
[[nodiscard]] std::string span_text(Duration span);

/// `in 23h 59m`, `5m 2s ago`, `now`.
[[nodiscard]] std::string relative_text(Instant instant, Instant now);

/// `2026-01-02 03:04:05 UTC`.
[[nodiscard]] std::string instant_text(Instant instant);

/// Both of them: `2026-01-02 03:04:05 UTC (in 23h 59m)`.
[[nodiscard]] std::string moment_text(Instant instant, Instant now);

/// `12,345`.
[[nodiscard]] std::string number_text(std::uint64_t number);

/// `1 hold`, `12,345 holds`.
[[nodiscard]] std::string count_text(std::uint64_t number, std::string_view one);
/// Several of them: `hold` is `holds`, and `entry` is `entries`.
[[nodiscard]] std::string plural(std::string_view one);

}  // namespace holdfast::cli
