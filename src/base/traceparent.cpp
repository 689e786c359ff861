#include "base/traceparent.hpp"

namespace holdfast {
namespace {

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_void(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool is_traceparent(std::string_view text) {
  if (text.size() != 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  return is_hex(version) && version != "ff" && is_hex(trace) && !is_void(trace) && is_hex(parent) &&
         !is_void(parent) && is_hex(text.substr(53));
}

}  // namespace holdfast
