#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "schema/char_set.hpp"
#include "schema/regex.hpp"

/// What a pattern says, before it becomes an automaton.
namespace holdfast::schema {

struct RegexPart {
  enum class Kind : std::uint8_t { empty, character, set, assertion, sequence, choice, repeat };
  Kind kind = Kind::empty;
  Regex::Op assertion = Regex::Op::match;
  std::uint32_t x = 0;               ///< the character, or the number of the set
  std::vector<std::uint32_t> parts;  ///< of a sequence or a choice; what is repeated
  std::uint32_t least = 0;           ///< of a repeat
  std::uint32_t most = 0;
};

struct RegexSyntax {
  static constexpr std::uint32_t no_end = UINT32_MAX;  ///< `most` of `*`, `+` and `{n,}`
  static constexpr std::uint32_t times_max = 100'000;  ///< of a repeat with an end
  static constexpr std::size_t depth_max = 50;         ///< of groups

  std::vector<RegexPart> parts;  ///< the last is the whole
  std::vector<CharSet> sets;
};

/// The error says what is wrong and, where that helps, at which character.
[[nodiscard]] tl::expected<RegexSyntax, std::string> parse_regex(std::string_view pattern);

}  // namespace holdfast::schema
