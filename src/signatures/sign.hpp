#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "holdfast/clock.hpp"
#include "signatures/secret.hpp"

namespace holdfast::signatures {

/// The three headers of Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
struct StandardHeaders {
  std::string id, timestamp, signature;
};

/// Signs a webhook that is sent: `v1`, HMAC-SHA256. The header has a signature for each secret, in
/// their order, so that receivers who know only the old or only the new one can both verify.
///
/// `id` is the caller's, and stays the same when the webhook is sent again: `msg_` and something
/// unique, printable ASCII without a space or a dot, at most 256 characters. `at` is when this
/// attempt is sent; the second it is in is what is signed. `body` is signed as the bytes it is sent
/// as.
///
/// An error is a sentence, and is the caller's mistake: another id, no secret, more than 16 or one
/// that is a public key, a time that is not in the years 1970 to 33658. Pure; safe from any thread.
[[nodiscard]] tl::expected<StandardHeaders, std::string> sign_standard(
    std::span<const Secret> secrets, std::string_view id, Instant at, std::string_view body);

}  // namespace holdfast::signatures
