#pragma once

#include <string_view>

namespace holdfast::http {

/// The contract, machine-readable: OpenAPI 3.1.
[[nodiscard]] std::string_view openapi_json();

}  // namespace holdfast::http
