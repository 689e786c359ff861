#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

namespace holdfast {

/// Every span of time in Holdfast is a whole number of microseconds.
using Duration = std::chrono::microseconds;

/// A point in UTC, to the microsecond.
using Instant = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Where the time comes from. The engine reads it once per batch and uses that one
/// reading for every guard and every stamp in the batch. A clock may step in either
/// direction: the engine never lets its own time run backward, so after a step back
/// it stands still until the clock has caught up.
///
/// Implementations must be safe to call from several threads.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

/// The machine's own clock. What you get if you ask for nothing else.
[[nodiscard]] std::shared_ptr<Clock> system_clock();

/// A clock that moves only when told to: for your own tests of what happens at the
/// very instant a hold lapses. Safe to set from any thread.
class SettableClock final : public Clock {
 public:
  explicit SettableClock(Instant start) : now_us_(start.time_since_epoch().count()) {}

  [[nodiscard]] Instant now() const override { return Instant(Duration(now_us_.load())); }
  void set(Instant to) { now_us_.store(to.time_since_epoch().count()); }
  void advance(Duration by) { now_us_.fetch_add(by.count()); }

 private:
  std::atomic<std::int64_t> now_us_;
};

/// Where randomness comes from: fresh tokens and the unguessable half of a hold's id.
/// Implementations must be safe to call from several threads.
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> out) = 0;
};

/// The operating system's generator.
[[nodiscard]] std::shared_ptr<Random> system_random();

/// A repeatable sequence, the same for the same seed: for tests and simulations only.
[[nodiscard]] std::shared_ptr<Random> seeded_random(std::uint64_t seed);

}  // namespace holdfast
