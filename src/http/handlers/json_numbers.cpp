#include "http/handlers/json_numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace holdfast::http {
namespace {

constexpr std::size_t digits_max = 17;  // no double needs more to be told from others

/// The digits of a number from the first to the last that is not 0.
std::string digits_of(std::string_view number) {
  std::string digits;
  for (const char each : number.substr(0, number.find_first_of("eE"))) {
    if (each >= '0' && each <= '9' && (each != '0' || !digits.empty())) digits += each;
  }
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits;
}

/// Whether a number is one that every program reads alike (RFC 7493, 2.2): written again with as
/// many digits, it is the same.
bool is_exchangeable(std::string_view number) {
  const std::string digits = digits_of(number);
  if (digits.empty()) return true;
  if (digits.size() > digits_max) return false;
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  std::array<char, 32> again{};
  const auto written =
      std::to_chars(again.data(), again.data() + again.size(), value, std::chars_format::scientific,
                    static_cast<int>(digits.size()) - 1);
  return digits_of({again.data(), written.ptr}) == digits;
}

}  // namespace

bool has_exchangeable_numbers(std::string_view json) {
  constexpr std::string_view of_numbers = "+-.0123456789eE";
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      for (++at; json[at] != '"'; ++at) at += json[at] == '\\' ? 1U : 0U;
      ++at;
    } else if (json[at] == '-' || (json[at] >= '0' && json[at] <= '9')) {
      const std::size_t end = std::min(json.find_first_not_of(of_numbers, at), json.size());
      if (!is_exchangeable(json.substr(at, end - at))) return false;
      at = end;
    } else {
      ++at;
    }
  }
  return true;
}

}  // namespace holdfast::http
