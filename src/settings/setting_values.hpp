#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Values of settings, from and to text.
namespace holdfast::http {

/// Decimal digits and nothing else.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

/// `65536`, `64KiB`, `1MiB`, `2GiB`; and the shortest of these that is exact.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// Whether this is `host:port` or `[v6]:port`, with a port from 0 to 65535.
[[nodiscard]] bool is_listen_address(std::string_view text);

}  // namespace holdfast::http
