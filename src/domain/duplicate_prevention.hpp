#pragma once

#include <algorithm>
#include <optional>

#include "holdfast/clock.hpp"

/// Duplicate Prevention: which tokens count as seen. Knows nothing of holds.
///
/// A recorded token is seen while now − recorded_at < window; seeing it never moves recorded_at.
/// A store's window may be changed. From then on the new one counts, for tokens that are seen when
/// it is changed and would be seen by the new one, too. All others are forgotten then, and no later
/// change brings them back: they may have been used afresh.
/// Its invariants are DP-1 to DP-4. `domain/invariants.hpp` words them, and checks them from
/// records.
namespace holdfast::duplicate_prevention {

/// `window` unset: seen for ever.
[[nodiscard]] constexpr bool seen(Instant recorded_at, std::optional<Duration> window,
                                  Instant now) {
  return !window || now - recorded_at < *window;
}

/// What was recorded up to this instant is forgotten when the window is changed at `now`.
[[nodiscard]] constexpr Instant forgotten_to(Duration before, Duration window, Instant now) {
  return now - std::min(before, window);
}

}  // namespace holdfast::duplicate_prevention
