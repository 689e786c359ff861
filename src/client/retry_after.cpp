#include <array>
#include <charconv>
#include <iomanip>
#include <sstream>

#include "client/retry.hpp"

namespace holdfast::client {
namespace {

/// More than anyone will wait, less than overflows.
constexpr std::int64_t seconds_max = 1'000'000'000;

}  // namespace

std::optional<Instant> parse_http_date(std::string_view text) {
  // The bar at the end is for get_time, which is content with the beginning of a date.
  constexpr std::array forms{"%a, %d %b %Y %H:%M:%S GMT|", "%A, %d-%b-%y %H:%M:%S GMT|",
                             "%a %b %d %H:%M:%S %Y|"};
  for (const char* form : forms) {
    std::istringstream in(std::string(text) + '|');
    in.imbue(std::locale::classic());
    std::tm parts{};
    in >> std::get_time(&parts, form);
    if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) continue;
    const std::chrono::year_month_day date(
        std::chrono::year(parts.tm_year + 1900),
        std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
        std::chrono::day(static_cast<unsigned>(parts.tm_mday)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(parts.tm_hour) +
           std::chrono::minutes(parts.tm_min) + std::chrono::seconds(parts.tm_sec);
  }
  return std::nullopt;
}

std::optional<Duration> parse_retry_after(std::string_view text, Instant now) {
  std::uint64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (!text.empty() && end == text.data() + text.size()) {
    const bool huge = error != std::errc() || seconds > static_cast<std::uint64_t>(seconds_max);
    return std::chrono::seconds(huge ? seconds_max : static_cast<std::int64_t>(seconds));
  }
  const auto date = parse_http_date(text);
  if (!date) return std::nullopt;
  return std::max(*date - now, Duration::zero());
}

}  // namespace holdfast::client
