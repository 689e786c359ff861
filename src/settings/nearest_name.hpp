#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

/// The known name that `wanted` was most likely meant to be: the fewest letters to put in, take
/// out, change or swap, whatever their case. A name that only lacks its section (`key` for
/// `tls.key`) is near, too. Precondition: there are known names.
[[nodiscard]] std::string nearest_name(std::string_view wanted,
                                       const std::vector<std::string>& known);

}  // namespace holdfast::http
