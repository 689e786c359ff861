#include "base/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/assert.hpp"

namespace holdfast {
namespace {

constexpr double exact_integer_max = 9007199254740991.0;  // 2^53 - 1

constexpr bool needs_escape(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

// Whether any of the eight bytes needs an escape. Borrows may mark a byte above a real hit,
// never one in a word without hits, so the answer for the whole word is exact.
bool any_needs_escape(std::uint64_t word) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t tops = ones * 0x80;
  const std::uint64_t quote = word ^ (ones * '"');
  const std::uint64_t slash = word ^ (ones * '\\');
  const std::uint64_t control = (word - ones * 0x20) & ~word;
  return ((control | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops) != 0;
}

std::size_t clean_prefix(std::string_view text) noexcept {
  std::size_t i = 0;
  for (std::uint64_t word = 0; i + sizeof word <= text.size(); i += sizeof word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    if (any_needs_escape(word)) break;
  }
  while (i < text.size() && !needs_escape(text[i])) ++i;
  return i;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  out.push_back('\\');
  switch (c) {
    case '"':
    case '\\':
      out.push_back(c);
      return;
    case '\b':
      out.push_back('b');
      return;
    case '\t':
      out.push_back('t');
      return;
    case '\n':
      out.push_back('n');
      return;
    case '\f':
      out.push_back('f');
      return;
    case '\r':
      out.push_back('r');
      return;
    default:
      out.append("u00").append(1, hex[code >> 4]).append(1, hex[code & 15]);
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (;;) {
    const std::size_t clean = clean_prefix(text);
    out.append(text.data(), clean);
    if (clean == text.size()) break;
    append_escape(out, text[clean]);
    text.remove_prefix(clean + 1);
  }
  out.push_back('"');
}

// value = 0.d1d2d3... * 10^point, with the fewest digits that read back as the same double.
struct Decimal {
  std::array<char, 17> digits{};
  int count = 0;
  int point = 0;

  std::string_view text() const noexcept {
    return {digits.data(), static_cast<std::size_t>(count)};
  }
};

Decimal shortest_decimal(double magnitude) noexcept {
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude,
                                     std::chars_format::scientific);
  Decimal result;
  const char* at = buffer.data();
  for (; *at != 'e'; ++at) {
    if (*at != '.') result.digits[static_cast<std::size_t>(result.count++)] = *at;
  }
  ++at;
  if (*at == '+') ++at;  // from_chars reads a minus sign but no plus
  std::from_chars(at, written.ptr, result.point);
  ++result.point;  // to_chars writes d.ddd, not 0.dddd
  return result;
}

void append_integer(std::string& out, std::int64_t value) {
  std::array<char, 24> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), written.ptr);
}

// The cases of ECMA-262 Number::toString, in its order.
void append_decimal(std::string& out, const Decimal& decimal) {
  const std::string_view digits = decimal.text();
  const int point = decimal.point;
  if (decimal.count <= point && point <= 21) {
    out.append(digits).append(static_cast<std::size_t>(point - decimal.count), '0');
  } else if (0 < point && point <= 21) {
    const auto whole = static_cast<std::size_t>(point);
    out.append(digits.substr(0, whole)).append(1, '.').append(digits.substr(whole));
  } else if (-6 < point && point <= 0) {
    out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
  } else {
    out.append(digits.substr(0, 1));
    if (digits.size() > 1) out.append(1, '.').append(digits.substr(1));
    out.append(point > 0 ? "e+" : "e");
    append_integer(out, point - 1);
  }
}

}  // namespace

void JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(out_, name);
  out_.push_back(':');
  comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_quoted(out_, text);
}

void JsonWriter::integer(std::int64_t value) {
  separate();
  append_integer(out_, value);
}

void JsonWriter::number(double value) {
  HOLDFAST_ASSERT(std::isfinite(value));
  separate();
  const double magnitude = std::fabs(value);
  if (magnitude <= exact_integer_max && std::trunc(value) == value) {
    append_integer(out_, static_cast<std::int64_t>(value));  // also turns -0 into 0
    return;
  }
  if (value < 0) out_.push_back('-');
  append_decimal(out_, shortest_decimal(magnitude));
}

}  // namespace holdfast
