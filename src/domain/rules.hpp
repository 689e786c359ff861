#pragma once

#include <algorithm>
#include <optional>

#include "base/siphash.hpp"
#include "holdfast/operations.hpp"
#include "holdfast/types.hpp"

namespace holdfast {

/// That much later than `from`; `never` if no clock gets there. `time` is not negative.
[[nodiscard]] constexpr Instant after(Instant from, Duration time) {
  const Duration passed = std::max(from.time_since_epoch(), Duration::zero());
  return time >= never.time_since_epoch() - passed ? never : from + time;
}

/// How long a hold may live, extensions included, where nobody says.
[[nodiscard]] constexpr Duration lifetime_otherwise(Duration duration_max) {
  return std::max<Duration>(duration_max, std::chrono::hours(24 * 366));
}

/// Everything a decision depends on besides the state, the request and the instant.
struct Rules {
  Policies policies{};
  Duration window = std::chrono::hours(24);
  std::size_t token_bytes_max = 256;
  Duration duration_min = std::chrono::milliseconds(1);
  Duration duration_max = std::chrono::hours(24 * 366);
  Duration lifetime_max = std::chrono::hours(24 * 366);
  Duration confirmation_lifetime = std::chrono::minutes(5);
  HashKey confirmation_secret{};
  /// Outcomes up to this record were first answered by the version before schema 3, which said less
  /// of holds and refusals. Their replays say no more.
  std::uint64_t plain_until = 0;

  /// How long tokens of an operation are recognised; unset: for ever.
  [[nodiscard]] std::optional<Duration> window_of(Operation operation) const {
    const Policy& policy = policies[operation];
    if (policy.token_class == TokenClass::i1_strict) return std::nullopt;
    return policy.window.value_or(window);
  }

  /// The instant a token recorded then is forgotten.
  [[nodiscard]] Instant forgotten_at(Operation operation, Instant recorded_at) const {
    const auto kept = window_of(operation);
    return kept ? after(recorded_at, *kept) : never;
  }
};

}  // namespace holdfast
