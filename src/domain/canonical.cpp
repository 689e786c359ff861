#include "domain/canonical.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json_members.hpp"
#include "base/utf8.hpp"

namespace holdfast {
namespace {

namespace dom = simdjson::dom;
using Kind = CanonicalErrorKind;

constexpr std::size_t depth_ceiling = 512;  // of our recursion; simdjson's own limit is 1024
constexpr std::size_t retained_bytes_max = std::size_t{64} << 10;
constexpr std::int64_t exact_integer_max = (std::int64_t{1} << 53) - 1;
constexpr double exponent_layout_min = 1e21;  // from here on, numbers are written with an exponent

constexpr const char* inexact_message =
    "An integer beyond 9007199254740991 in magnitude is not exact in JSON; send it as a string.";

struct Member {
  std::string_view key;
  dom::element value;
};

struct Workspace {
  dom::parser parser;
  std::vector<Member> members;  // a stack: each open object owns the members above its base
};

// Writes a parsed document in canonical form. Methods return false after a refusal, which error()
// then holds; its pointer is built while unwinding, so that success pays nothing for it.
class CanonicalWriter {
 public:
  CanonicalWriter(std::string& out, std::vector<Member>& members, std::size_t depth_max)
      : writer_(out), members_(members), depth_max_(depth_max) {}

  bool value(dom::element element, std::size_t depth) {
    switch (element.type()) {
      case dom::element_type::OBJECT:
        return object(element.get_object().value_unsafe(), depth + 1);
      case dom::element_type::ARRAY:
        return array(element.get_array().value_unsafe(), depth + 1);
      case dom::element_type::STRING:
        writer_.string(element.get_string().value_unsafe());
        break;
      case dom::element_type::INT64:
        return integer(element.get_int64().value_unsafe());
      case dom::element_type::UINT64:
        return refuse(Kind::integer_not_exact, inexact_message);
      case dom::element_type::DOUBLE:
        return real(element.get_double().value_unsafe());
      case dom::element_type::BOOL:
        writer_.boolean(element.get_bool().value_unsafe());
        break;
      case dom::element_type::NULL_VALUE:
        writer_.null();
        break;
    }
    return true;
  }

  CanonicalError& error() noexcept { return error_; }

 private:
  bool object(dom::object object, std::size_t depth) {
    if (depth > depth_max_) return refuse_depth();
    const std::size_t base = members_.size();
    for (const auto [key, value] : object) members_.push_back({key, value});
    if (!sort_members(base)) return false;
    writer_.begin_object();
    for (std::size_t i = base; i < members_.size(); ++i) {
      const Member member = members_[i];  // a copy: deeper objects may move the stack
      writer_.key(member.key);
      if (!value(member.value, depth)) return locate(member.key);
    }
    writer_.end_object();
    members_.resize(base);
    return true;
  }

  bool array(dom::array array, std::size_t depth) {
    if (depth > depth_max_) return refuse_depth();
    std::size_t index = 0;
    writer_.begin_array();
    for (const dom::element element : array) {
      if (!value(element, depth)) return locate(std::to_string(index));
      ++index;
    }
    writer_.end_array();
    return true;
  }

  bool sort_members(std::size_t base) {
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(base);
    std::sort(first, members_.end(),
              [](const Member& a, const Member& b) { return utf16_less(a.key, b.key); });
    const auto twin = std::adjacent_find(
        first, members_.end(), [](const Member& a, const Member& b) { return a.key == b.key; });
    if (twin == members_.end()) return true;
    refuse(Kind::duplicate_member, "An object has two members with the same name.");
    return locate(twin->key);
  }

  bool integer(std::int64_t value) {
    if (value > exact_integer_max || value < -exact_integer_max) {
      return refuse(Kind::integer_not_exact, inexact_message);
    }
    writer_.integer(value);
    return true;
  }

  bool real(double value) {
    const double magnitude = std::fabs(value);
    if (magnitude > static_cast<double>(exact_integer_max) && magnitude < exponent_layout_min) {
      return refuse(Kind::integer_not_exact, inexact_message);
    }
    writer_.number(value);
    return true;
  }

  bool refuse(Kind kind, const char* message) {
    error_ = {kind, message, {}};
    return false;
  }

  bool refuse_depth() {
    error_ = {
        Kind::too_deep, "The JSON is nested deeper than " + std::to_string(depth_max_) + ".", {}};
    return false;
  }

  // Puts one more step in front of the pointer, escaped as RFC 6901 asks.
  bool locate(std::string_view step) {
    error_.pointer.insert(0, pointer_step(step));
    return false;
  }

  JsonWriter writer_;
  std::vector<Member>& members_;
  std::size_t depth_max_;
  CanonicalError error_{};
};

// simdjson says what class of error it met but neither where nor, for strings and numbers, which.
// Explainer finds out by a second look at a text that is already refused: it only chooses the
// words, never whether to refuse.
class Explainer {
 public:
  Explainer(std::string_view text, dom::parser& parser) : text_(text), parser_(parser) {}

  CanonicalError explain(simdjson::error_code code) {
    switch (code) {
      case simdjson::EMPTY:
        return {Kind::empty, "There is no JSON value.", {}};
      case simdjson::CAPACITY:
        return {Kind::too_large, "The JSON is too large.", {}};
      case simdjson::DEPTH_ERROR:
        return {Kind::too_deep, "The JSON is nested too deep.", {}};
      case simdjson::UTF8_ERROR:
        return {Kind::invalid_utf8, "The text is not valid UTF-8.", {}};
      case simdjson::UNESCAPED_CHARS:
        return invalid("A string has a raw control character");
      case simdjson::UNCLOSED_STRING:
        return invalid("A string is never closed");
      case simdjson::T_ATOM_ERROR:
      case simdjson::F_ATOM_ERROR:
      case simdjson::N_ATOM_ERROR:
        return invalid("A literal is not true, false or null");
      case simdjson::STRING_ERROR:
        return explain_string();
      case simdjson::NUMBER_ERROR:
        return explain_number();
      default:
        return explain_structure();
    }
  }

 private:
  static CanonicalError invalid(const char* what) {
    return {Kind::invalid_json, std::string(what) + ".", {}};
  }
  static CanonicalError at(Kind kind, const char* what, std::size_t offset) {
    return {kind, std::string(what) + ", at byte " + std::to_string(offset) + ".", {}};
  }

  // The code unit of the escape \uXXXX at `i`, if there is one.
  std::optional<unsigned> code_unit(std::size_t i) const {
    if (i + 6 > text_.size() || text_[i] != '\\' || text_[i + 1] != 'u') return std::nullopt;
    unsigned unit = 0;
    const char* const end = text_.data() + i + 6;
    const auto read = std::from_chars(text_.data() + i + 2, end, unit, 16);
    return read.ptr == end ? std::optional(unit) : std::nullopt;
  }

  CanonicalError explain_string() const {
    std::size_t i = text_.find('\\');
    while (i != std::string_view::npos) {
      std::size_t length = 2;
      if (i + 1 < text_.size() && text_[i + 1] == 'u') {
        const auto unit = code_unit(i);
        if (!unit) return at(Kind::invalid_json, "A \\u escape needs four hex digits", i);
        const bool paired = *unit >> 10 == 0xD800 >> 10 && is_low_surrogate(code_unit(i + 6));
        if (!paired && *unit >> 11 == 0xD800 >> 11) {
          return at(Kind::lone_surrogate, "A surrogate escape is not part of a pair", i);
        }
        length = paired ? 12 : 6;
      } else if (i + 1 < text_.size() &&
                 std::string_view("\"\\/bfnrt").find(text_[i + 1]) == std::string_view::npos) {
        return at(Kind::invalid_json, "A string has an unknown escape", i);
      }
      i = text_.find('\\', i + length);
    }
    return invalid("A string is malformed");
  }

  static bool is_low_surrogate(std::optional<unsigned> unit) {
    return unit && *unit >> 10 == 0xDC00 >> 10;
  }

  CanonicalError explain_number() {
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t next = token_end(i);
      const std::string_view token = text_.substr(i, next - i);
      if (const auto kind = number_fault(token)) return describe_number(*kind, i);
      i = next;
    }
    return invalid("A number is malformed");
  }

  static CanonicalError describe_number(Kind kind, std::size_t offset) {
    if (kind == Kind::integer_not_exact) return {kind, inexact_message, {}};
    if (kind == Kind::number_out_of_range) return at(kind, "A number is out of range", offset);
    return at(kind, "A number is malformed", offset);
  }

  std::optional<Kind> number_fault(std::string_view token) {
    const bool is_number = token[0] == '-' || (token[0] >= '0' && token[0] <= '9');
    if (!is_number) return std::nullopt;
    dom::element ignored;
    if (parser_.parse(token.data(), token.size()).get(ignored) == simdjson::SUCCESS) {
      return std::nullopt;
    }
    const std::string_view digits = token.substr(token[0] == '-' ? 1 : 0);
    if (digits.find_first_not_of("0123456789") == std::string_view::npos) {
      return digits.empty() || digits[0] == '0' ? Kind::invalid_json : Kind::integer_not_exact;
    }
    double ignored_value = 0;
    const char* const end = token.data() + token.size();
    const auto read = std::from_chars(token.data(), end, ignored_value);
    const bool too_big = read.ptr == end && read.ec == std::errc::result_out_of_range;
    return too_big ? Kind::number_out_of_range : Kind::invalid_json;
  }

  CanonicalError explain_structure() {
    const std::size_t start = text_.find_first_not_of(white_space);
    const std::size_t end = start == std::string_view::npos ? start : value_end(start);
    const std::size_t more = text_.find_first_not_of(white_space, end);
    dom::element ignored;
    if (more != std::string_view::npos &&
        parser_.parse(text_.data(), end).get(ignored) == simdjson::SUCCESS) {
      return at(Kind::trailing_content, "More text follows the JSON value", more);
    }
    return invalid("The text is not well-formed JSON");
  }

  // Where the value that starts at `i` ends if it is well formed.
  std::size_t value_end(std::size_t i) const {
    std::size_t depth = 0;
    do {
      if (text_[i] == '{' || text_[i] == '[') ++depth;
      if (depth > 0 && (text_[i] == '}' || text_[i] == ']')) --depth;
      i = token_end(i);
    } while (depth > 0 && i < text_.size());
    return i;
  }

  // A token is a string, a run of other text, or a single white space or structural character.
  std::size_t token_end(std::size_t i) const {
    if (text_[i] == '"') return string_end(i);
    if (delimiters.find(text_[i]) != std::string_view::npos) return i + 1;
    return std::min(text_.find_first_of(delimiters, i), text_.size());
  }

  std::size_t string_end(std::size_t i) const {
    for (++i; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_[i] == '\\') ++i;
    }
    return std::min(i + 1, text_.size());
  }

  static constexpr std::string_view white_space = " \t\n\r";
  static constexpr std::string_view delimiters = " \t\n\r,:[]{}\"";

  std::string_view text_;
  dom::parser& parser_;
};

tl::expected<std::string, CanonicalError> canonicalize_in(Workspace& workspace,
                                                          std::string_view json,
                                                          std::size_t depth_max) {
  dom::element root;
  // The parser copies the text into its own padded buffer, so the caller's needs no padding.
  const auto code = workspace.parser.parse(json.data(), json.size()).get(root);
  if (code == simdjson::MEMALLOC) throw std::bad_alloc();
  if (code != simdjson::SUCCESS) {
    return tl::unexpected(Explainer(json, workspace.parser).explain(code));
  }
  std::string out;
  out.reserve(json.size());
  workspace.members.clear();
  CanonicalWriter writer(out, workspace.members, depth_max);
  if (!writer.value(root, 0)) return tl::unexpected(std::move(writer.error()));
  return out;
}

}  // namespace

std::string_view to_string(CanonicalErrorKind kind) noexcept {
  switch (kind) {
    case Kind::empty:
      return "empty";
    case Kind::too_large:
      return "too-large";
    case Kind::too_deep:
      return "too-deep";
    case Kind::invalid_json:
      return "invalid-json";
    case Kind::trailing_content:
      return "trailing-content";
    case Kind::invalid_utf8:
      return "invalid-utf8";
    case Kind::lone_surrogate:
      return "lone-surrogate";
    case Kind::duplicate_member:
      return "duplicate-member";
    case Kind::number_out_of_range:
      return "number-out-of-range";
    case Kind::integer_not_exact:
      return "integer-not-exact";
  }
  return "unknown";
}

tl::expected<std::string, CanonicalError> canonicalize(std::string_view json,
                                                       CanonicalLimits limits) {
  if (json.empty())
    return tl::unexpected(CanonicalError{Kind::empty, "There is no JSON value.", {}});
  if (json.size() > limits.bytes) {
    return tl::unexpected(
        CanonicalError{Kind::too_large,
                       "The JSON is longer than " + std::to_string(limits.bytes) + " bytes.",
                       {}});
  }
  const std::size_t depth_max = std::min(limits.depth, depth_ceiling);
  // A parser never shrinks, so a rare large text must not stay with the thread.
  if (json.size() > retained_bytes_max) {
    Workspace temporary;
    return canonicalize_in(temporary, json, depth_max);
  }
  thread_local Workspace workspace;
  return canonicalize_in(workspace, json, depth_max);
}

}  // namespace holdfast
