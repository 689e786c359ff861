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

/// What may be sent as `token` in a batch: what a header can say, too.
[[nodiscard]] bool is_token(std::string_view text, std::size_t bytes_max);

/// The header's value that stands for a token: bare, unless that would be read as another.
[[nodiscard]] std::string key_text(std::string_view token);

/// What may be sent as `X-Nonce`, or as `nonce` in a batch.
[[nodiscard]] bool is_nonce(std::string_view text);
inline constexpr std::string_view nonce_rule = "A nonce is 1 to 256 bytes of printable ASCII.";

}  // namespace holdfast::http
