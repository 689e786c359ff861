#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

/// Time and randomness, as the engine is given them. The engine never asks the machine for either
/// by itself: replace both, and every run of a test is the same run.
namespace holdfast {

/// Every span of time in Holdfast is a whole number of microseconds.
using Duration = std::chrono::microseconds;

/// A point in UTC, to the microsecond. Instants are compared exactly: a hold that expires at an
/// instant has lapsed at that very microsecond.
using Instant = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Where the time comes from. The engine reads it once per batch and uses that one reading for
/// every guard and every stamp in the batch, so that no call can pass a guard at one instant and be
/// stamped with another (PC-7).
///
/// A clock may step in either direction. The engine's own time never runs backward, not even when
/// a store is opened again (PC-8): after a step back it stands still until the clock has caught up.
/// After a step forward, holds lapse and tokens are forgotten early; there is no way back from
/// that.
///
/// Implementations must be safe to call from several threads, and must not throw or block.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

/// The machine's own clock, which is the default everywhere. One object for the whole process.
[[nodiscard]] std::shared_ptr<Clock> system_clock();

/// A clock that moves only when told to: for your own tests of what happens at the very instant a
/// hold lapses. All members may be called from any thread. Nobody is woken when it is set: the
/// engine looks at it with the next batch, and the sweeper at its next turn.
class SettableClock final : public Clock {
 public:
  explicit SettableClock(Instant start) : now_us_(start.time_since_epoch().count()) {}

  [[nodiscard]] Instant now() const override { return Instant(Duration(now_us_.load())); }
  /// Back as well as forward; see `Clock` for what going back does to the engine.
  void set(Instant to) { now_us_.store(to.time_since_epoch().count()); }
  void advance(Duration by) { now_us_.fetch_add(by.count()); }

 private:
  std::atomic<std::int64_t> now_us_;
};

/// Where randomness comes from: fresh tokens, the salt of a hold's id, the secret behind
/// confirmation codes, the pauses of a client that tries again. Ids and tokens are as hard to guess
/// as this is.
///
/// Implementations must be safe to call from several threads, and must not throw.
class Random {
 public:
  virtual ~Random() = default;
  /// Fills every byte of `out`, which may be empty.
  virtual void fill(std::span<std::uint8_t> out) = 0;
};

/// The operating system's generator, which is the default everywhere. One object for the whole
/// process. A forked process draws nothing that its parent drew.
[[nodiscard]] std::shared_ptr<Random> system_random();

/// A repeatable sequence, the same for the same seed: for tests and simulations only. Whoever knows
/// the seed can guess every token and every id made with it.
[[nodiscard]] std::shared_ptr<Random> seeded_random(std::uint64_t seed);

}  // namespace holdfast
