#pragma once

#include <bitset>
#include <utility>
#include <vector>

namespace holdfast::schema {

/// A set of characters. Filled first, then finished, then asked.
class CharSet {
 public:
  void add(char32_t first, char32_t last) { ranges_.emplace_back(first, last); }
  void add(char32_t character) { add(character, character); }
  /// All of another set, which is finished.
  void add(const CharSet& other);
  /// The last change; `negated` turns the set into what was not in it.
  void finish(bool negated = false);
  [[nodiscard]] bool contains(char32_t character) const;

 private:
  std::vector<std::pair<char32_t, char32_t>> ranges_;  // sorted and apart once finished
  std::bitset<128> ascii_;
};

/// What `\d`, `\w`, `\s` and `.` stand for in ECMAScript; their capitals with `negated`.
[[nodiscard]] CharSet digits(bool negated = false);
[[nodiscard]] CharSet word_characters(bool negated = false);
[[nodiscard]] CharSet white_space(bool negated = false);
[[nodiscard]] CharSet all_but_line_ends();

[[nodiscard]] bool is_word_character(char32_t character);

}  // namespace holdfast::schema
