#include "client/retry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::client {
namespace {

using namespace std::chrono_literals;

/// Always the largest number there is, or zero.
class FixedRandom final : public Random {
 public:
  explicit FixedRandom(std::uint8_t byte) : byte_(byte) {}
  void fill(std::span<std::uint8_t> out) override { std::fill(out.begin(), out.end(), byte_); }

 private:
  std::uint8_t byte_;
};

ClientOptions patient() {
  return {.patience = 1h,
          .attempts_max = 100,
          .backoff_first = 100ms,
          .backoff_max = 10s,
          .retry_after_max = 60s};
}

std::optional<Duration> wait_after(std::size_t attempts, Duration elapsed = {},
                                   std::optional<Duration> asked = std::nullopt,
                                   const ClientOptions& options = patient()) {
  FixedRandom none(0);
  return wait_before_next(options, attempts, elapsed, asked, none);
}

TEST(Waits, AreRandomUpToABoundThatDoubles) {
  const auto random = seeded_random(7);
  const std::vector<Duration> bounds{100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 10s, 10s};
  for (std::size_t attempts = 1; attempts <= bounds.size(); ++attempts) {
    Duration least = 1h;
    Duration most{};
    for (int i = 0; i < 1000; ++i) {
      const auto wait = wait_before_next(patient(), attempts, {}, std::nullopt, *random);
      ASSERT_TRUE(wait);
      least = std::min(least, *wait);
      most = std::max(most, *wait);
    }
    const Duration bound = bounds[attempts - 1];
    EXPECT_LE(most, bound);
    EXPECT_GT(most, bound * 9 / 10) << "the whole width is used";
    EXPECT_LT(least, bound / 10);
  }
}

TEST(Waits, AreAtLeastWhatTheServerAsksFor) {
  EXPECT_EQ(wait_after(1, {}, 3s), 3s);
  EXPECT_EQ(wait_after(1, {}, 10h), 60s) << "within reason";
  const auto random = seeded_random(7);
  bool spread = false;
  for (int i = 0; i < 100; ++i) {
    const auto wait = wait_before_next(patient(), 1, {}, 3s, *random);
    ASSERT_TRUE(wait && *wait >= 3s && *wait <= 3100ms);
    spread = spread || *wait > 3050ms;
  }
  EXPECT_TRUE(spread) << "clients told the same do not come back together";
}

TEST(Waits, EndWithPatience) {
  EXPECT_TRUE(wait_after(99));
  EXPECT_FALSE(wait_after(100)) << "attempts";
  EXPECT_TRUE(wait_after(1, 1h - 1us));
  EXPECT_FALSE(wait_after(1, 1h)) << "time";
  EXPECT_TRUE(wait_after(1, 1h - 3s - 1us, 3s));
  EXPECT_FALSE(wait_after(1, 1h - 3s, 3s)) << "a wait that leaves no time to ask";
}

TEST(Waits, LeaveTimeToAskAgain) {
  FixedRandom most(0xff);
  for (const Duration left : std::initializer_list<Duration>{8s, 2s, 300ms}) {
    const auto wait = wait_before_next(patient(), 50, 1h - left, std::nullopt, most);
    ASSERT_TRUE(wait) << left.count();
    EXPECT_LE(*wait, left / 2);
  }
}

RC_GTEST_PROP(Waits, NeverOverflow, (std::size_t attempts, std::int64_t first, std::int64_t max)) {
  ClientOptions options = patient();
  options.backoff_first = Duration(std::abs(first % INT32_MAX) + 1);
  options.backoff_max = Duration(std::abs(max % INT32_MAX) + 1);
  options.attempts_max = SIZE_MAX;
  FixedRandom most(0xff);
  const auto wait = wait_before_next(options, attempts, {}, std::nullopt, most);
  RC_ASSERT(wait && *wait >= Duration::zero() && *wait <= options.backoff_max);
}

constexpr Instant now{std::chrono::sys_days(std::chrono::November / 6 / 1994) + 8h + 49min + 37s};

TEST(HttpDates, AreReadInAllThreeForms) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), now);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), now);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994"), now);
  for (const char* text : {"", "soon", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37 GMT+1",
                           "Sun, 31 Feb 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

TEST(RetryAfter, IsSecondsOrADate) {
  EXPECT_EQ(parse_retry_after("0", now), 0s);
  EXPECT_EQ(parse_retry_after("120", now), 120s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:00 GMT", now), 23s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), 0s) << "it has passed";
  EXPECT_GE(parse_retry_after("99999999999999999999999", now), 24h * 365);
  for (const char* text : {"", "-1", "1.5", "1s", "soon"}) {
    EXPECT_EQ(parse_retry_after(text, now), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace holdfast::client
