#pragma once

#include <string_view>

namespace holdfast {

/// Whether that is a `traceparent` (W3C Trace Context): version, trace id, parent id and flags,
/// none of them void.
[[nodiscard]] bool is_traceparent(std::string_view text);

}  // namespace holdfast
