#include "cli/text.hpp"

#include <fmt/format.h>

#include <array>

#include "base/time_text.hpp"
#include "base/utf8.hpp"

namespace holdfast::cli {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 0;  ///< bytes; 0: what is there is not UTF-8
};

Character first_character(std::string_view text) {
  for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (!is_valid_utf8(text.substr(0, size))) continue;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    constexpr std::array<std::uint32_t, 5> lead_mask{0, 0x7F, 0x1F, 0x0F, 0x07};
    std::uint32_t code = byte(0) & lead_mask[size];
    for (std::size_t i = 1; i < size; ++i) code = (code << 6U) | (byte(i) & 0x3FU);
    return {code, size};
  }
  return {};
}

bool is_deceptive(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool reorders = code == 0x061C || code == 0x200E || code == 0x200F ||
                        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  const bool breaks_line = code == 0x2028 || code == 0x2029;
  return control || reorders || breaks_line || code == 0xFEFF;
}

std::string escaped_byte(char byte) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

bool is_plain_word(std::string_view text) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.,:/@%+=";
  return !text.empty() && text.find_first_not_of(plain) == std::string_view::npos;
}

/// `$'…'`, which shells understand to mean exactly these bytes.
std::string dollar_quoted(std::string_view bytes) {
  std::string text = "$'";
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '\'' || byte == '\\') {
      text += '\\';
      text += byte;
    } else if (code < 0x20 || code >= 0x7F) {
      text += escaped_byte(byte);
    } else {
      text += byte;
    }
  }
  return text + "'";
}

struct SpanUnit {
  std::int64_t us;
  std::string_view name;
};

constexpr std::array span_units{SpanUnit{86'400'000'000, "d"}, SpanUnit{3'600'000'000, "h"},
                                SpanUnit{60'000'000, "m"},     SpanUnit{1'000'000, "s"},
                                SpanUnit{1'000, "ms"},         SpanUnit{1, "us"}};

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Character next = first_character(bytes);
    const std::size_t size = next.size == 0 ? 1 : next.size;
    if (next.size == 0 || (next.size == 1 && is_deceptive(next.code))) {
      text += escaped_byte(bytes.front());
    } else if (is_deceptive(next.code)) {
      text += fmt::format("\\u{{{:04x}}}", next.code);
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(size);
  }
  return text;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) {
    if ((static_cast<unsigned char>(byte) & 0xC0U) != 0x80U) ++width;
  }
  return width;
}

std::string shell_quoted(std::string_view bytes) {
  if (is_plain_word(bytes)) return std::string(bytes);
  if (printable(bytes) != bytes || bytes.find('\'') != std::string_view::npos) {
    return dollar_quoted(bytes);
  }
  return fmt::format("'{}'", bytes);
}

std::string token_option(std::string_view token) {
  const char* between = token.starts_with('-') ? "=" : " ";
  return fmt::format("--token{}{}", between, shell_quoted(token));
}

std::string span_text(Duration span) {
  const std::int64_t us = span.count();
  for (std::size_t i = 0; i < span_units.size(); ++i) {
    const SpanUnit& unit = span_units[i];
    if (us < unit.us) continue;
    std::string text = fmt::format("{}{}", us / unit.us, unit.name);
    const bool has_smaller = i < 3;  // below a second one unit says enough
    const std::int64_t rest = us % unit.us;
    if (has_smaller && rest >= span_units[i + 1].us) {
      text += fmt::format(" {}{}", rest / span_units[i + 1].us, span_units[i + 1].name);
    }
    return text;
  }
  return "0s";
}

std::string relative_text(Instant instant, Instant now) {
  if (instant == never) return "never";
  const Duration ahead = instant - now;
  if (ahead > Duration::zero()) return "in " + span_text(ahead);
  if (-ahead < std::chrono::seconds(1)) return "just now";
  return span_text(-ahead) + " ago";
}

std::string instant_text(Instant instant) {
  if (instant == never) return "never";
  std::string text = to_rfc3339(instant).substr(0, 19);
  text[10] = ' ';
  return text + " UTC";
}

std::string moment_text(Instant instant, Instant now) {
  if (instant == never) return "never";
  return fmt::format("{} ({})", instant_text(instant), relative_text(instant, now));
}

std::string number_text(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string plural(std::string_view one) {
  if (!one.ends_with("ry")) return fmt::format("{}s", one);
  return fmt::format("{}ies", one.substr(0, one.size() - 1));
}

std::string count_text(std::uint64_t number, std::string_view one) {
  return fmt::format("{} {}", number_text(number), number == 1 ? std::string(one) : plural(one));
}

}  // namespace holdfast::cli
