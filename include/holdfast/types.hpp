#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/clock.hpp"
#include "holdfast/operations.hpp"
#include "holdfast/rejections.hpp"

/// The words of the domain. A *resource* is something scarce, with a capacity. A *hold* claims a
/// quantity of it for a *requester*, for a while: `held`, then exactly one of `confirmed`,
/// `released`, `expired`. A *token* makes a call safe to repeat.
///
/// Everything here is a value: it knows no store, and copies are independent. One object may be
/// read by several threads as long as nobody changes it. Names (of tenants, principals, resources,
/// requesters) are compared byte for byte: `Room`, `room` and `room ` are three.
namespace holdfast {

/// Quantities and capacities run from 1 to this: the integers JSON can carry exactly.
inline constexpr std::int64_t quantity_max = (std::int64_t{1} << 53) - 1;
/// Names are UTF-8 without a NUL character, and not blank.
inline constexpr std::size_t name_bytes_max = 1024;
inline constexpr std::size_t nonce_bytes_max = 256;

/// Names a hold for ever: it never changes, and is never used for another hold (PC-4, PC-9). The
/// ordinal counts the holds of a store, from 1, in the order they were placed; the salt is random,
/// so that ids cannot be guessed. Ids are in that order, too. Written `h2a-0f3c9d1e5b7a842`.
struct HoldId {
  std::uint64_t ordinal = 0;  ///< 0: no hold
  std::uint64_t salt = 0;     ///< below 2^60

  [[nodiscard]] std::string text() const;
  /// The id that is written so. Nothing if `text` never makes that of an id: no two texts are one
  /// id.
  [[nodiscard]] static std::optional<HoldId> parse(std::string_view text);
  friend auto operator<=>(const HoldId&, const HoldId&) = default;
};

/// Names a group of holds for ever: by the first of them. Written `g2a-0f3c9d1e5b7a842`.
struct GroupId {
  HoldId first;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<GroupId> parse(std::string_view text);
  friend auto operator<=>(const GroupId&, const GroupId&) = default;
};

/// The caller's idempotency token: opaque bytes, compared byte for byte, 1 to
/// `Options::token_bytes_max` of them.
///
/// Make one per intended change, before the first attempt, and keep it across retries. Within its
/// window a token is bound to one operation, one set of parameters and one principal (IR-4), and to
/// at most one hold (IR-3). The window is counted from the first recording, and repeating a call
/// does not make it longer. After it the token is forgotten, and may be used afresh (DP-2): choose
/// a window longer than the slowest honest retry.
class Token {
 public:
  /// Takes any bytes. What cannot be a token is refused when it is used.
  explicit Token(std::string bytes) : bytes_(std::move(bytes)) {}
  /// No token: for operations whose `key_mode` is `derived`.
  [[nodiscard]] static Token derived() { return Token(std::string()); }
  /// 128 random bits as 32 hexadecimal digits, of `system_random()` or of yours.
  [[nodiscard]] static Token fresh();
  [[nodiscard]] static Token fresh(Random& random);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  friend auto operator<=>(const Token&, const Token&) = default;

 private:
  std::string bytes_;
};

/// On whose behalf a call is made. Nothing is visible across tenants: each has tokens, nonces,
/// resources and holds of its own. Within a tenant a token used by one principal is a collision for
/// another. Both are names the program vouches for; the library checks no credentials.
struct Caller {
  std::string tenant = "default";
  std::string principal = "local";
  friend bool operator==(const Caller&, const Caller&) = default;
};

/// The state of a hold. It is `held` until it is resolved, and exactly one of the others for ever
/// after (PC-1, PC-2, PC-3). Numbers are stable.
enum class HoldState : std::uint8_t { held = 1, confirmed = 2, released = 3, expired = 4 };

/// `held`, `confirmed`, `released`, `expired`; empty for a number that is none of them.
[[nodiscard]] constexpr std::string_view name(HoldState state) {
  switch (state) {
    case HoldState::held:
      return "held";
    case HoldState::confirmed:
      return "confirmed";
    case HoldState::released:
      return "released";
    case HoldState::expired:
      return "expired";
  }
  return "";
}

/// The state of exactly that name.
[[nodiscard]] constexpr std::optional<HoldState> hold_state_named(std::string_view wanted) {
  for (const HoldState each :
       {HoldState::held, HoldState::confirmed, HoldState::released, HoldState::expired}) {
    if (name(each) == wanted) return each;
  }
  return std::nullopt;
}

/// A hold. Names, quantity, id and the instant of placing never change. State, expiry and how much
/// is confirmed or cancelled do, and each such change is a record (PC-5).
///
/// At `expires_at` itself the hold has lapsed: from then on it can be expired, and no longer
/// confirmed, released or extended (PC-7), and what was held of it is free for the next who asks,
/// whether or not anything has swept it yet. What is confirmed of it is kept until it is cancelled;
/// what is released, expires or is cancelled is given back, once (CAP-2).
struct Hold {
  HoldId id;
  std::string resource;
  std::string requester;
  std::int64_t quantity = 1;
  HoldState state = HoldState::held;
  Instant placed_at;
  Instant expires_at;                  ///< placed_at plus the duration asked for, or extended to
  std::optional<Instant> resolved_at;  ///< confirmed, released or expired at
  /// How much of it was confirmed, what was given back since included. All or nothing, unless it
  /// was confirmed in parts.
  std::int64_t quantity_confirmed = 0;
  std::int64_t quantity_cancelled = 0;  ///< how much of that was given back
  std::optional<GroupId> group{};       ///< the group it was placed in; unset: none

  /// How much was given back without having been confirmed, by a release or a last confirm of less.
  [[nodiscard]] std::int64_t quantity_released() const {
    const bool released = state == HoldState::released || state == HoldState::confirmed;
    return released ? quantity - quantity_confirmed : 0;
  }
  /// Grows from each hold of a resource to the next: a system that keeps the largest it has seen
  /// can turn away a holder whose hold is over.
  [[nodiscard]] std::uint64_t fence() const { return id.ordinal; }
  friend bool operator==(const Hold&, const Hold&) = default;
};

/// A hold as the store knows it now, with the token that placed it. The token stays with the hold
/// after its window, so that every hold leads back to its origin.
struct HoldDetails {
  Hold hold;
  std::string token;    ///< a server's lists leave it out
  bool lapsed = false;  ///< held and past `expires_at`: it occupies nothing, and will be swept
};

/// A resource as it stands. `in_use` never exceeds `capacity` (CAP-1).
struct Resource {
  std::string name;
  std::int64_t capacity = 1;
  std::int64_t in_use = 0;  ///< held (not lapsed) and confirmed quantities
  bool declared = false;    ///< never declared: capacity is 1
  friend bool operator==(const Resource&, const Resource&) = default;
};

/// What there is to be had of a resource, and who has the rest. Lapsed holds have nothing of it.
struct Availability {
  std::string resource;
  std::int64_t capacity = 1;
  std::int64_t held = 0;
  std::int64_t confirmed = 0;  ///< and not cancelled since
  /// When the first of what is held lapses, unless it is resolved or extended before; unset:
  /// nothing is held.
  std::optional<Instant> next_expiry{};

  [[nodiscard]] std::int64_t free() const { return capacity - held - confirmed; }
  friend bool operator==(const Availability&, const Availability&) = default;
};

// The parameters of each operation, a type for each. They are checked when a call is made, not
// here: what is out of bounds is refused as `invalid-request`, and `Answer::reason` says why.

/// What to hold, for whom and for how long. Name the members:
/// `{.resource = "room_307", .requester = "g91", .duration = 24h}`. The quantity runs from 1 to the
/// resource's capacity, the duration from `Options::duration_min` to `duration_max`.
struct Placing {
  static constexpr Operation operation = Operation::hold_place;
  std::string resource;
  std::string requester;
  Duration duration{};
  std::int64_t quantity = 1;
};

/// Which hold to confirm, and how much of it: all that is still held, unless `quantity` says less.
/// The rest stays held, to be confirmed, released or left to lapse; with `final` it is released at
/// once.
struct Confirming {
  static constexpr Operation operation = Operation::hold_confirm;
  HoldId hold;
  std::optional<std::int64_t> quantity{};
  bool final = false;
};

/// Which hold to extend: it is to expire that long after now, or when it would anyway if that is
/// later.
struct Extending {
  static constexpr Operation operation = Operation::hold_extend;
  HoldId hold;
  Duration duration{};
};

/// What to give back of a hold's confirmed quantity: all of it, unless `quantity` says less.
struct Cancelling {
  static constexpr Operation operation = Operation::hold_cancel;
  HoldId hold;
  std::optional<std::int64_t> quantity{};
};

/// Which hold to release, …
struct Releasing {
  static constexpr Operation operation = Operation::hold_release;
  HoldId hold;
};

/// … or to expire.
struct Expiring {
  static constexpr Operation operation = Operation::hold_expire;
  HoldId hold;
};

/// One of the holds of a group. A resource may be named twice: there are two holds, and there must
/// be room for both.
struct GroupItem {
  std::string resource;
  std::int64_t quantity = 1;
  friend bool operator==(const GroupItem&, const GroupItem&) = default;
};

/// How many holds a group can have.
inline constexpr std::size_t group_size_max = 100;

/// Several holds under one token: all of them are placed, or none. A refusal names everything that
/// was short (`Answer::document`).
struct Grouping {
  static constexpr Operation operation = Operation::group_place;
  std::string requester;
  Duration duration{};
  std::vector<GroupItem> holds;
};

/// What is still held of a group, to be confirmed, …
struct GroupConfirming {
  static constexpr Operation operation = Operation::group_confirm;
  GroupId group;
};

/// … released, …
struct GroupReleasing {
  static constexpr Operation operation = Operation::group_release;
  GroupId group;
};

/// … or extended, all of it together. Its holds are holds like any other, and can be confirmed,
/// released and extended one by one, too.
struct GroupExtending {
  static constexpr Operation operation = Operation::group_extend;
  GroupId group;
  Duration duration{};
};

/// How much there is of a resource: from 1 to `quantity_max`.
struct Declaring {
  static constexpr Operation operation = Operation::resource_declare;
  std::string resource;
  std::int64_t capacity = 1;
};

/// The parameters of some operation: a struct that says which one.
template <typename T>
concept OperationParameters = requires {
  { T::operation } -> std::convertible_to<Operation>;
};

/// One state change, with its parameters and without its token. The parameters never change, and
/// copies share them: a command is cheap to copy, and safe to read from several threads.
class Command {
 public:
  /// Of no operation. It is refused.
  Command() = default;
  template <typename P>
  requires OperationParameters<std::remove_cvref_t<P>>
  explicit Command(P&& parameters)  // NOLINT(bugprone-forwarding-reference-overload): constrained
      : operation_(std::remove_cvref_t<P>::operation),
        parameters_(std::make_shared<const std::remove_cvref_t<P>>(std::forward<P>(parameters))) {}
  /// Parameters that were made for that operation, of its own type: see `domain/operation.hpp`.
  Command(Operation operation, std::shared_ptr<const void> parameters)
      : operation_(operation), parameters_(std::move(parameters)) {}

  [[nodiscard]] Operation operation() const { return operation_; }
  /// The parameters of an operation of this type; null if the command is another one.
  template <OperationParameters P>
  [[nodiscard]] const P* as() const {
    return operation_ == P::operation ? static_cast<const P*>(parameters_.get()) : nullptr;
  }
  /// The parameters, whatever their type; null if there are none.
  [[nodiscard]] const void* parameters() const { return parameters_.get(); }

  [[nodiscard]] static Command place(Placing what) { return Command(std::move(what)); }
  [[nodiscard]] static Command confirm(HoldId id) { return Command(Confirming{.hold = id}); }
  [[nodiscard]] static Command release(HoldId id) { return Command(Releasing{id}); }
  [[nodiscard]] static Command expire(HoldId id) { return Command(Expiring{id}); }
  [[nodiscard]] static Command declare(std::string resource, std::int64_t capacity) {
    return Command(Declaring{std::move(resource), capacity});
  }

 private:
  Operation operation_ = Operation::none;
  std::shared_ptr<const void> parameters_;
};

/// A command with everything around it. Operation, parameters and principal are what a token is
/// bound to; nonce and confirmation are not.
struct Call {
  Command command;
  Token token = Token::derived();  ///< must be given, unless the operation derives its tokens
  Caller caller{};
  std::string confirmation{};  ///< the code from a `confirmation-required` answer
  /// Unique per tenant for as long as the operation's tokens are kept; empty: none. It is spent
  /// with the call's outcome, or not at all; a call with a nonce that was spent before is refused
  /// as `nonce-replay` (NG-1). A replay is answered whatever its nonce.
  std::string nonce{};
};

/// What to do with the token after a refusal. `reuse`: nothing is recorded under it, and the same
/// call may be made again with it. `new_token`: it has its outcome, this one or another request's;
/// whoever wants to try again for real needs another token.
enum class TokenAction : std::uint8_t { reuse, new_token };

/// What can be said of the effect of a call that got no outcome. Whichever it is, repeating the
/// call with the same token is safe.
enum class Effect : std::uint8_t {
  none,     ///< it did not happen
  unknown,  ///< it may have, or may still happen; the same token tells
};

/// What a refusal says of the effect if the store says nothing else. Nothing for a refusal that is
/// the outcome itself, or that was decided from one: then it is clear that this call changed
/// nothing.
[[nodiscard]] constexpr std::optional<Effect> effect_of(Rejection id) {
  if (row(id).recorded != Recorded::never) return std::nullopt;
  return id == Rejection::in_progress ? Effect::unknown : Effect::none;
}

/// The instant of a token that is never forgotten.
inline constexpr Instant never{Duration(std::numeric_limits<std::int64_t>::max())};

/// The answer to a call. Success, or exactly one rejection.
///
/// A replay has the first call's answer, whatever has become of the hold since (IR-1, IR-2); only
/// `replayed` tells them apart. A recorded rejection is an outcome like any other: the token keeps
/// it even if the call would succeed by now. What is not recorded (`recorded` is false) leaves the
/// token as it was.
struct Answer {
  Operation operation = Operation::none;
  std::optional<Rejection> rejection;  ///< unset: it was done
  Reason reason = Reason::none;        ///< of an `invalid-request`
  std::optional<Hold> hold;            ///< the hold concerned, as it was then
  std::optional<Resource> resource;    ///< what was declared
  std::string document;                ///< of other operations: the answer itself, as JSON
  std::string token;                   ///< the token of this call
  Instant token_expires{};             ///< when the token is forgotten; meaningful if recorded
  bool recorded = false;               ///< this outcome is written against the token
  bool replayed = false;               ///< an earlier call with this token got this answer first
  bool collided = false;               ///< the token has another request's outcome
  /// First answered by a version that said less: what came later is left out of its document.
  bool plain = false;
  Effect effect = Effect::none;  ///< of a call that got no outcome
  int status = 0;                ///< HTTP, as a server sent it; 0: none was asked
  std::string note;              ///< what the store said, when it is unavailable
  std::string confirmation;      ///< of `confirmation-required`: the code to send back
  Instant confirmation_expires{};

  [[nodiscard]] bool ok() const { return !rejection.has_value(); }
  explicit operator bool() const { return ok(); }
  /// One line for people: the rejection's text, and the reason if there is one.
  [[nodiscard]] std::string text() const;
  /// `reuse` when the token is still unused, `new_token` when it has its outcome.
  [[nodiscard]] TokenAction token_action() const;
};

/// A group as an answer tells of it: every hold, as it stood then.
struct Group {
  GroupId id;
  std::vector<Hold> holds;
};

/// The group in the answer to an operation on one; unset if there is none in it.
[[nodiscard]] std::optional<Group> group_in(const Answer& answer);

/// What became of a token: its outcome, and whose it is.
struct TokenResult {
  Answer answer;          ///< as first given
  std::string principal;  ///< who used the token first
  std::string digest;     ///< of the parameters: SHA-256, hexadecimal
  Instant recorded_at;    ///< the window is counted from here
};

/// A page of a list, newest first. An empty `next` means there is no more; else give it as `cursor`
/// for the page that follows. A page may be shorter than asked for, even empty, and still have a
/// `next`: a long search is cut into steps. What is added meanwhile does not move the pages that
/// follow; what changes meanwhile is shown as it is when its page is asked for.
template <typename Item>
struct Page {
  std::vector<Item> items;
  std::string next;
};

/// How many items a page has at most, and how many if nobody says: the same for every store, over
/// HTTP, and for the client.
inline constexpr std::size_t page_items_max = 1000;
inline constexpr std::size_t page_items_default = 100;

/// As many as a page has when so many are asked for: at least one. (The service refuses other
/// numbers than 1 to `page_items_max`; the library and the client take the nearest.)
[[nodiscard]] constexpr std::size_t page_items(std::size_t wanted) {
  return std::clamp(wanted, std::size_t{1}, page_items_max);
}

/// Which holds to list: those that have everything that is given here. The state is the recorded
/// one: a lapsed hold is `held` until it is swept.
struct HoldQuery {
  std::optional<std::string> resource{};
  std::optional<std::string> resource_prefix{};  ///< what the resource's name begins with
  std::optional<std::string> requester{};
  std::optional<HoldState> state{};
  std::optional<Instant> placed_after{};   ///< strictly after
  std::optional<GroupId> group{};          ///< placed together
  std::string cursor{};                    ///< `next` of the page before
  std::size_t limit = page_items_default;  ///< see `page_items`
};

/// Which resources to list: all of a tenant's, or those whose names begin so.
struct ResourceQuery {
  std::optional<std::string> prefix{};
  std::string cursor{};
  std::size_t limit = page_items_default;  ///< see `page_items`
};

/// How far something long has come. Called by whatever thread does it; must not throw.
using Progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// How much there is in a store, of all tenants together.
struct Counts {
  std::uint64_t records = 0;     ///< the sequence number of the last one, too
  std::uint64_t holds = 0;       ///< ever placed
  std::uint64_t live_holds = 0;  ///< held now, lapsed ones included
  std::uint64_t confirmed_holds = 0;
  std::uint64_t released_holds = 0;
  std::uint64_t expired_holds = 0;
  /// The earliest among live holds, and among what else the clock alone makes due.
  std::optional<Instant> next_expiry{};
  std::uint64_t live_tokens = 0;  ///< remembered now; some may be past their window
  std::uint64_t resources = 0;    ///< ever held or declared
};

}  // namespace holdfast
