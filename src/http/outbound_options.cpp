#include "http/outbound_options.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {
namespace {

/// `10.0.0.0/8, billing.internal`: what stands between commas, without blanks around it.
std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

}  // namespace

outbound::Options outbound_options(const Settings& settings) {
  outbound::Options options;
  options.allowed = listed(settings.outbound.allow);
  options.ca_file = settings.outbound.ca_file;
  return options;
}

}  // namespace holdfast::http
