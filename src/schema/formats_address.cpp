#include <algorithm>

#include "schema/formats.hpp"

namespace holdfast::schema {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
bool is_one_of(char c, std::string_view of) { return of.find(c) != std::string_view::npos; }

/// What comes before the separator, which is taken along; everything if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool is_dot_string(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || is_one_of(c, ".!#$%&'*+-/=?^_`{|}~");
  });
}

bool is_quoted_string(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
    if (text[i] < ' ' || text[i] > '~') return false;
  }
  return true;
}

bool is_label(std::string_view label) {
  if (label.empty() || label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_mail_domain(std::string_view domain) {
  constexpr std::string_view ipv6_tag = "IPv6:";
  if (domain.starts_with('[') && domain.ends_with(']')) {
    domain = domain.substr(1, domain.size() - 2);
    if (domain.starts_with(ipv6_tag)) return is_ipv6(domain.substr(ipv6_tag.size()));
    return is_ipv4(domain);
  }
  if (domain.empty() || domain.back() == '.') return false;
  while (!domain.empty()) {
    if (!is_label(take_until(domain, '.'))) return false;
  }
  return true;
}

/// Characters of RFC 3986 that stand for themselves, those of `more`, and `%HH`.
bool has_only_uri_characters(std::string_view text, std::string_view more) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (!is_alphanumeric(text[i]) && !is_one_of(text[i], "-._~!$&'()*+,;=") &&
               !is_one_of(text[i], more)) {
      return false;
    }
  }
  return true;
}

bool is_scheme(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || is_one_of(c, "+-."); });
}

bool is_authority(std::string_view text) {
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (!has_only_uri_characters(text.substr(0, at), ":")) return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view inside = text.substr(1, end - 1);
    const bool future = inside.starts_with('v') && has_only_uri_characters(inside, ":");
    if (!future && !is_ipv6(inside)) return false;
    text.remove_prefix(end + 1);
    if (!text.empty() && text.front() != ':') return false;
  } else if (!has_only_uri_characters(text.substr(0, text.find(':')), "")) {
    return false;
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    text.remove_prefix(colon + 1);
    return std::all_of(text.begin(), text.end(), is_digit);
  }
  return true;
}

}  // namespace

bool is_ipv4(std::string_view text) {
  int parts = 0;
  bool more = true;
  while (more) {
    more = text.find('.') != std::string_view::npos;
    const std::string_view part = take_until(text, '.');
    if (part.empty() || part.size() > 3 || !std::all_of(part.begin(), part.end(), is_digit)) {
      return false;
    }
    if (part.size() > 1 && part.front() == '0') return false;
    if (part.size() == 3 && part > "255") return false;
    ++parts;
  }
  return parts == 4;
}

bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    if (text.find(':') == std::string_view::npos && text.find('.') != std::string_view::npos) {
      groups += 2;
      if (!is_ipv4(text)) return false;
      break;
    }
    const std::size_t size = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, size);
    if (size == 0 || size > 4 || !std::all_of(group.begin(), group.end(), is_hex)) return false;
    ++groups;
    text.remove_prefix(size);
    if (text.starts_with("::")) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(2);
    } else if (text.starts_with(':')) {
      text.remove_prefix(1);
      if (text.empty()) return false;
    }
  }
  return gap ? groups < 8 : groups == 8;
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at);
  return (is_dot_string(local) || is_quoted_string(local)) && is_mail_domain(text.substr(at + 1));
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon))) return false;
  text.remove_prefix(colon + 1);
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    if (!has_only_uri_characters(text.substr(hash + 1), ":@/?")) return false;
    text = text.substr(0, hash);
  }
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    if (!has_only_uri_characters(text.substr(mark + 1), ":@/?")) return false;
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t end = std::min(text.find('/'), text.size());
    if (!is_authority(text.substr(0, end))) return false;
    text.remove_prefix(end);
  }
  return has_only_uri_characters(text, ":@/");
}

}  // namespace holdfast::schema
