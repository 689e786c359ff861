#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Bytes in addresses, as RFC 3986 has them.
namespace holdfast {

/// `%41` and so on as bytes; nothing if an escape is broken.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// Good as one segment of a path, or as a part of a query. A lone `.` or `..` is encoded, too:
/// programs on the way take them for directions.
[[nodiscard]] std::string percent_encoded(std::string_view bytes);

}  // namespace holdfast
