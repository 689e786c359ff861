#include "schema/uri.hpp"

#include <algorithm>

namespace holdfast::schema {
namespace {

struct UriParts {
  std::string_view scheme;     // with its colon
  std::string_view authority;  // with its slashes
  std::string_view path;
  std::string_view query;  // with its question mark
};

std::string_view take_front(std::string_view& text, std::size_t size) {
  size = std::min(size, text.size());
  const std::string_view front = text.substr(0, size);
  text.remove_prefix(size);
  return front;
}

UriParts split_uri(std::string_view text) {
  UriParts parts;
  text = text.substr(0, text.find('#'));
  const std::size_t colon = text.find_first_of(":/?");
  if (colon != std::string_view::npos && colon > 0 && text[colon] == ':') {
    parts.scheme = take_front(text, colon + 1);
  }
  if (text.starts_with("//")) parts.authority = take_front(text, text.find_first_of("/?", 2));
  parts.path = take_front(text, text.find('?'));
  parts.query = text;
  return parts;
}

/// Section 5.2.4: without the steps `.` and `..`.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view step = path.substr(0, end);
    const bool last = end == path.size();
    path.remove_prefix(end);
    if (step == "/." || step == "/..") {
      if (step == "/..") out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
      if (last) out += '/';
    } else {
      out += step;
    }
  }
  return out;
}

std::string merged_path(const UriParts& base, std::string_view path) {
  if (path.starts_with('/')) return without_dots(path);
  if (!base.authority.empty() && base.path.empty()) return without_dots('/' + std::string(path));
  const std::size_t slash = base.path.rfind('/');
  if (slash == std::string_view::npos) return std::string(path);
  return without_dots(std::string(base.path.substr(0, slash + 1)) + std::string(path));
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
  const UriParts from = split_uri(base);
  const UriParts to = split_uri(reference);
  if (!to.scheme.empty()) {
    return std::string(reference.substr(0, reference.find('#')));
  }
  std::string out(from.scheme);
  if (!to.authority.empty()) {
    out += to.authority;
    out += without_dots(to.path);
    out += to.query;
    return out;
  }
  out += from.authority;
  if (to.path.empty()) {
    out += from.path;
    out += to.query.empty() ? from.query : to.query;
    return out;
  }
  out += merged_path(from, to.path);
  out += to.query;
  return out;
}

std::optional<std::string_view> fragment_of(std::string_view reference) {
  const std::size_t hash = reference.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  return reference.substr(hash + 1);
}

}  // namespace holdfast::schema
