// Classes and escapes: the part of the parser that says which characters are meant.

#include "schema/regex_parser.hpp"

namespace holdfast::schema {
namespace {

bool is_high_surrogate(char32_t code) { return code >= 0xD800 && code <= 0xDBFF; }
bool is_low_surrogate(char32_t code) { return code >= 0xDC00 && code <= 0xDFFF; }

std::optional<char32_t> hex_digit(char32_t c) {
  if (c >= U'0' && c <= U'9') return c - U'0';
  if (c >= U'a' && c <= U'f') return c - U'a' + 10;
  if (c >= U'A' && c <= U'F') return c - U'A' + 10;
  return std::nullopt;
}

bool is_letter_or_digit(char32_t c) { return c != U'_' && is_word_character(c); }

}  // namespace

RegexParser::Part RegexParser::atom_escape() {
  if (!more()) {
    fail("a \\ at the end");
    return add({});
  }
  const char32_t letter = pattern_[at_++];
  if ((letter >= U'1' && letter <= U'9') || letter == U'k') {
    fail("back references are not supported");
  }
  if (auto set = set_escape(letter)) return add_set(std::move(*set));
  return add_character(character_escape(letter).value_or(0));
}

std::optional<CharSet> RegexParser::set_escape(char32_t letter) {
  switch (letter) {
    case U'd':
    case U'D':
      return digits(letter == U'D');
    case U'w':
    case U'W':
      return word_characters(letter == U'W');
    case U's':
    case U'S':
      return white_space(letter == U'S');
    case U'p':
    case U'P':
      fail("properties of Unicode, \\p{...}, are not supported");
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<char32_t> RegexParser::character_escape(char32_t letter) {
  constexpr std::u32string_view letters = U"tnvfr0";
  constexpr std::u32string_view meant{U"\t\n\v\f\r\0", 6};
  if (const std::size_t at = letters.find(letter); at != std::u32string_view::npos) {
    if (letter == U'0' && more() && hex_digit(pattern_[at_]).value_or(10) < 10) {
      fail("a number in octal");
    }
    return meant[at];
  }
  if (letter == U'x') return hex(2);
  if (letter == U'u') return unicode_escape();
  if (letter == U'c') {
    if (more() && is_letter_or_digit(pattern_[at_]) && pattern_[at_] > U'9') {
      return pattern_[at_++] % 32;
    }
    fail("a \\c without a letter");
    return std::nullopt;
  }
  if (!is_letter_or_digit(letter)) return letter;
  fail("an unknown escape");
  return std::nullopt;
}

std::optional<char32_t> RegexParser::unicode_escape() {
  if (take(U'{')) {
    char32_t code = 0;
    std::size_t count = 0;
    for (; more() && hex_digit(pattern_[at_]); ++at_, ++count) {
      if (code <= 0x10FFFF) code = code * 16 + *hex_digit(pattern_[at_]);
    }
    if (count == 0 || code > 0x10FFFF || !take(U'}')) fail("\\u{...} of no character");
    return code;
  }
  const auto first = hex(4);
  if (!first || !is_high_surrogate(*first) || !next_is(U"\\u")) return first;
  const std::size_t back = at_;
  at_ += 2;
  const auto second = hex(4);
  if (second && is_low_surrogate(*second)) {
    return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
  }
  at_ = back;
  return first;
}

std::optional<char32_t> RegexParser::hex(std::size_t count) {
  char32_t code = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto digit = more() ? hex_digit(pattern_[at_]) : std::nullopt;
    if (!digit) {
      fail("an escape that needs more hexadecimal digits");
      return std::nullopt;
    }
    code = code * 16 + *digit;
    ++at_;
  }
  return code;
}

RegexParser::Part RegexParser::char_class() {
  const bool negated = take(U'^');
  CharSet set;
  while (more() && !next_is(U']')) {
    const auto first = class_member();
    if (!first) break;
    const bool range = next_is(U'-') && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != U']';
    if (first->set) {
      set.add(*first->set);
      continue;  // a - behind it stands for itself
    }
    if (!range) {
      set.add(first->character);
      continue;
    }
    ++at_;
    const auto last = class_member();
    if (!last) break;
    if (last->set) {
      set.add(first->character);
      set.add(U'-');
      set.add(*last->set);
    } else if (last->character < first->character) {
      fail("a range that is the wrong way round");
    } else {
      set.add(first->character, last->character);
    }
  }
  if (!take(U']')) fail("a class that is not closed");
  set.finish(negated);
  return add_set(std::move(set));
}

std::optional<RegexParser::Member> RegexParser::class_member() {
  if (!take(U'\\')) return Member{std::nullopt, pattern_[at_++]};
  if (!more()) {
    fail("a \\ at the end");
    return std::nullopt;
  }
  const char32_t letter = pattern_[at_++];
  if (letter == U'b') return Member{std::nullopt, U'\b'};
  if (auto set = set_escape(letter)) return Member{std::move(set), 0};
  const auto character = character_escape(letter);
  if (!character) return std::nullopt;
  return Member{std::nullopt, *character};
}

}  // namespace holdfast::schema
