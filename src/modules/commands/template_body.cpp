#include <array>

#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "domain/canonical.hpp"
#include "modules/commands/template_parts.hpp"

namespace holdfast::commands {
namespace {

constexpr std::string_view white_space = " \t\n\r";

/// Reads a body from left to right. An object's brace is followed by a quote, a brace or white
/// space, a placeholder's by its name, so the two cannot be mistaken for one another.
class BodyReader {
 public:
  explicit BodyReader(std::string_view text) : text_(text) {}

  PiecesRead read() {
    while (at_ < text_.size() && error_.empty()) step();
    if (!error_.empty()) return refuse(std::move(error_));
    return std::move(pieces_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '{' && at_ + 1 < text_.size() && opens_placeholder()) return placeholder();
    if (quoted_ && c == '\\') return keep(2);
    if (c == '"') {
      if (quoted_) close_string();
      quoted_ = !quoted_;
      filled_ = false;
    }
    keep(1);
  }

  [[nodiscard]] bool opens_placeholder() const {
    return quoted_ || (white_space.find(text_[at_ + 1]) == std::string_view::npos &&
                       text_[at_ + 1] != '"' && text_[at_ + 1] != '}');
  }

  void placeholder() {
    const std::size_t close = text_.find('}', at_);
    const auto inside = text_.substr(at_ + 1, close - at_ - 1);
    auto parsed = parse_placeholder(close == std::string_view::npos ? std::string_view() : inside);
    if (!parsed) {
      error_ = parsed.error() + (quoted_ ? ", or \\u007b for a brace" : "");
      return;
    }
    pieces_.back().placeholder = std::move(*parsed);
    pieces_.back().quoted = quoted_;
    pieces_.emplace_back();
    filled_ = true;
    at_ = close + 1;
  }

  void close_string() {
    const std::size_t next = text_.find_first_not_of(white_space, at_ + 1);
    if (filled_ && next != std::string_view::npos && text_[next] == ':')
      error_ = "has a placeholder in a member's name; write the name itself";
  }

  void keep(std::size_t count) {
    pieces_.back().literal += text_.substr(at_, count);
    at_ += count;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  TemplatePieces pieces_{1};
  bool quoted_ = false;
  bool filled_ = false;  ///< the string that is being read has a placeholder
  std::string error_;
};

/// What stands for the value when a template is checked. The tilde is no hexadecimal digit, so that
/// half an escape before it is found.
std::string_view sample_of(const TemplatePiece& piece) { return piece.quoted ? "~" : "null"; }

PartMade written(const TemplatePiece& piece, Fields& fields) {
  std::string made;
  JsonWriter json(made);
  if (piece.quoted) {
    auto text = plain_text(*piece.placeholder, fields);
    if (!text) return text;
    if (!is_valid_utf8(*text)) return refuse(piece.placeholder->text + " is not UTF-8");
    json.string(*text);
    return made.substr(1, made.size() - 2);
  }
  auto value = fields.at(*piece.placeholder);
  if (!value) return refuse(std::move(value.error()));
  if (value->kind != FieldValue::Kind::text) return std::move(value->text);
  if (!is_valid_utf8(value->text)) return refuse(piece.placeholder->text + " is not UTF-8");
  json.string(value->text);
  return made;
}

}  // namespace

PiecesRead parse_body(std::string_view text) {
  if (text.empty()) return TemplatePieces{};
  auto pieces = BodyReader(text).read();
  if (!pieces) return pieces;
  std::string sample;
  for (const TemplatePiece& each : *pieces) {
    sample += each.literal;
    if (each.placeholder) sample += sample_of(each);
  }
  const auto form = canonicalize(sample);
  if (!form) return refuse("is not JSON: " + form.error().message);
  return pieces;
}

PartMade render_body(const TemplatePieces& pieces, Fields& fields, std::size_t bytes_max) {
  std::string made;
  for (const TemplatePiece& each : pieces) {
    made += each.literal;
    if (each.placeholder) {
      auto value = written(each, fields);
      if (!value) return value;
      made += *value;
    }
    if (made.size() > bytes_max) return too_long(bytes_max);
  }
  return made;
}

}  // namespace holdfast::commands
