#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "schema/char_set.hpp"

namespace holdfast::schema {

/// A regular expression that takes time proportional to the text, whatever both of them say: an
/// automaton is run over the text once, with all its states at a time.
///
/// Known is the part of ECMAScript's expressions, in their Unicode mode, that a finite automaton
/// can do: characters, `.`, classes, `\d \D \w \W \s \S`, `^ $ \b \B`, groups with and without a
/// name, `|`, `* + ? {n} {n,} {n,m}` and their lazy forms, `\t \n \v \f \r \0 \cX \xHH \uHHHH
/// \u{H…}`, and a backslash before punctuation. Back references, looking ahead or behind, `\p{…}`
/// and flags are refused by name. Nothing is anchored unless it says so.
///
/// Immutable and safe to use from several threads.
class Regex {
 public:
  /// An instruction of the automaton. What is not said here goes on to the next one.
  enum class Op : std::uint8_t {
    character,  ///< `x` is it
    set,        ///< `x` is its number
    fork,       ///< goes to `x` and to `y`
    jump,       ///< goes to `x`
    text_begin,
    text_end,
    word_edge,
    no_word_edge,
    match
  };
  struct Instruction {
    Op op;
    std::uint32_t x = 0;
    std::uint32_t y = 0;
  };

  /// Takes what the automaton needs from `budget`, which many expressions may share; the error says
  /// what is wrong with the pattern.
  [[nodiscard]] static tl::expected<Regex, std::string> compile(std::string_view pattern,
                                                                std::uint64_t& budget);

  /// Whether it matches somewhere in the UTF-8 text. Takes its steps from `work`, and says nothing
  /// if they do not suffice.
  [[nodiscard]] std::optional<bool> search(std::string_view text, std::uint64_t& work) const;

 private:
  std::vector<Instruction> program_;
  std::vector<CharSet> sets_;
};

}  // namespace holdfast::schema
