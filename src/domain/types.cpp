#include "holdfast/types.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/hex.hpp"
#include "domain/id_text.hpp"

namespace holdfast {
namespace {

constexpr std::size_t salt_digits = 15;

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of(hex_digits) == std::string_view::npos;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t number = 0;
  if (text.empty() || !is_lower_hex(text)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

/// Every answer about a hold has it twice, so it is made by hand. A salt that is out of range is
/// shown as it is: no two ids have one text.
ShortText text_of(const HoldId& id) {
  std::array<char, 1 + 16 + 1 + 16> text{'h'};
  char* at = std::to_chars(text.data() + 1, text.data() + 17, id.ordinal, 16).ptr;
  *at++ = '-';
  for (std::size_t digit = id.salt >> 60U == 0 ? salt_digits : salt_digits + 1; digit-- > 0;) {
    *at++ = hex_digits[(id.salt >> (4U * digit)) & 15U];
  }
  return ShortText({text.data(), at});
}

std::string HoldId::text() const { return std::string(text_of(*this)); }

std::optional<HoldId> HoldId::parse(std::string_view text) {
  if (text.size() < 3 + salt_digits || text.front() != 'h') return std::nullopt;
  const std::string_view salt = text.substr(text.size() - salt_digits);
  const std::string_view ordinal = text.substr(1, text.size() - salt_digits - 2);
  if (text[text.size() - salt_digits - 1] != '-' || ordinal.front() == '0') return std::nullopt;
  const auto high = parse_hex(ordinal);
  const auto low = parse_hex(salt);
  if (!high || !low || *high > INT64_MAX) return std::nullopt;
  return HoldId{*high, *low};
}

std::string GroupId::text() const {
  std::string text = first.text();
  text.front() = 'g';
  return text;
}

std::optional<GroupId> GroupId::parse(std::string_view text) {
  if (!text.starts_with('g')) return std::nullopt;
  const auto first = HoldId::parse('h' + std::string(text.substr(1)));
  return first ? std::optional(GroupId{*first}) : std::nullopt;
}

Token Token::fresh() { return fresh(*system_random()); }

Token Token::fresh(Random& random) {
  std::array<std::uint8_t, 16> bytes{};
  random.fill(bytes);
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += hex_digits[byte >> 4U];
    text += hex_digits[byte & 15U];
  }
  return Token(std::move(text));
}

std::string Answer::text() const {
  if (ok()) return "ok";
  const RejectionRow& refused = row(*rejection);
  if (reason != Reason::none) return fmt::format("{}: {}", refused.name, row(reason).text);
  if (rejection == Rejection::not_held && hold) {
    return fmt::format("{}: the hold is {}. {}", refused.name, name(hold->state), refused.text);
  }
  if (!note.empty()) return fmt::format("{}: {}. {}", refused.name, note, refused.text);
  return fmt::format("{}: {}", refused.name, refused.text);
}

TokenAction Answer::token_action() const {
  const bool spent = recorded || collided || rejection == Rejection::token_collision;
  return spent ? TokenAction::new_token : TokenAction::reuse;
}

}  // namespace holdfast
