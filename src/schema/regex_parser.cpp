#include "schema/regex_parser.hpp"

#include "schema/code_points.hpp"

namespace holdfast::schema {

RegexParser::RegexParser(std::string_view pattern) {
  while (!pattern.empty()) pattern_ += take_code_point(pattern);
}

tl::expected<RegexSyntax, std::string> RegexParser::parse() {
  choice(0);
  if (more()) fail("a ) that closes nothing");
  if (!error_.empty()) return tl::unexpected(std::move(error_));
  return std::move(out_);
}

RegexParser::Part RegexParser::choice(std::size_t depth) {
  RegexPart whole;
  whole.kind = RegexPart::Kind::choice;
  do {
    whole.parts.push_back(sequence(depth));
  } while (take(U'|'));
  return add(std::move(whole));
}

RegexParser::Part RegexParser::sequence(std::size_t depth) {
  RegexPart whole;
  whole.kind = RegexPart::Kind::sequence;
  while (more() && !next_is(U'|') && !next_is(U')')) whole.parts.push_back(term(depth));
  return add(std::move(whole));
}

RegexParser::Part RegexParser::term(std::size_t depth) {
  if (take(U'^')) return add_assertion(Regex::Op::text_begin);
  if (take(U'$')) return add_assertion(Regex::Op::text_end);
  if (take(U"\\b")) return add_assertion(Regex::Op::word_edge);
  if (take(U"\\B")) return add_assertion(Regex::Op::no_word_edge);
  if (take(U'(')) return quantified(group(depth + 1));
  if (take(U'[')) return quantified(char_class());
  if (take(U'.')) return quantified(add_set(all_but_line_ends()));
  if (take(U'\\')) return quantified(atom_escape());
  const char32_t character = pattern_[at_];
  if (std::u32string_view(U"*+?").find(character) != std::u32string_view::npos) {
    fail("nothing to repeat");
  } else if (std::u32string_view(U"{}]").find(character) != std::u32string_view::npos) {
    fail("a bracket that stands for itself needs a backslash");
  }
  ++at_;
  return quantified(add_character(character));
}

RegexParser::Part RegexParser::group(std::size_t depth) {
  if (depth > RegexSyntax::depth_max) {
    fail("groups are nested too deeply");
    return add({});
  }
  if (next_is(U"?=") || next_is(U"?!")) fail("looking ahead, (?= or (?!, is not supported");
  if (next_is(U"?<=") || next_is(U"?<!")) fail("looking behind, (?<= or (?<!, is not supported");
  if (take(U"?<")) {
    const std::size_t begin = at_;
    while (more() && is_word_character(pattern_[at_])) ++at_;
    if (at_ == begin || !take(U'>')) fail("the name of a group is letters, digits and _");
  } else if (!take(U"?:") && next_is(U'?')) {
    fail("flags and other kinds of groups, (?, are not supported");
  }
  const Part inside = choice(depth);
  if (!take(U')')) fail("a group that is not closed");
  return inside;
}

RegexParser::Part RegexParser::quantified(Part part) {
  RegexPart repeat;
  repeat.kind = RegexPart::Kind::repeat;
  repeat.most = RegexSyntax::no_end;
  if (take(U'?')) {
    repeat.most = 1;
  } else if (take(U'+')) {
    repeat.least = 1;
  } else if (take(U'{')) {
    if (!bounds(repeat)) return part;
  } else if (!take(U'*')) {
    return part;
  }
  take(U'?');  // lazy: which match is found differs, whether there is one does not
  repeat.parts.push_back(part);
  return add(std::move(repeat));
}

bool RegexParser::bounds(RegexPart& repeat) {
  const std::size_t begin = at_;
  repeat.least = repeat.most = number();
  const bool counted = at_ > begin;
  if (take(U',')) repeat.most = next_is(U'}') ? RegexSyntax::no_end : number();
  if (!counted || !take(U'}')) {
    fail("a { that begins no {n}, {n,} or {n,m}");
  } else if (repeat.least > repeat.most) {
    fail("a repetition whose bounds are the wrong way round");
  } else if (repeat.least > RegexSyntax::times_max ||
             (repeat.most > RegexSyntax::times_max && repeat.most != RegexSyntax::no_end)) {
    fail("a repetition of more than 100000 times");
  }
  return error_.empty();
}

std::uint32_t RegexParser::number() {
  std::uint32_t out = 0;
  while (more() && pattern_[at_] >= U'0' && pattern_[at_] <= U'9') {
    if (out <= RegexSyntax::times_max) out = out * 10 + (pattern_[at_] - U'0');
    ++at_;
  }
  return out;
}

RegexParser::Part RegexParser::add(RegexPart part) {
  out_.parts.push_back(std::move(part));
  return static_cast<Part>(out_.parts.size() - 1);
}

RegexParser::Part RegexParser::add_character(char32_t character) {
  RegexPart part;
  part.kind = RegexPart::Kind::character;
  part.x = character;
  return add(std::move(part));
}

RegexParser::Part RegexParser::add_set(CharSet set) {
  RegexPart part;
  part.kind = RegexPart::Kind::set;
  part.x = static_cast<std::uint32_t>(out_.sets.size());
  out_.sets.push_back(std::move(set));
  return add(std::move(part));
}

RegexParser::Part RegexParser::add_assertion(Regex::Op op) {
  RegexPart part;
  part.kind = RegexPart::Kind::assertion;
  part.assertion = op;
  return add(std::move(part));
}

bool RegexParser::next_is(std::u32string_view wanted) const {
  return more() && std::u32string_view(pattern_).substr(at_).starts_with(wanted);
}

bool RegexParser::take(char32_t wanted) {
  if (!next_is(wanted)) return false;
  ++at_;
  return true;
}

bool RegexParser::take(std::u32string_view wanted) {
  if (!next_is(wanted)) return false;
  at_ += wanted.size();
  return true;
}

void RegexParser::fail(std::string_view what) {
  if (!error_.empty()) return;
  error_ = std::string(what) + ", at character " + std::to_string(at_ + 1);
}

tl::expected<RegexSyntax, std::string> parse_regex(std::string_view pattern) {
  return RegexParser(pattern).parse();
}

}  // namespace holdfast::schema
