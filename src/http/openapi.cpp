#include "http/openapi.hpp"

namespace holdfast::http {

std::string_view openapi_json() {
  static constexpr std::string_view text = R"({"openapi":"3.1.0"})";
  return text;
}

}  // namespace holdfast::http
