#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/short_text.hpp"
#include "holdfast/clock.hpp"

namespace holdfast {

/// RFC 3339, UTC, always six decimals: `2026-01-02T03:04:05.678901Z`.
[[nodiscard]] std::string to_rfc3339(Instant instant);
/// The same, for whoever only passes it on.
[[nodiscard]] ShortText time_text(Instant instant);
[[nodiscard]] std::optional<Instant> parse_rfc3339(std::string_view text);

/// What people type: `90s`, `15m`, `24h`, `7d`, `250ms`, `10us`, or ISO 8601 without months
/// and years (`PT15M`, `P1DT12H`, `PT0.5S`). Nothing negative, nothing that overflows.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
/// The shortest of the first kind that is exact: `15m`, `1500ms`.
[[nodiscard]] std::string to_short_text(Duration duration);

}  // namespace holdfast
