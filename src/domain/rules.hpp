#pragma once

#include <algorithm>
#include <optional>

#include "base/siphash.hpp"
#include "domain/duplicate_prevention.hpp"
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

/// What became of a store's window since the store was made: see `domain/window_change.hpp`.
struct WindowHistory {
  std::optional<Duration> made{};         ///< that it was made with; unset: it was never changed
  Instant forgotten_to = Instant::min();  ///< what was recorded up to then stays forgotten
  std::uint64_t own = 0;                  ///< operations with a window of their own, bits by number
  std::uint64_t seq = 0;                  ///< the record of the last change

  [[nodiscard]] constexpr bool is_own(Operation operation) const {
    return (own >> static_cast<unsigned>(operation) & 1U) != 0;
  }
};

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
  WindowHistory history{};

  /// How long tokens of an operation are recognised; unset: for ever.
  [[nodiscard]] std::optional<Duration> window_of(Operation operation) const {
    const Policy& policy = policies[operation];
    if (policy.token_class == TokenClass::i1_strict) return std::nullopt;
    return policy.window.value_or(window);
  }

  /// Whether tokens of an operation are recognised for the store's window, whatever that is.
  [[nodiscard]] bool follows(Operation operation) const {
    return !history.is_own(operation) && window_of(operation) == std::optional(window);
  }

  [[nodiscard]] bool any_follows() const {
    return std::any_of(operations().begin(), operations().end(),
                       [this](const OperationRow& each) { return follows(each.id); });
  }

  /// Whether a token recorded then is seen now. `ends`: when it is forgotten, of a token that says
  /// so itself.
  [[nodiscard]] bool remembers(Operation operation, Instant recorded_at, Instant now,
                               std::optional<Instant> ends = std::nullopt) const {
    if (ends) return now < *ends;
    if (recorded_at <= history.forgotten_to && follows(operation)) return false;
    return duplicate_prevention::seen(recorded_at, window_of(operation), now);
  }

  /// The instant a token recorded then is forgotten; of one that a change of the window has
  /// forgotten, when it was recorded.
  [[nodiscard]] Instant forgotten_at(Operation operation, Instant recorded_at,
                                     std::optional<Instant> ends = std::nullopt) const {
    if (ends) return *ends;
    if (recorded_at <= history.forgotten_to && follows(operation)) return recorded_at;
    const auto kept = window_of(operation);
    return kept ? after(recorded_at, *kept) : never;
  }
};

}  // namespace holdfast
