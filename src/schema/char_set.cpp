#include "schema/char_set.hpp"

#include <algorithm>
#include <string_view>

namespace holdfast::schema {
namespace {

constexpr char32_t code_point_max = 0x10FFFF;

}  // namespace

void CharSet::add(const CharSet& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
}

void CharSet::finish(bool negated) {
  std::sort(ranges_.begin(), ranges_.end());
  std::vector<std::pair<char32_t, char32_t>> joined;
  for (const auto& range : ranges_) {
    if (!joined.empty() && range.first <= joined.back().second + 1) {
      joined.back().second = std::max(joined.back().second, range.second);
    } else {
      joined.push_back(range);
    }
  }
  ranges_ = std::move(joined);
  if (negated) {
    std::vector<std::pair<char32_t, char32_t>> others;
    char32_t next = 0;
    for (const auto& [first, last] : ranges_) {
      if (first > next) others.emplace_back(next, first - 1);
      next = last + 1;
    }
    if (next <= code_point_max) others.emplace_back(next, code_point_max);
    ranges_ = std::move(others);
  }
  for (const auto& [first, last] : ranges_) {
    for (char32_t c = first; c <= last && c < ascii_.size(); ++c) ascii_.set(c);
  }
}

bool CharSet::contains(char32_t character) const {
  if (character < ascii_.size()) return ascii_.test(character);
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), character,
                       [](char32_t wanted, const auto& range) { return wanted < range.first; });
  return after != ranges_.begin() && std::prev(after)->second >= character;
}

CharSet digits(bool negated) {
  CharSet set;
  set.add(U'0', U'9');
  set.finish(negated);
  return set;
}

CharSet word_characters(bool negated) {
  CharSet set;
  set.add(U'0', U'9');
  set.add(U'A', U'Z');
  set.add(U'a', U'z');
  set.add(U'_');
  set.finish(negated);
  return set;
}

CharSet white_space(bool negated) {
  CharSet set;
  set.add(0x09, 0x0D);
  set.add(0x2000, 0x200A);
  constexpr std::u32string_view others = U"\x20\xA0\x1680\x2028\x2029\x202F\x205F\x3000\xFEFF";
  for (const char32_t c : others) set.add(c);
  set.finish(negated);
  return set;
}

CharSet all_but_line_ends() {
  CharSet set;
  for (const char32_t c : std::u32string_view(U"\x0A\x0D\x2028\x2029")) set.add(c);
  set.finish(true);
  return set;
}

bool is_word_character(char32_t character) {
  return (character >= U'0' && character <= U'9') || (character >= U'A' && character <= U'Z') ||
         (character >= U'a' && character <= U'z') || character == U'_';
}

}  // namespace holdfast::schema
