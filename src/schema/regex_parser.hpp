#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/regex_syntax.hpp"

namespace holdfast::schema {

/// Reads a pattern from left to right. The first error is kept, and everything comes to its end
/// then, so that callers need not look after every step. Used once.
class RegexParser {
 public:
  explicit RegexParser(std::string_view pattern);
  tl::expected<RegexSyntax, std::string> parse();

 private:
  using Part = std::uint32_t;  // its index in the syntax

  // A member of a class: one character, or a set such as \d.
  struct Member {
    std::optional<CharSet> set;
    char32_t character = 0;
  };

  Part choice(std::size_t depth);
  Part sequence(std::size_t depth);
  Part term(std::size_t depth);
  Part group(std::size_t depth);
  Part atom_escape();
  Part quantified(Part part);
  bool bounds(RegexPart& repeat);

  Part char_class();
  std::optional<Member> class_member();
  std::optional<CharSet> set_escape(char32_t letter);
  std::optional<char32_t> character_escape(char32_t letter);
  std::optional<char32_t> unicode_escape();
  std::optional<char32_t> hex(std::size_t count);
  std::uint32_t number();

  Part add(RegexPart part);
  Part add_character(char32_t character);
  Part add_set(CharSet set);
  Part add_assertion(Regex::Op op);

  [[nodiscard]] bool more() const { return at_ < pattern_.size() && error_.empty(); }
  [[nodiscard]] bool next_is(char32_t wanted) const { return more() && pattern_[at_] == wanted; }
  [[nodiscard]] bool next_is(std::u32string_view wanted) const;
  bool take(char32_t wanted);
  bool take(std::u32string_view wanted);
  void fail(std::string_view what);

  std::u32string pattern_;
  std::size_t at_ = 0;
  RegexSyntax out_;
  std::string error_;
};

}  // namespace holdfast::schema
