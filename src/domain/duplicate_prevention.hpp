#pragma once

#include <optional>

#include "holdfast/clock.hpp"

/// Duplicate Prevention: which tokens count as seen. Knows nothing of holds.
///
///   DP-1  a recorded token is seen while now − recorded_at < window
///   DP-2  at exactly the window, and after, it is not seen: it may be used afresh
///   DP-3  it is recorded once per window: seeing it again never moves recorded_at
///   DP-4  checking changes nothing
namespace holdfast::duplicate_prevention {

/// `window` unset: seen for ever.
[[nodiscard]] constexpr bool seen(Instant recorded_at, std::optional<Duration> window,
                                  Instant now) {
  return !window || now - recorded_at < *window;
}

}  // namespace holdfast::duplicate_prevention
