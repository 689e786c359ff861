#include <algorithm>
#include <chrono>
#include <optional>

#include "schema/formats.hpp"

namespace holdfast::schema {
namespace {

constexpr int day_minutes = 24 * 60;

bool take_one_of(std::string_view& text, std::string_view wanted) {
  if (text.empty() || wanted.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int> take_decimal(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return number;
}

/// Minutes of `hh:mm`.
std::optional<int> take_minutes(std::string_view& text) {
  const auto hour = take_decimal(text, 2);
  if (!hour || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_decimal(text, 2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  return *hour * 60 + *minute;
}

bool skip_fraction(std::string_view& text) {
  if (!take_one_of(text, ".")) return true;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

/// Minutes east of UTC.
std::optional<int> take_offset(std::string_view& text) {
  if (take_one_of(text, "Zz")) return 0;
  const bool west = text.starts_with('-');
  if (!take_one_of(text, "+-")) return std::nullopt;
  const auto minutes = take_minutes(text);
  if (!minutes) return std::nullopt;
  return west ? -*minutes : *minutes;
}

}  // namespace

bool is_date(std::string_view text) {
  const auto year = take_decimal(text, 4);
  if (!year || !take_one_of(text, "-")) return false;
  const auto month = take_decimal(text, 2);
  if (!month || !take_one_of(text, "-")) return false;
  const auto day = take_decimal(text, 2);
  if (!day || !text.empty()) return false;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  return date.ok();
}

bool is_time(std::string_view text) {
  const auto minutes = take_minutes(text);
  if (!minutes || !take_one_of(text, ":")) return false;
  const auto second = take_decimal(text, 2);
  if (!second || *second > 60 || !skip_fraction(text)) return false;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return false;
  const int utc = (*minutes - *offset + 2 * day_minutes) % day_minutes;
  return *second < 60 || utc == day_minutes - 1;
}

bool is_date_time(std::string_view text) {
  constexpr std::size_t date_size = 10;
  if (text.size() <= date_size || (text[date_size] != 'T' && text[date_size] != 't')) return false;
  return is_date(text.substr(0, date_size)) && is_time(text.substr(date_size + 1));
}

}  // namespace holdfast::schema
