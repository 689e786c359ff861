#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "signatures/statement.hpp"

/// The forms in which headers carry signatures and time.
namespace holdfast::signatures {

[[nodiscard]] constexpr bool is_printable(char c) { return c > 0x20 && c < 0x7f; }

/// Seconds since 1970: 1 to 12 digits, no leading zero.
[[nodiscard]] std::optional<Instant> seconds_from(std::string_view text);

/// Why it cannot be read.
using Mistake = std::string_view;

/// `v1,<base64> v1a,<base64> …`; entries of other versions are passed over.
[[nodiscard]] tl::expected<std::vector<Candidate>, Mistake> standard_signatures(
    std::string_view text);

struct TimedSignatures {
  std::string_view timestamp;  ///< as it stands there
  std::vector<Candidate> signatures;
};
/// `t=<seconds>,v1=<hex>,…`; items of other names are passed over.
[[nodiscard]] tl::expected<TimedSignatures, Mistake> timed_signatures(std::string_view text);

/// The bytes of one HMAC; nothing unless there are exactly as many as its hash has.
[[nodiscard]] std::optional<std::string> code_from(std::string_view text, Hash hash,
                                                   Encoding encoding);

}  // namespace holdfast::signatures
