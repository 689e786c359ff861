#include <utility>

#include "schema/regex.hpp"
#include "schema/regex_syntax.hpp"

namespace holdfast::schema {
namespace {

/// Writes the automaton. Repetitions are written out, so the budget is also what ends those that
/// multiply each other.
class RegexEmitter {
 public:
  RegexEmitter(const RegexSyntax& syntax, std::vector<Regex::Instruction>& program,
               std::uint64_t& budget)
      : syntax_(syntax), program_(program), budget_(budget) {}

  /// False when the budget is spent.
  bool emit(std::uint32_t index) {
    if (budget_ == 0) return false;
    --budget_;
    const RegexPart& part = syntax_.parts[index];
    switch (part.kind) {
      case RegexPart::Kind::empty:
        return true;
      case RegexPart::Kind::character:
        put(Regex::Op::character, part.x);
        return true;
      case RegexPart::Kind::set:
        put(Regex::Op::set, part.x);
        return true;
      case RegexPart::Kind::assertion:
        put(part.assertion);
        return true;
      case RegexPart::Kind::sequence:
        for (const std::uint32_t each : part.parts) {
          if (!emit(each)) return false;
        }
        return true;
      case RegexPart::Kind::choice:
        return emit_choice(part);
      case RegexPart::Kind::repeat:
        return emit_repeat(part);
    }
    return true;
  }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.size()); }

  std::uint32_t put(Regex::Op op, std::uint32_t x = 0, std::uint32_t y = 0) {
    program_.push_back({op, x, y});
    return here() - 1;
  }

  bool emit_choice(const RegexPart& part) {
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 0; i + 1 < part.parts.size(); ++i) {
      const std::uint32_t fork = put(Regex::Op::fork, here() + 1);
      if (!emit(part.parts[i])) return false;
      ends.push_back(put(Regex::Op::jump));
      program_[fork].y = here();
    }
    if (!emit(part.parts.back())) return false;
    for (const std::uint32_t end : ends) program_[end].x = here();
    return true;
  }

  bool emit_repeat(const RegexPart& part) {
    const std::uint32_t body = part.parts.front();
    std::uint32_t last = here();
    for (std::uint32_t i = 0; i < part.least; ++i) {
      last = here();
      if (!emit(body)) return false;
    }
    if (part.most == RegexSyntax::no_end) return emit_loop(part, body, last);
    std::vector<std::uint32_t> forks;
    for (std::uint32_t i = part.least; i < part.most; ++i) {
      forks.push_back(put(Regex::Op::fork, here() + 1));
      if (!emit(body)) return false;
    }
    for (const std::uint32_t fork : forks) program_[fork].y = here();
    return true;
  }

  /// Without an end: the last copy goes back to its own beginning.
  bool emit_loop(const RegexPart& part, std::uint32_t body, std::uint32_t last) {
    if (part.least > 0) {
      put(Regex::Op::fork, last, here() + 1);
      return true;
    }
    const std::uint32_t fork = put(Regex::Op::fork, here() + 1);
    if (!emit(body)) return false;
    put(Regex::Op::jump, fork);
    program_[fork].y = here();
    return true;
  }

  const RegexSyntax& syntax_;
  std::vector<Regex::Instruction>& program_;
  std::uint64_t& budget_;
};

}  // namespace

tl::expected<Regex, std::string> Regex::compile(std::string_view pattern, std::uint64_t& budget) {
  if (pattern.size() > budget) return tl::unexpected(std::string("the pattern is too large"));
  auto syntax = parse_regex(pattern);
  if (!syntax) return tl::unexpected(std::move(syntax.error()));
  Regex regex;
  const auto whole = static_cast<std::uint32_t>(syntax->parts.size() - 1);
  if (!RegexEmitter(*syntax, regex.program_, budget).emit(whole)) {
    return tl::unexpected(std::string("the pattern is too large: its repetitions are written out"));
  }
  regex.program_.push_back({Op::match});
  regex.sets_ = std::move(syntax->sets);
  return regex;
}

}  // namespace holdfast::schema
