#include "base/time_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>

namespace holdfast {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t us;
};

constexpr std::int64_t second_us = 1'000'000;
constexpr std::array units{
    Unit{"d", 86'400 * second_us},
    Unit{"h", 3'600 * second_us},
    Unit{"m", 60 * second_us},
    Unit{"s", second_us},
    Unit{"ms", 1'000},
    Unit{"us", 1},
};

std::optional<std::int64_t> checked_scale(std::int64_t number, std::int64_t by) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(number, by, &out)) return std::nullopt;
  return out;
}

/// Takes decimal digits off the front; nothing if there are none or too many.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// `.5` → 500000; at most six digits.
std::optional<std::int64_t> take_fraction_us(std::string_view& text) {
  if (text.empty() || (text.front() != '.' && text.front() != ',')) return 0;
  text.remove_prefix(1);
  std::int64_t us = 0;
  std::int64_t scale = second_us / 10;
  std::size_t digits = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (scale == 0) return std::nullopt;
    us += std::int64_t{text.front() - '0'} * scale;
    scale /= 10;
    text.remove_prefix(1);
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  return us;
}

bool add_checked(std::int64_t& sum, std::optional<std::int64_t> part) {
  return part && !__builtin_add_overflow(sum, *part, &sum);
}

/// The parts of `P1DT2H3M4.5S`, each at most once and in this order.
std::optional<Duration> parse_iso(std::string_view text) {
  constexpr std::string_view designators = "WDHMS";
  constexpr std::array<std::int64_t, 5> scale_us{second_us * 86'400 * 7, second_us * 86'400,
                                                 3'600 * second_us, 60 * second_us, second_us};
  text.remove_prefix(1);
  std::int64_t sum = 0;
  std::size_t next = 0;
  bool time = false;
  bool any = false;
  while (!text.empty()) {
    if (text.front() == 'T' && !time) {
      time = true;
      next = 2;
      any = false;  // a T must be followed by something
      text.remove_prefix(1);
      continue;
    }
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    const auto fraction = take_fraction_us(text);
    if (!fraction || text.empty()) return std::nullopt;
    const std::size_t at = designators.find(text.front(), next);
    if (at == std::string_view::npos || (at >= 2) != time) return std::nullopt;
    if (*fraction != 0 && at != 4) return std::nullopt;
    if (!add_checked(sum, checked_scale(*number, scale_us[at]))) return std::nullopt;
    if (!add_checked(sum, *fraction)) return std::nullopt;
    text.remove_prefix(1);
    next = at + 1;
    any = true;
  }
  if (!any) return std::nullopt;
  return Duration(sum);
}

std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

void put_digits(char* at, std::size_t count, std::int64_t number) {
  for (std::size_t i = count; i-- > 0; number /= 10) at[i] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string to_rfc3339(Instant instant) { return std::string(time_text(instant)); }

ShortText time_text(Instant instant) {
  if (instant == Instant(Duration(INT64_MAX))) return ShortText("never");
  const auto day = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(instant - day);
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) {
    return ShortText(fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", year, static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
        time.seconds().count(), time.subseconds().count()));
  }
  // Every answer has a few of these: digit by digit is several times faster than formatting.
  char text[] = "0000-00-00T00:00:00.000000Z";
  put_digits(text, 4, year);
  put_digits(text + 5, 2, static_cast<unsigned>(date.month()));
  put_digits(text + 8, 2, static_cast<unsigned>(date.day()));
  put_digits(text + 11, 2, time.hours().count());
  put_digits(text + 14, 2, time.minutes().count());
  put_digits(text + 17, 2, time.seconds().count());
  put_digits(text + 20, 6, time.subseconds().count());
  return ShortText({text, sizeof text - 1});
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !(take(text, 'T') || take(text, ' '))) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_digits(text, 2);
  const auto fraction = second ? take_fraction_us(text) : std::nullopt;
  if (!fraction || text != "Z" || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) + Duration(*fraction);
}

std::optional<Duration> parse_duration(std::string_view text) {
  if (!text.empty() && text.front() == 'P') return parse_iso(text);
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != text) continue;
    const auto us = checked_scale(*number, unit.us);
    return us ? std::optional(Duration(*us)) : std::nullopt;
  }
  return std::nullopt;
}

std::string to_short_text(Duration duration) {
  for (const Unit& unit : units) {
    if (duration.count() != 0 && duration.count() % unit.us == 0) {
      return fmt::format("{}{}", duration.count() / unit.us, unit.name);
    }
  }
  return "0s";
}

}  // namespace holdfast
