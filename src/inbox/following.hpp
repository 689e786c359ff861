#pragma once

#include <optional>
#include <string>

#include "holdfast/types.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/source.hpp"
#include "outbound/client.hpp"

/// What follows from a webhook that was taken in, and what came of that. Pure.
namespace holdfast::inbox {

/// Whose calls leases and reports are. Leases are of no one tenant: they are of the engine's own.
inline constexpr std::string_view engine_principal = "holdfast";
inline constexpr std::string_view engine_tenant = "holdfast";

/// How an attempt ended.
struct Ending {
  /// `done`, or a verdict of `inbox.fail`.
  enum class What : std::uint8_t { done, retry, later, dead } what = What::done;
  std::string result{};  ///< of `done`: JSON
  std::string error{};   ///< of the others
};

/// The command that follows, with a key made of source and event id: however often it is submitted,
/// it runs once. An error is why the body makes none, which it never will.
[[nodiscard]] tl::expected<Call, Ending> submission_of(const webhooks::Source& source,
                                                       const webhooks::LeasedEntry& entry,
                                                       const std::string& body);
/// What the answer to that means.
[[nodiscard]] Ending ending_of(const Answer& answer);

/// The request that sends a webhook on: its body as it came, and the entry's id as its
/// `Idempotency-Key` and `webhook-id`, the same at each attempt.
[[nodiscard]] outbound::Call forward_of(const webhooks::Source& source,
                                        const webhooks::LeasedEntry& entry,
                                        const webhooks::PayloadRow& payload);
/// What came of that. Only statuses from 200 to 299 mean that it arrived.
[[nodiscard]] Ending ending_of(const outbound::Result& result);

/// `inbox.complete` or `inbox.fail`.
[[nodiscard]] Command report_of(const webhooks::LeasedEntry& entry, Ending ending);

}  // namespace holdfast::inbox
