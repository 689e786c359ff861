#include "schema/code_points.hpp"
#include "schema/regex.hpp"

namespace holdfast::schema {
namespace {

constexpr char32_t no_character = 0xFFFFFFFF;

/// What is on both sides of a place in the text.
struct Gap {
  char32_t before = no_character;
  char32_t behind = no_character;

  [[nodiscard]] bool holds(Regex::Op assertion) const {
    const bool edge = is_word_character(before) != is_word_character(behind);
    switch (assertion) {
      case Regex::Op::text_begin:
        return before == no_character;
      case Regex::Op::text_end:
        return behind == no_character;
      case Regex::Op::word_edge:
        return edge;
      default:
        return !edge;
    }
  }
};

/// The states of one run. A state is stamped with the gap in which it was seen last, so that it is
/// looked at once in each.
class RegexRun {
 public:
  RegexRun(const std::vector<Regex::Instruction>& program, std::uint64_t& work)
      : program_(program), work_(work), seen_(program.size(), 0) {}

  /// Where the next gap begins; then come the states it is entered with.
  void begin() {
    ++stamp_;
    waiting_.clear();
  }

  /// Follows everything that needs no character. True when that comes to a match.
  bool enter(std::uint32_t state, const Gap& gap) {
    stack_.push_back(state);
    bool matched = false;
    while (!stack_.empty()) {
      const std::uint32_t at = stack_.back();
      stack_.pop_back();
      if (seen_[at] == stamp_) continue;
      seen_[at] = stamp_;
      work_ -= work_ == 0 ? 0 : 1;
      const Regex::Instruction& instruction = program_[at];
      switch (instruction.op) {
        case Regex::Op::character:
        case Regex::Op::set:
          waiting_.push_back(at);
          break;
        case Regex::Op::fork:
          stack_.push_back(instruction.y);
          [[fallthrough]];
        case Regex::Op::jump:
          stack_.push_back(instruction.x);
          break;
        case Regex::Op::match:
          matched = true;
          break;
        default:
          if (gap.holds(instruction.op)) stack_.push_back(at + 1);
      }
    }
    return matched;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& waiting() const { return waiting_; }

 private:
  const std::vector<Regex::Instruction>& program_;
  std::uint64_t& work_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t stamp_ = 0;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> waiting_;  // for a character
};

}  // namespace

std::optional<bool> Regex::search(std::string_view text, std::uint64_t& work) const {
  const std::uint64_t setup = program_.size() / 8 + 1;
  if (work <= setup) return std::nullopt;
  work -= setup;
  RegexRun run(program_, work);
  std::vector<std::uint32_t> entered;
  Gap gap;
  while (work > 0) {
    gap.behind = text.empty() ? no_character : take_code_point(text);
    run.begin();
    for (const std::uint32_t state : entered) {
      if (run.enter(state, gap)) return true;
    }
    if (run.enter(0, gap)) return true;
    if (gap.behind == no_character) return false;
    entered.clear();
    for (const std::uint32_t state : run.waiting()) {
      const Instruction& at = program_[state];
      const bool fits = at.op == Op::set ? sets_[at.x].contains(gap.behind) : at.x == gap.behind;
      if (fits) entered.push_back(state + 1);
    }
    gap.before = gap.behind;
  }
  return std::nullopt;
}

}  // namespace holdfast::schema
