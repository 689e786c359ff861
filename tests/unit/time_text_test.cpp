#include "base/time_text.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "holdfast/types.hpp"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

Instant at(std::int64_t us) { return Instant(Duration(us)); }

TEST(Rfc3339, is_written_with_six_decimals_in_utc) {
  EXPECT_EQ(to_rfc3339(at(0)), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_rfc3339(at(1)), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(to_rfc3339(at(-1)), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(to_rfc3339(std::chrono::sys_days(std::chrono::February / 29 / 2024) + 23h + 59min +
                       59s + 123456us),
            "2024-02-29T23:59:59.123456Z");
  EXPECT_EQ(to_rfc3339(never), "never");
}

TEST(Rfc3339, is_read_back_to_the_microsecond) {
  for (const std::int64_t us :
       {0LL, 1LL, -1LL, 1'767'225'600'000'001LL, 253'402'300'799'999'999LL}) {
    EXPECT_EQ(parse_rfc3339(to_rfc3339(at(us))), at(us)) << us;
  }
}

TEST(Rfc3339, may_be_written_shorter_by_people) {
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:01Z"), at(1'000'000));
  EXPECT_EQ(parse_rfc3339("1970-01-01 00:00:01.5Z"), at(1'500'000));
}

TEST(Rfc3339, refuses_everything_else) {
  for (const std::string_view text :
       {"", "Z", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00Z", "1970-13-01T00:00:00Z",
        "1970-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.1234567Z", "1970-01-01T00:00:00+00:00", "1970-01-01T00:00:00Zx",
        " 1970-01-01T00:00:00Z", "1970-1-01T00:00:00Z", "never"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Durations, are_read_as_people_write_them) {
  EXPECT_EQ(parse_duration("90s"), 90s);
  EXPECT_EQ(parse_duration("15m"), 15min);
  EXPECT_EQ(parse_duration("24h"), 24h);
  EXPECT_EQ(parse_duration("7d"), 168h);
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("10us"), 10us);
  EXPECT_EQ(parse_duration("0s"), 0s);
}

TEST(Durations, are_read_in_iso_8601_too) {
  EXPECT_EQ(parse_duration("PT15M"), 15min);
  EXPECT_EQ(parse_duration("P1DT12H"), 36h);
  EXPECT_EQ(parse_duration("PT0.5S"), 500ms);
  EXPECT_EQ(parse_duration("PT0,000001S"), 1us);
  EXPECT_EQ(parse_duration("P2W"), 336h);
  EXPECT_EQ(parse_duration("P1D"), 24h);
  EXPECT_EQ(parse_duration("PT1H2M3S"), 1h + 2min + 3s);
}

TEST(Durations, refuse_what_is_negative_unclear_or_too_large) {
  for (const std::string_view text : {"",
                                      "s",
                                      "5",
                                      "-5s",
                                      "+5s",
                                      "5 s",
                                      " 5s",
                                      "5s ",
                                      "5S",
                                      "1h30m",
                                      "1.5h",
                                      "9223372036854775807d",
                                      "99999999999999999999s",
                                      "P",
                                      "PT",
                                      "P1DT",
                                      "P1M",
                                      "P1Y",
                                      "PT1M1H",
                                      "PT1H1H",
                                      "P1H",
                                      "PT1D",
                                      "PT1.5M",
                                      "P-1D",
                                      "PT1S ",
                                      "PT.5S",
                                      "PT1.S",
                                      "PT0.1234567S",
                                      "P9223372036854775807D",
                                      "PT9223372036854S1S",
                                      "P15250285W",
                                      "PT1TS"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Durations, up_to_the_largest_are_exact) {
  EXPECT_EQ(parse_duration("9223372036854775807us"), Duration::max());
  EXPECT_FALSE(parse_duration("9223372036854775808us"));
  EXPECT_EQ(parse_duration("PT9223372036854.775807S"), Duration::max());
  EXPECT_FALSE(parse_duration("PT9223372036854.775808S"));
}

TEST(Durations, are_written_in_the_largest_unit_that_is_exact) {
  EXPECT_EQ(to_short_text(15min), "15m");
  EXPECT_EQ(to_short_text(90min), "90m");
  EXPECT_EQ(to_short_text(24h), "1d");
  EXPECT_EQ(to_short_text(1500ms), "1500ms");
  EXPECT_EQ(to_short_text(1us), "1us");
  EXPECT_EQ(to_short_text(0us), "0s");
  for (const Duration each : {Duration(1us), Duration(999ms), Duration(36h), Duration::max()}) {
    EXPECT_EQ(parse_duration(to_short_text(each)), each);
  }
}

}  // namespace
}  // namespace holdfast
