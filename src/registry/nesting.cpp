#include "registry/nesting.hpp"

#include <algorithm>

namespace holdfast::registry {
namespace {

constexpr std::size_t brackets_max = 64;
constexpr std::size_t dots_max = 32;

/// Goes through a text as TOML divides it: strings of four kinds, comments, and the rest.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<Place> run() {
    while (at_ < text_.size()) {
      if (too_deep(text_[at_])) return place();
      at_ = next();
    }
    return std::nullopt;
  }

 private:
  bool too_deep(char c) {
    switch (c) {
      case '[':
      case '{':
        ++brackets_;
        dots_ = 0;
        break;
      case ']':
      case '}':
        brackets_ -= brackets_ > 0 ? 1 : 0;
        dots_ = 0;
        break;
      case '.':
        ++dots_;
        break;
      case '\n':
      case '=':
      case ',':
        dots_ = 0;
        break;
      default:
        break;
    }
    return brackets_ > brackets_max || dots_ > dots_max;
  }

  [[nodiscard]] std::size_t next() const {
    const char c = text_[at_];
    if (c == '#') return std::min(text_.find('\n', at_), text_.size());
    if (c != '"' && c != '\'') return at_ + 1;
    const std::string_view three = c == '"' ? R"(""")" : "'''";
    return text_.substr(at_).starts_with(three) ? after_long_string(three) : after_string(c);
  }

  /// A string that is not closed on its line is an error, at which the parser stops.
  [[nodiscard]] std::size_t after_string(char quote) const {
    for (std::size_t i = at_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == quote) return i + 1;
      if (text_[i] == '\\' && quote == '"') ++i;
    }
    return text_.size();
  }

  [[nodiscard]] std::size_t after_long_string(std::string_view three) const {
    for (std::size_t i = at_ + 3; i < text_.size(); ++i) {
      if (text_[i] == '\\' && three[0] == '"') {
        ++i;
      } else if (text_.substr(i).starts_with(three)) {
        i += 3;  // two more quotes may belong to the string
        for (int more = 0; more < 2 && i < text_.size() && text_[i] == three[0]; ++more) ++i;
        return i;
      }
    }
    return text_.size();
  }

  [[nodiscard]] Place place() const {
    const std::string_view before = text_.substr(0, at_);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    return {static_cast<std::size_t>(lines) + 1, at_ - start + 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t brackets_ = 0;
  std::size_t dots_ = 0;
};

}  // namespace

std::optional<Place> nested_too_deep(std::string_view toml) { return Scanner(toml).run(); }

}  // namespace holdfast::registry
