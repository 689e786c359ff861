#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Tokens as `Idempotency-Key` spells them: bare, or as a structured-field string between quotes.
namespace holdfast::client {

/// Whether a header can carry it: printable ASCII and nothing else.
[[nodiscard]] bool is_sendable(std::string_view token);

/// Bare where every reader agrees on what that means, quoted otherwise. Precondition: sendable.
[[nodiscard]] std::string to_key(std::string_view token);

/// The token either spelling stands for; nothing if quotes and escapes do not match up.
[[nodiscard]] std::optional<std::string> from_key(std::string_view key);

}  // namespace holdfast::client
