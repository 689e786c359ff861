#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::http {

/// The token an `Idempotency-Key` header stands for: a structured-field string (`"8e03…"`) or the
/// bare form (`8e03…`), which mean the same token. Printable ASCII, at least one byte and at most
/// `bytes_max`. Nothing if it is anything else.
[[nodiscard]] std::optional<std::string> parse_idempotency_key(std::string_view value,
                                                               std::size_t bytes_max);

}  // namespace holdfast::http
