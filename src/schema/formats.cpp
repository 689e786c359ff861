#include "schema/formats.hpp"

#include <algorithm>
#include <array>

namespace holdfast::schema {
namespace {

constexpr std::array formats{
    Format{"date-time", is_date_time}, Format{"date", is_date},
    Format{"time", is_time},           Format{"email", is_email},
    Format{"uuid", is_uuid},           Format{"uri", is_uri},
    Format{"ipv4", is_ipv4},           Format{"ipv6", is_ipv6},
    Format{"duration", nullptr},       Format{"idn-email", nullptr},
    Format{"hostname", nullptr},       Format{"idn-hostname", nullptr},
    Format{"uri-reference", nullptr},  Format{"iri", nullptr},
    Format{"iri-reference", nullptr},  Format{"uri-template", nullptr},
    Format{"json-pointer", nullptr},   Format{"relative-json-pointer", nullptr},
    Format{"regex", nullptr}};

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

const Format* find_format(std::string_view name) {
  const auto* const at = std::find_if(formats.begin(), formats.end(),
                                      [&](const Format& format) { return format.name == name; });
  return at == formats.end() ? nullptr : at;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex_digit(text[i])) return false;
  }
  return true;
}

}  // namespace holdfast::schema
