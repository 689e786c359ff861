#include "modules/commands/template_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace holdfast::commands {
namespace {

bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7f;
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const bool plain = c > 0 && std::isalnum(static_cast<unsigned char>(c)) != 0;
    return plain || marks.find(c) != std::string_view::npos;
  });
}

/// What says how a request is framed, where it goes, or through what.
constexpr std::array<std::string_view, 12> own_headers{"host",
                                                       "content-length",
                                                       "transfer-encoding",
                                                       "connection",
                                                       "keep-alive",
                                                       "te",
                                                       "trailer",
                                                       "upgrade",
                                                       "expect",
                                                       "proxy-authorization",
                                                       "proxy-connection",
                                                       "accept-encoding"};

}  // namespace

PiecesRead parse_pieces(std::string_view text) {
  TemplatePieces pieces(1);
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    pieces.back().literal += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return refuse("has a { that is never closed");
    auto placeholder = parse_placeholder(text.substr(open + 1, close - open - 1));
    if (!placeholder) return refuse("has a placeholder that is none: " + placeholder.error());
    pieces.back().placeholder = std::move(*placeholder);
    pieces.emplace_back();
    text.remove_prefix(close + 1);
  }
  return pieces;
}

PartMade plain_text(const Placeholder& placeholder, Fields& fields) {
  auto value = fields.at(placeholder);
  if (!value) return refuse(std::move(value.error()));
  if (value->kind == FieldValue::Kind::null)
    return refuse(placeholder.text + " is null, which has no text");
  if (value->kind == FieldValue::Kind::composite)
    return refuse(placeholder.text + " is an object or an array, which have no text");
  return std::move(value->text);
}

tl::unexpected<std::string> too_long(std::size_t bytes_max) {
  return refuse(fmt::format("is longer than {} bytes", bytes_max));
}

bool is_header_name(std::string_view name) {
  std::string small(name);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return is_token(name) && name.size() <= 128 &&
         std::find(own_headers.begin(), own_headers.end(), small) == own_headers.end();
}

PiecesRead parse_header(std::string_view text) {
  auto pieces = parse_pieces(text);
  if (!pieces) return pieces;
  for (const TemplatePiece& each : *pieces) {
    for (const char c : each.literal) {
      if (is_control(c)) return refuse("has a control character; leave it out");
      if (c == '}') return refuse("has a } without a { before it");
      if (static_cast<unsigned char>(c) > '~')
        return refuse("has a character beyond ASCII; leave it out");
    }
  }
  return pieces;
}

PartMade render_header(const TemplatePieces& pieces, Fields& fields, std::size_t bytes_max) {
  std::string made;
  for (const TemplatePiece& each : pieces) {
    made += each.literal;
    if (each.placeholder) {
      auto text = plain_text(*each.placeholder, fields);
      if (!text) return text;
      if (std::any_of(text->begin(), text->end(), is_control))
        return refuse(each.placeholder->text +
                      " has a control character, which no header may have");
      made += *text;
    }
    if (made.size() > bytes_max) return too_long(bytes_max);
  }
  return made;
}

}  // namespace holdfast::commands
