#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/failure.hpp"

/// From words of the command line to values. What is no number or duration at all is a usage
/// error; what is one that nothing could accept is the engine's `invalid-request`.
namespace holdfast::cli {

/// `90s`, `15m`, `24h`, `7d`, `PT15M`; a leading minus is understood, for the engine to refuse.
[[nodiscard]] Parsed<Duration> parse_duration_argument(std::string_view text,
                                                       std::string_view field);

/// A whole number, of whatever sign; `field` is what the engine calls it.
[[nodiscard]] Parsed<std::int64_t> parse_number_argument(std::string_view text,
                                                         std::string_view field);

/// A hold's id. What does not look like one names no hold: `not-known`.
[[nodiscard]] Parsed<HoldId> parse_id_argument(std::string_view text);

/// Likewise of a group.
[[nodiscard]] Parsed<GroupId> parse_group_argument(std::string_view text);

/// `room_307 breakfast=2`: the holds of a group.
[[nodiscard]] Parsed<std::vector<GroupItem>> parse_items_argument(std::string_view text);
/// Any JSON, in canonical form.
[[nodiscard]] Parsed<std::string> parse_json_argument(std::string_view text, std::string_view what);
/// Names, separated by commas.
[[nodiscard]] Parsed<std::vector<std::string>> parse_names_argument(std::string_view text);

/// How many rows a list may have: 1 to 10,000.
[[nodiscard]] Parsed<std::size_t> parse_limit_argument(std::string_view text);

/// `--patience`: longer than nothing; empty if it was not given.
[[nodiscard]] Parsed<Duration> parse_patience_argument(std::string_view text, Duration otherwise);

/// `--window`; unset when the text is empty.
[[nodiscard]] Parsed<std::optional<Duration>> parse_window_argument(std::string_view text);

}  // namespace holdfast::cli
