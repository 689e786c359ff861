#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast {

enum class CanonicalErrorKind : std::uint8_t {
  empty,                // no JSON value at all
  too_large,            // more bytes than CanonicalLimits allows
  too_deep,             // nested deeper than CanonicalLimits allows
  invalid_json,         // not JSON: structure, literals, escapes, raw control characters
  trailing_content,     // one valid value, then more
  invalid_utf8,         // anywhere in the text, not only in strings
  lone_surrogate,       // \uD800..\uDFFF outside a pair
  duplicate_member,     // two members with one name once escapes are resolved
  number_out_of_range,  // beyond a double, such as 1e400
  integer_not_exact,    // would be written as an integer beyond +-(2^53 - 1)
};

[[nodiscard]] std::string_view to_string(CanonicalErrorKind kind) noexcept;

struct CanonicalError {
  CanonicalErrorKind kind;
  std::string message;  // one English sentence for the caller; never echoes the input
  // RFC 6901 pointer to the offending value. Empty when that is the whole document, and when the
  // text could not be read far enough to say; the message then gives a byte offset if it is known.
  std::string pointer;
};

struct CanonicalLimits {
  std::size_t depth = 32;  // arrays and objects around a value; at most 512 is honoured
  std::size_t bytes = std::size_t{1} << 20;  // length of the text
};

// Returns the RFC 8785 (JCS) form of `json`, which may be any JSON value, or says why it has none.
//
// Input that RFC 7493 (I-JSON) advises against is refused, not repaired, since two texts that
// share a digest must mean the same to every reader. On numbers:
//  - integers beyond +-(2^53 - 1) are refused; senders put them in a string. This goes by the value
//    and by how it would be written, so 1e20 is refused just as 100000000000000000000 is, while
//    1e300, written 1e+300, is fine. Otherwise the canonical form of 1e20 would itself be refused;
//  - other numbers are rounded to the nearest double, as RFC 8785 asks, so 1e-400 becomes 0;
//  - -0 and -0.0 become 0.
//
// The form is its own canonical form. It may be longer than the text it came from, 1e-6 being
// written 0.000001, so reading it back may need a higher limit on bytes.
//
// `json` needs no padding and may be hostile: time is O(n log n), recursion is bounded by the depth
// limit. Safe from any thread; each keeps a parser for reuse. Throws only std::bad_alloc.
[[nodiscard]] tl::expected<std::string, CanonicalError> canonicalize(std::string_view json,
                                                                     CanonicalLimits limits = {});

}  // namespace holdfast
