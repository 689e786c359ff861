#include "schema/decimal.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

namespace holdfast::schema {
namespace {

__extension__ using Wide = unsigned __int128;

Decimal normal(Decimal number) {
  if (number.digits == 0) return {};
  for (; number.digits % 10 == 0; number.digits /= 10) ++number.exponent;
  return number;
}

int digit_count(std::uint64_t digits) {
  int count = 0;
  for (; digits != 0; digits /= 10) ++count;
  return count;
}

/// The digits as 0.ddd, as many as any number can have.
Wide fraction_of(const Decimal& number, int count) {
  Wide wide = number.digits;
  for (; count < 20; ++count) wide *= 10;
  return wide;
}

std::strong_ordering compare_sizes(const Decimal& left, const Decimal& right) {
  if (left.digits == 0 || right.digits == 0) return left.digits <=> right.digits;
  const int left_count = digit_count(left.digits);
  const int right_count = digit_count(right.digits);
  if (left.exponent + left_count != right.exponent + right_count) {
    return left.exponent + left_count <=> right.exponent + right_count;
  }
  const Wide left_fraction = fraction_of(left, left_count);
  const Wide right_fraction = fraction_of(right, right_count);
  if (left_fraction == right_fraction) return std::strong_ordering::equal;
  return left_fraction < right_fraction ? std::strong_ordering::less
                                        : std::strong_ordering::greater;
}

}  // namespace

Decimal decimal_of(std::uint64_t number) { return normal({number, 0, false}); }

Decimal decimal_of(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return normal({number < 0 ? 0 - bits : bits, 0, number < 0});
}

Decimal decimal_of(double number) {
  // d.ddde+xx: at most 17 digits and 3 of the exponent.
  std::array<char, 40> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                     std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  Decimal out;
  bool fraction = false;
  while (!text.empty() && text.front() != 'e') {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '-') out.negative = true;
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    out.digits = out.digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (fraction) --out.exponent;
  }
  if (!text.empty()) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int32_t exponent = 0;
  std::from_chars(text.data(), text.data() + text.size(), exponent);
  out.exponent += exponent;
  return normal(out);
}

std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) {
  if (left.negative != right.negative) {
    return left.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return left.negative ? compare_sizes(right, left) : compare_sizes(left, right);
}

bool is_multiple(const Decimal& value, const Decimal& unit) {
  if (value.digits == 0) return true;
  // The value's digits do not end in 0, so they have no factor that a larger unit would need.
  if (value.exponent < unit.exponent) return false;
  Wide rest = value.digits % unit.digits;
  for (int i = unit.exponent; i < value.exponent && rest != 0; ++i) rest = rest * 10 % unit.digits;
  return rest == 0;
}

std::optional<std::uint64_t> to_count(const Decimal& number) {
  if (number.negative || !number.is_integer()) return std::nullopt;
  std::uint64_t count = number.digits;
  for (int i = 0; i < number.exponent; ++i) {
    if (__builtin_mul_overflow(count, std::uint64_t{10}, &count)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return count;
}

std::string to_text(const Decimal& number) {
  std::string text = std::to_string(number.digits);
  const auto size = static_cast<std::int32_t>(text.size());
  if (number.exponent >= 0 && number.exponent <= 20) {
    text.append(static_cast<std::size_t>(number.exponent), '0');
  } else if (number.exponent < 0 && -number.exponent < size) {
    text.insert(static_cast<std::size_t>(size + number.exponent), 1, '.');
  } else if (number.exponent < 0 && number.exponent >= -20) {
    text.insert(0, "0." + std::string(static_cast<std::size_t>(-number.exponent - size), '0'));
  } else {
    text += 'e' + std::to_string(number.exponent);
  }
  return number.negative ? '-' + text : text;
}

}  // namespace holdfast::schema
