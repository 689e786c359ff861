#pragma once

#include <optional>

#include "holdfast/clock.hpp"

/// Duplicate Prevention: which tokens count as seen. Knows nothing of holds.
///
/// A recorded token is seen while now − recorded_at < window; seeing it never moves recorded_at.
/// Its invariants are DP-1 to DP-4. `domain/invariants.hpp` words them, and checks them from
/// records.
namespace holdfast::duplicate_prevention {

/// `window` unset: seen for ever.
[[nodiscard]] constexpr bool seen(Instant recorded_at, std::optional<Duration> window,
                                  Instant now) {
  return !window || now - recorded_at < *window;
}

}  // namespace holdfast::duplicate_prevention
