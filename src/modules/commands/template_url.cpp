#include <algorithm>
#include <charconv>

#include "base/percent.hpp"
#include "modules/commands/template_parts.hpp"

namespace holdfast::commands {
namespace {

constexpr const char* form = "must be http:// or https://, a host, and a path";

/// Where the host and its port end; npos if the scheme is another.
std::size_t end_of_authority(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!url.starts_with(scheme)) continue;
    return std::min(url.find_first_of("/?", scheme.size()), url.size());
  }
  return std::string_view::npos;
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool is_host(std::string_view text) {
  constexpr std::string_view name =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
  constexpr std::string_view v6 = "0123456789abcdefABCDEF:.";
  if (text.size() > 253) return false;
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  if (bracketed) text = text.substr(1, text.size() - 2);
  return !text.empty() && text.find_first_not_of(bracketed ? v6 : name) == std::string_view::npos;
}

std::string authority_error(std::string_view authority) {
  if (authority.find_first_of("{}") != std::string_view::npos)
    return "has a placeholder in its host; write the host itself, and placeholders after it";
  if (authority.find('@') != std::string_view::npos)
    return "has a password in it; send it in a header, as {secret.NAME}";
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const bool port_good = colon == std::string_view::npos || is_port(authority.substr(colon + 1));
  return port_good && is_host(authority.substr(0, colon)) ? "" : form;
}

std::string literal_error(std::string_view text) {
  constexpr std::string_view never = "\"<>\\^`{|}#";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c <= ' ' || c > '~' || never.find(c) != std::string_view::npos)
      return c == '#' ? "has a #, which is never sent; leave it and what follows out"
                      : "has a character that no URL may have; percent-encode it";
    if (c == '%' && !percent_decoded(text.substr(i, 3)))
      return "has a % that is not followed by two digits; write %25";
  }
  return {};
}

/// Programs on the way take such a segment for a direction.
bool has_dot_segment(std::string_view url) {
  std::string_view path = url.substr(end_of_authority(url));
  path = path.substr(0, path.find('?'));
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t slash = std::min(path.find('/'), path.size());
    const auto segment = percent_decoded(path.substr(0, slash));
    if (!segment || *segment == "." || *segment == "..") return true;
    path.remove_prefix(slash);
  }
  return false;
}

constexpr const char* dot_segment = "has a path with . or .. in it";

}  // namespace

PiecesRead parse_url(std::string_view text) {
  const std::size_t end = end_of_authority(text);
  if (end == std::string_view::npos) return refuse(form);
  const std::string authority(text.substr(0, end).substr(text.find("//") + 2));
  if (std::string error = authority_error(authority); !error.empty()) return refuse(error);
  auto pieces = parse_pieces(text);
  if (!pieces) return pieces;
  std::string sample;
  for (const TemplatePiece& each : *pieces) {
    if (std::string error = literal_error(each.literal); !error.empty()) return refuse(error);
    const bool whole = each.placeholder && each.placeholder->source == PlaceholderSource::args &&
                       each.placeholder->path.empty();
    if (whole) return refuse("has {args}, which is an object; name one of its members");
    sample += each.literal;
    if (each.placeholder) sample += 'x';
  }
  if (has_dot_segment(sample)) return refuse(dot_segment);
  return pieces;
}

PartMade render_url(const TemplatePieces& pieces, Fields& fields, std::size_t bytes_max) {
  std::string made;
  bool query = false;
  for (const TemplatePiece& each : pieces) {
    query = query || each.literal.find('?') != std::string::npos;
    made += each.literal;
    if (each.placeholder) {
      auto text = plain_text(*each.placeholder, fields);
      if (!text) return text;
      if (text->empty() && !query)
        return refuse(each.placeholder->text + " is empty, which would be another path");
      if (text->find('\0') != std::string::npos)
        return refuse(each.placeholder->text + " has a NUL, which no URL may have");
      if (text->size() > bytes_max) return too_long(bytes_max);
      made += percent_encoded(*text);
    }
    if (made.size() > bytes_max) return too_long(bytes_max);
  }
  if (!made.empty() && has_dot_segment(made)) return refuse(dot_segment);
  return made;
}

}  // namespace holdfast::commands
