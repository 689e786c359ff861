#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// Every way a call can be refused, in one table. The answers' texts, the command line's exit
/// codes, the HTTP statuses and the reference documentation all come from it; nothing about a
/// rejection is written down anywhere else. All of it is constant, and may be read from any thread.
///
/// An operation's rejection is an outcome: the rules decided it and, by default, it is recorded
/// under the call's token, which from then on always gets it again. A `token-collision` is about a
/// token that has another request's outcome, and keeps that. Every other refusal leaves the token
/// as it was; only when the store fails, or an earlier call with the token is still under way, may
/// it turn out to have an outcome: `Answer::effect` says so. `RejectionRow::recorded` tells the
/// three apart.
namespace holdfast {

/// The numbers are stable: they are stored in the journal and are the exit codes of the command
/// line. They are never reused.
///
/// When several apply, a call is refused for what is wrong with its caller, nonce or token
/// (`invalid-request`), then for `token-collision`, `confirmation-required`, `nonce-replay`, a
/// parameter out of bounds (`invalid-request`), and last as its operation says, in that order.
enum class Rejection : std::uint8_t {
  invalid_request = 10,
  resource_unavailable = 11,
  not_known = 12,
  not_held = 13,
  window_elapsed = 14,
  window_not_elapsed = 15,
  token_collision = 16,
  capacity_in_use = 17,
  in_progress = 18,
  confirmation_required = 19,
  overloaded = 20,
  store_unavailable = 21,
  nonce_replay = 22,
  // Given by the service, before the engine sees the call.
  malformed_request = 23,
  token_missing = 24,
  token_invalid = 25,
  unauthenticated = 26,
  forbidden = 27,
  throttled = 28,
  too_large = 29,
  too_slow = 30,
  no_such_address = 31,
  method_not_allowed = 32,
  // Outcomes again.
  not_confirmed = 33,
  quantity_exceeded = 34,
  lifetime_exceeded = 35,
  execution_rejected = 36,
  execution_refused = 37,
  stale_fence = 38,
  command_not_known = 39,
  effect_not_open = 40,
  subscription_not_known = 41,
  inbox_entry_not_known = 42,
  inbox_entry_not_open = 43,
};

/// Whether the refusal is written against the token, and with it what to do next: see
/// `TokenAction`.
enum class Recorded : std::uint8_t {
  by_policy,    ///< an outcome of the operation: recorded unless `on_reject = release`
  as_evidence,  ///< written to the journal, but the token keeps its first outcome
  never,        ///< the operation did not run; the token is unused
};

/// What is known of one rejection. Names and codes are as stable as numbers: programs tell
/// rejections apart by them. Title and text are for people, and may change.
struct RejectionRow {
  Rejection id;
  std::string_view name;
  std::string_view code;  ///< what a problem body calls it
  int http_status;
  Recorded recorded;
  bool retryable;  ///< the same request may succeed later
  std::string_view title;
  std::string_view text;
};

inline constexpr std::array rejection_table{
    RejectionRow{Rejection::invalid_request, "invalid-request", "invalid-request", 422,
                 Recorded::by_policy, false, "The request is not valid",
                 "A parameter is missing or outside its bounds; the reason names which."},
    RejectionRow{Rejection::resource_unavailable, "resource-unavailable", "resource-unavailable",
                 409, Recorded::by_policy, true, "The resource is taken",
                 "Its free capacity is smaller than the quantity asked for. It may become free "
                 "later: ask again, with a new token if this one is used up."},
    RejectionRow{Rejection::not_known, "not-known", "not-known", 404, Recorded::by_policy, false,
                 "No such hold", "No hold with this id exists here."},
    RejectionRow{Rejection::not_held, "not-held", "not-held", 409, Recorded::by_policy, false,
                 "The hold is already resolved",
                 "It was confirmed, released or expired before; a resolved hold never changes."},
    RejectionRow{Rejection::window_elapsed, "window-elapsed", "window-elapsed", 409,
                 Recorded::by_policy, false, "The hold has lapsed",
                 "Its time ran out before this call; it can no longer be confirmed or released."},
    RejectionRow{
        Rejection::window_not_elapsed, "window-not-elapsed", "window-not-elapsed", 409,
        Recorded::by_policy, true, "The hold has not lapsed yet",
        "It can be expired from its expiry instant on: ask again then, with a new token if "
        "this one is used up."},
    RejectionRow{Rejection::token_collision, "token-collision", "protocol.idempotency_conflict",
                 409, Recorded::as_evidence, false, "The token belongs to another request",
                 "This token was used before for another operation, other parameters or by another "
                 "principal. Nothing was changed; use a new token for a new request."},
    RejectionRow{Rejection::capacity_in_use, "capacity-in-use", "capacity-in-use", 409,
                 Recorded::by_policy, true, "More is in use than the new capacity",
                 "Held and confirmed quantities already exceed the capacity asked for."},
    RejectionRow{Rejection::in_progress, "in-progress", "protocol.idempotency_in_flight", 409,
                 Recorded::never, true, "The first call with this token is still running",
                 "Ask again with the same token to learn its outcome."},
    RejectionRow{Rejection::confirmation_required, "confirmation-required", "confirmation-required",
                 409, Recorded::never, true, "This operation must be confirmed",
                 "Repeat the call with the same token and the confirmation code given here, before "
                 "the code expires."},
    RejectionRow{Rejection::overloaded, "overloaded", "overloaded", 503, Recorded::never, true,
                 "Too many requests are waiting",
                 "This call did nothing; ask again with the same token."},
    RejectionRow{Rejection::store_unavailable, "store-unavailable", "store-unavailable", 503,
                 Recorded::never, true, "The store cannot be written",
                 "Ask again with the same token: if the call did happen, its first answer comes "
                 "back; if it did not, it runs then."},
    RejectionRow{Rejection::nonce_replay, "nonce-replay", "protocol.nonce_replay", 409,
                 Recorded::by_policy, false, "The nonce was used before",
                 "Another call of this tenant has spent this nonce. If that was meant as the same "
                 "call, repeat it with its own token; otherwise use a new nonce and a new token."},
    RejectionRow{Rejection::malformed_request, "malformed-request", "malformed-request", 400,
                 Recorded::never, false, "The request cannot be read",
                 "It is not well-formed HTTP or JSON, or lacks the shape this address asks for. "
                 "This call did nothing."},
    RejectionRow{Rejection::token_missing, "token-missing", "protocol.idempotency_key_missing", 400,
                 Recorded::never, false, "The idempotency key is missing",
                 "Every change of state needs an Idempotency-Key header."},
    RejectionRow{Rejection::token_invalid, "token-invalid", "protocol.idempotency_key_invalid", 400,
                 Recorded::never, false, "The idempotency key is not valid",
                 "Send one Idempotency-Key of printable ASCII within the length allowed, bare or "
                 "between double quotes."},
    RejectionRow{Rejection::unauthenticated, "unauthenticated", "unauthenticated", 401,
                 Recorded::never, false, "No valid credential",
                 "Send Authorization: Bearer with a key that is in force. This call did nothing."},
    RejectionRow{Rejection::forbidden, "forbidden", "forbidden", 403, Recorded::never, false,
                 "The key does not allow this",
                 "The role of this key does not include the operation. This call did nothing."},
    RejectionRow{Rejection::throttled, "throttled", "throttled", 429, Recorded::never, true,
                 "Too many requests",
                 "This tenant is over its rate. Ask again later with the same token."},
    RejectionRow{Rejection::too_large, "too-large", "too-large", 413, Recorded::never, false,
                 "The request is too large", "It is over a limit of this service."},
    RejectionRow{Rejection::too_slow, "too-slow", "too-slow", 408, Recorded::never, true,
                 "The request came too slowly",
                 "It was not complete within the time allowed. This call did nothing: ask again "
                 "with the same token."},
    RejectionRow{Rejection::no_such_address, "no-such-address", "no-such-address", 404,
                 Recorded::never, false, "No such address",
                 "Nothing is served there; /openapi.json lists what is."},
    RejectionRow{Rejection::method_not_allowed, "method-not-allowed", "method-not-allowed", 405,
                 Recorded::never, false, "The method is not allowed here",
                 "The Allow header lists those that are."},
    RejectionRow{Rejection::not_confirmed, "not-confirmed", "not-confirmed", 409,
                 Recorded::by_policy, false, "Nothing of the hold is confirmed",
                 "Only what was confirmed, and not cancelled since, can be cancelled."},
    RejectionRow{Rejection::quantity_exceeded, "quantity-exceeded", "quantity-exceeded", 409,
                 Recorded::by_policy, false, "The hold has not as much left",
                 "The quantity is larger than what is still held, or, to cancel, than what is "
                 "confirmed."},
    RejectionRow{Rejection::lifetime_exceeded, "lifetime-exceeded", "lifetime-exceeded", 409,
                 Recorded::by_policy, false, "The hold would live too long",
                 "From placing to its new expiry a hold may live for the configured lifetime at "
                 "most."},
    RejectionRow{Rejection::execution_rejected, "execution-rejected", "execution.rejected", 409,
                 Recorded::by_policy, false, "The command was rejected",
                 "It did not run, and its key has this outcome; the reason says why."},
    RejectionRow{Rejection::execution_refused, "execution-refused", "execution.rejected", 409,
                 Recorded::never, true, "The command cannot run yet",
                 "It did not run, and its key is unused; the reason says what is missing."},
    RejectionRow{
        Rejection::stale_fence, "stale-fence", "stale-fence", 409, Recorded::by_policy, false,
        "Somebody else has it now",
        "No lease of yours with this fence is in force. Stop working on it: whoever holds it "
        "now will see to it."},
    RejectionRow{Rejection::command_not_known, "command-not-known", "command-not-known", 404,
                 Recorded::by_policy, false, "No such command",
                 "No command with this id exists here."},
    RejectionRow{Rejection::effect_not_open, "effect-not-open", "effect-not-open", 409,
                 Recorded::by_policy, false, "The effect is not in a state for this",
                 "It has settled, or somebody is at work on it. Look at the command to see which."},
    RejectionRow{Rejection::subscription_not_known, "subscription-not-known",
                 "subscription-not-known", 404, Recorded::by_policy, false, "No such subscription",
                 "No subscription with this id exists here."},
    RejectionRow{Rejection::inbox_entry_not_known, "inbox-entry-not-known", "inbox-entry-not-known",
                 404, Recorded::by_policy, false, "No such entry",
                 "No entry of the inbox with this id exists here."},
    RejectionRow{Rejection::inbox_entry_not_open, "inbox-entry-not-open", "inbox-entry-not-open",
                 409, Recorded::by_policy, false, "The entry is not in a state for this",
                 "It is done, or somebody is at work on it. Look at the entry to see which."},
};

/// The row of a rejection. Every enumerator has one.
[[nodiscard]] constexpr const RejectionRow& row(Rejection id) {
  for (const RejectionRow& each : rejection_table) {
    if (each.id == id) return each;
  }
  return rejection_table.front();  // unreachable: a static_assert below covers every enumerator
}

[[nodiscard]] constexpr std::string_view name(Rejection id) { return row(id).name; }
/// What a command of `holdfast` ends with when it is refused so.
[[nodiscard]] constexpr int exit_code(Rejection id) { return static_cast<int>(id); }

/// The rejection with that stored number, if there is one.
[[nodiscard]] constexpr std::optional<Rejection> rejection_numbered(std::int64_t number) {
  for (const RejectionRow& each : rejection_table) {
    if (static_cast<std::int64_t>(each.id) == number) return each.id;
  }
  return std::nullopt;
}

static_assert(
    [] {
      for (std::size_t i = 0; i < rejection_table.size(); ++i) {
        if (static_cast<std::size_t>(rejection_table[i].id) != 10 + i) return false;
      }
      return static_cast<std::size_t>(Rejection::inbox_entry_not_open) ==
             9 + rejection_table.size();
    }(),
    "the table holds each rejection once, in order of its number");

/// Why a request is `invalid-request`, or a command was rejected. Stored with the rejection, so
/// that a replay gives the same reason. Numbers and names are stable, and never reused.
enum class Reason : std::uint8_t {
  none = 0,
  token_size = 1,
  resource_blank = 2,
  resource_size = 3,
  resource_text = 4,
  requester_blank = 5,
  requester_size = 6,
  requester_text = 7,
  duration_bounds = 8,
  quantity_bounds = 9,
  quantity_above_capacity = 10,
  capacity_bounds = 11,
  token_not_expected = 12,
  caller_text = 13,
  nonce_size = 14,
  group_size = 15,
  // Of commands.
  unregistered_command = 16,
  invalid_arguments = 17,
  idempotency_conflict = 18,
  confirmation_required = 19,
  confirmation_invalid = 20,
  confirmation_expired = 21,
  confirmation_used = 22,
  command_text = 23,
  verdict_unknown = 24,
  lease_bounds = 25,
  url_invalid = 26,
  webhook_text = 27,
};

/// What is known of one reason.
struct ReasonRow {
  Reason id;
  std::string_view name;   ///< stable: what programs tell reasons apart by
  std::string_view field;  ///< the parameter that is wrong
  std::string_view text;   ///< for people; the words may change
  int http_status = 0;     ///< if it is not the rejection's
};

inline constexpr std::array reason_table{
    ReasonRow{Reason::none, "", "", ""},
    ReasonRow{Reason::token_size, "token-size", "token",
              "The token is empty or longer than allowed."},
    ReasonRow{Reason::resource_blank, "resource-blank", "resource", "The resource name is blank."},
    ReasonRow{Reason::resource_size, "resource-size", "resource",
              "The resource name is over 1,024 bytes."},
    ReasonRow{Reason::resource_text, "resource-text", "resource",
              "The resource name is not UTF-8, or holds a NUL character."},
    ReasonRow{Reason::requester_blank, "requester-blank", "requester", "The requester is blank."},
    ReasonRow{Reason::requester_size, "requester-size", "requester",
              "The requester is over 1,024 bytes."},
    ReasonRow{Reason::requester_text, "requester-text", "requester",
              "The requester is not UTF-8, or holds a NUL character."},
    ReasonRow{Reason::duration_bounds, "duration-bounds", "duration",
              "The duration is outside the allowed bounds."},
    ReasonRow{Reason::quantity_bounds, "quantity-bounds", "quantity",
              "The quantity is below 1 or above 9,007,199,254,740,991."},
    ReasonRow{Reason::quantity_above_capacity, "quantity-above-capacity", "quantity",
              "The quantity is larger than the whole capacity of the resource."},
    ReasonRow{Reason::capacity_bounds, "capacity-bounds", "capacity",
              "The capacity is below 1 or above 9,007,199,254,740,991."},
    ReasonRow{Reason::token_not_expected, "token-not-expected", "token",
              "This operation derives its token from the request; give none."},
    ReasonRow{Reason::caller_text, "caller-text", "caller",
              "The tenant or principal is blank, over 1,024 bytes, or not UTF-8 text."},
    ReasonRow{Reason::nonce_size, "nonce-size", "nonce", "The nonce is longer than 256 bytes."},
    ReasonRow{Reason::group_size, "group-size", "holds", "A group has 1 to 100 holds."},
    ReasonRow{Reason::unregistered_command, "unregistered_command", "intent",
              "No command of this entity and action is in the registry.", 422},
    ReasonRow{Reason::invalid_arguments, "invalid_arguments", "args",
              "The arguments are not what the registry declares for this command.", 422},
    ReasonRow{Reason::idempotency_conflict, "idempotency_conflict", "idempotency_key",
              "The idempotency key belongs to another command, or is not the one derived from this "
              "one."},
    ReasonRow{Reason::confirmation_required, "confirmation_required", "confirmation_token",
              "This command must be confirmed: send it again with the confirmation token."},
    ReasonRow{Reason::confirmation_invalid, "confirmation_invalid", "confirmation_token",
              "The confirmation token does not belong to this command and key."},
    ReasonRow{Reason::confirmation_expired, "confirmation_expired", "confirmation_token",
              "The confirmation token has expired: ask for another without one."},
    ReasonRow{Reason::confirmation_used, "confirmation_used", "confirmation_token",
              "The confirmation token was used before, and is good for one execution."},
    ReasonRow{Reason::command_text, "command-text", "intent",
              "A name or text is blank, over 1,024 bytes, or not UTF-8 text."},
    ReasonRow{Reason::verdict_unknown, "verdict-unknown", "verdict",
              "A verdict is retry, refused, unknown or absent; a status executed, failed or "
              "compensated."},
    ReasonRow{Reason::lease_bounds, "lease-bounds", "lease",
              "A lease takes 1 to 1,000 effects of 1 to 100 kinds, for 1 ms to a day."},
    ReasonRow{Reason::url_invalid, "url-invalid", "url",
              "The URL is not http or https, over 1,024 bytes, or not printable ASCII."},
    ReasonRow{
        Reason::webhook_text, "webhook-text", "source",
        "A source, an event id, an entry's id or a text is blank, too long, or not UTF-8 text; "
        "or the source is not declared."},
};

/// The row of a reason; that of `none` is empty.
[[nodiscard]] constexpr const ReasonRow& row(Reason id) {
  return reason_table[static_cast<std::size_t>(id)];
}

[[nodiscard]] constexpr std::string_view name(Reason id) { return row(id).name; }

/// The reason with that name, if there is one.
[[nodiscard]] constexpr std::optional<Reason> reason_named(std::string_view name) {
  for (const ReasonRow& each : reason_table) {
    if (each.id != Reason::none && each.name == name) return each.id;
  }
  return std::nullopt;
}

static_assert(
    [] {
      for (std::size_t i = 0; i < reason_table.size(); ++i) {
        if (static_cast<std::size_t>(reason_table[i].id) != i) return false;
      }
      return true;
    }(),
    "the table is indexed by the reason's number");

}  // namespace holdfast
