#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::schema {

/// A number without rounding: ± digits × 10^exponent. The digits do not end in 0, so that equal
/// numbers are equal members; zero is 0 × 10^0.
struct Decimal {
  std::uint64_t digits = 0;
  std::int32_t exponent = 0;
  bool negative = false;

  [[nodiscard]] bool is_integer() const { return exponent >= 0; }
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

[[nodiscard]] Decimal decimal_of(std::int64_t number);
[[nodiscard]] Decimal decimal_of(std::uint64_t number);
/// The shortest decimal that reads back as this double, which must be finite.
[[nodiscard]] Decimal decimal_of(double number);

[[nodiscard]] std::strong_ordering operator<=>(const Decimal& left, const Decimal& right);

/// Whether `value` is `unit` times an integer; `unit` is above zero.
[[nodiscard]] bool is_multiple(const Decimal& value, const Decimal& unit);

/// An integer that is not negative, or the largest count when it is larger.
[[nodiscard]] std::optional<std::uint64_t> to_count(const Decimal& number);

[[nodiscard]] std::string to_text(const Decimal& number);

}  // namespace holdfast::schema
