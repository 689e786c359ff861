#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "holdfast/clock.hpp"
#include "signatures/scheme.hpp"
#include "signatures/secret.hpp"

/// Whether a webhook comes from who has the secret, and recently.
namespace holdfast::signatures {

inline constexpr std::size_t signature_header_bytes_max = 4096;
inline constexpr std::size_t signatures_max = 16;  ///< in one header
inline constexpr std::size_t event_id_bytes_max = 256;

/// What a request has under one name.
struct Header {
  std::size_t count = 0;   ///< headers of that name; none and several are told apart from one
  std::string_view value;  ///< if there is one, without white space around it
};
/// Finds a header by its name, in whatever case the name is written. What it returns must stay
/// until `verify` is done.
using HeaderLookup = std::function<Header(std::string_view name)>;

struct Verified {
  std::string event_id;              ///< 1 to 256 printable ASCII characters, no space
  std::optional<Instant> timestamp;  ///< when it was signed, to the second, if the scheme says it
  std::size_t key = 0;               ///< the first secret that fits, by its place among those given
};

enum class Reason : std::uint8_t {
  missing_header,   ///< of those that the scheme needs
  malformed,        ///< not as the scheme has it, there twice, or no usable event id
  stale,            ///< genuine, and signed longer ago than the tolerance
  from_the_future,  ///< genuine, and signed later than now by more than the tolerance
  forged,           ///< no signature fits any secret
};

struct Refusal {
  Reason reason;
  std::string text;  ///< a sentence; names headers, never quotes secrets or signatures
};

/// Checks a webhook as it was received: `body` is the raw bytes, before anything has parsed them.
///
/// - Fits if one signature fits one secret. Every secret is tried on every signature, and codes are
///   compared in constant time: the work tells nothing of which fails, or how nearly it fits. Give
///   the new and the old secret while one is rotated. With no secrets everything is forged.
/// - A shared secret checks HMACs only and a public key Ed25519 only; neither stands in for the
///   other.
/// - Signed time stamps are accepted if |now - timestamp| <= tolerance, to the microsecond;
///   `tolerance` is not negative. `stale` and `from_the_future` are said of genuine webhooks alone,
///   so they tell of a clock, a slow network or a copy that is sent again. Schemes without a time
///   stamp (`covers_time`) accept any age.
/// - Strict: headers that are needed stand once, time stamps are at most 12 digits without sign,
///   leading zero or fraction, base64 is padded, no white space but what the scheme has. One
///   malformed signature spoils its header.
/// - The body is parsed only if it must be for the event id, and only after its signature was found
///   genuine.
///
/// A webhook that was accepted once is accepted again until it is stale. To act once, remember the
/// event id for as long as its sender repeats, and no less than twice the tolerance; for ever where
/// `covers_time` is false. Where `covers_event_id` is false even that does not stop a thief.
///
/// Pure; safe from any thread.
[[nodiscard]] tl::expected<Verified, Refusal> verify(const Scheme& scheme,
                                                     std::span<const Secret> secrets,
                                                     const HeaderLookup& headers,
                                                     std::string_view body, Instant now,
                                                     Duration tolerance);

}  // namespace holdfast::signatures
