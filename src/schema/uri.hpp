#pragma once

#include <optional>
#include <string>
#include <string_view>

/// As much of RFC 3986 as `$id` and `$ref` need.
namespace holdfast::schema {

/// The reference seen from the base, without its fragment. A base that is empty or has no path of
/// its own, as a URN, leaves what it can.
[[nodiscard]] std::string resolve_uri(std::string_view base, std::string_view reference);

/// What follows the first `#`, still encoded; nothing if there is none.
[[nodiscard]] std::optional<std::string_view> fragment_of(std::string_view reference);

}  // namespace holdfast::schema
