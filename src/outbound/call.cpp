#include "outbound/call.hpp"

#include <boost/beast/core/string.hpp>

namespace holdfast::outbound {

std::optional<std::string_view> find_header(const std::vector<Header>& headers,
                                            std::string_view name) {
  for (const Header& each : headers) {
    if (boost::beast::iequals(each.name, name)) return each.value;
  }
  return std::nullopt;
}

std::string_view name_of(What what) {
  switch (what) {
    case What::bad_call:
      return "bad-call";
    case What::refused_address:
      return "refused-address";
    case What::full:
      return "full";
    case What::resolve:
      return "resolve";
    case What::connect:
      return "connect";
    case What::tls:
      return "tls";
    case What::timeout:
      return "timeout";
    case What::lost:
      return "lost";
    case What::broken:
      return "broken";
    case What::too_large:
      return "too-large";
    case What::redirect:
      return "redirect";
    case What::closed:
      return "closed";
  }
  return "broken";
}

}  // namespace holdfast::outbound
