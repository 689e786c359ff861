#include "http/transport/target.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>

#include "base/percent.hpp"

namespace holdfast::http {
namespace {

bool parse_query(std::string_view text, std::vector<QueryItem>& items) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    if (item.empty()) continue;
    const std::size_t equals = std::min(item.find('='), item.size());
    std::string value(item.substr(std::min(equals + 1, item.size())));
    std::replace(value.begin(), value.end(), '+', ' ');
    auto decoded_name = percent_decoded(item.substr(0, equals));
    auto decoded_value = percent_decoded(value);
    if (!decoded_name || !decoded_value) return false;
    items.push_back({std::move(*decoded_name), std::move(*decoded_value)});
  }
  return true;
}

}  // namespace

TargetForm form_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!boost::beast::iequals(target.substr(0, scheme.size()), scheme)) continue;
    const std::string_view rest = target.substr(scheme.size());
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    if (end == 0 || rest[std::min(end, rest.size() - 1)] != '/') break;
    return {.authority = rest.substr(0, end), .path = rest.substr(end)};
  }
  return {.path = target};
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::optional<Target> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  Target parts;
  const std::string_view path = path_of(target);
  std::string_view rest = path.substr(1);
  while (!rest.empty()) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    parts.segments.push_back(segment);
    if (segment.size() == rest.size()) break;
    rest.remove_prefix(segment.size() + 1);
    if (rest.empty()) parts.segments.emplace_back();  // a slash at the end is another address
  }
  if (path.size() < target.size() && !parse_query(target.substr(path.size() + 1), parts.query))
    return std::nullopt;
  return parts;
}

}  // namespace holdfast::http
