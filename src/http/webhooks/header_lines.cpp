#include "http/webhooks/header_lines.hpp"

#include <algorithm>
#include <array>

#include "base/json_members.hpp"
#include "base/utf8.hpp"

namespace holdfast::http {
namespace {

constexpr std::size_t kept_bytes_max = 256;

/// In the order of RFC 8785.
constexpr std::array kept{"Content-Type", "User-Agent", "X-GitHub-Event", "traceparent"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_plain(std::string_view text) {
  return is_valid_utf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
           return c == 0x7f || (c >= 0 && c < 0x20);
         });
}

}  // namespace

signatures::Header find_header(std::string_view lines, std::string_view name) {
  signatures::Header found;
  lines.remove_prefix(std::min(lines.find("\r\n"), lines.size()));
  while (lines.starts_with("\r\n")) {
    lines.remove_prefix(2);
    const std::string_view line = lines.substr(0, lines.find("\r\n"));
    lines.remove_prefix(line.size());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !same_name(line.substr(0, colon), name)) continue;
    if (found.count++ == 0) found.value = trimmed(line.substr(colon + 1));
  }
  return found;
}

std::string kept_headers(std::string_view lines) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const char* name : kept) {
    const signatures::Header header = find_header(lines, name);
    const bool good = header.count == 1 && !header.value.empty() &&
                      header.value.size() <= kept_bytes_max && is_plain(header.value);
    if (good) text_member(json, name, header.value);
  }
  json.end_object();
  return text;
}

}  // namespace holdfast::http
