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

/// The words of the domain. A *resource* is something scarce, with a capacity. A *hold*
/// claims a quantity of it for a *requester*, for a while: `held`, then exactly one of
/// `confirmed`, `released`, `expired`. A *token* makes a call safe to repeat.
namespace holdfast {

/// Quantities and capacities run from 1 to this: the integers JSON can carry exactly.
inline constexpr std::int64_t quantity_max = (std::int64_t{1} << 53) - 1;
inline constexpr std::size_t name_bytes_max = 1024;
inline constexpr std::size_t nonce_bytes_max = 256;

/// Names a hold for ever: ids are never reused. The ordinal counts holds in the order they
/// were placed; the salt is random, so that ids cannot be guessed. Written `h2a-0f3c9d1e5b7a842`.
struct HoldId {
  std::uint64_t ordinal = 0;
  std::uint64_t salt = 0;  ///< below 2^60

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<HoldId> parse(std::string_view text);
  friend auto operator<=>(const HoldId&, const HoldId&) = default;
};

/// The caller's idempotency token: opaque bytes, compared byte for byte, 1 to
/// `Options::token_bytes_max` of them. Make one per intended change, keep it across retries.
class Token {
 public:
  explicit Token(std::string bytes) : bytes_(std::move(bytes)) {}
  /// No token: for operations whose `key_mode` is `derived`.
  [[nodiscard]] static Token derived() { return Token(std::string()); }
  /// 128 random bits as 32 hexadecimal digits.
  [[nodiscard]] static Token fresh();
  [[nodiscard]] static Token fresh(Random& random);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  friend auto operator<=>(const Token&, const Token&) = default;

 private:
  std::string bytes_;
};

/// On whose behalf a call is made. Nothing is visible across tenants; a token used by one
/// principal is a collision for another.
struct Caller {
  std::string tenant = "default";
  std::string principal = "local";
  friend bool operator==(const Caller&, const Caller&) = default;
};

enum class HoldState : std::uint8_t { held = 1, confirmed = 2, released = 3, expired = 4 };

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

[[nodiscard]] constexpr std::optional<HoldState> hold_state_named(std::string_view wanted) {
  for (const HoldState each :
       {HoldState::held, HoldState::confirmed, HoldState::released, HoldState::expired}) {
    if (name(each) == wanted) return each;
  }
  return std::nullopt;
}

struct Hold {
  HoldId id;
  std::string resource;
  std::string requester;
  std::int64_t quantity = 1;
  HoldState state = HoldState::held;
  Instant placed_at;
  Instant expires_at;
  std::optional<Instant> resolved_at;  ///< confirmed, released or expired at
  friend bool operator==(const Hold&, const Hold&) = default;
};

/// A hold as the store knows it now, with the token that placed it. A held hold past its
/// instant is `lapsed`: it no longer occupies anything, and the sweeper will say so soon.
struct HoldDetails {
  Hold hold;
  std::string token;
  bool lapsed = false;
};

struct Resource {
  std::string name;
  std::int64_t capacity = 1;
  std::int64_t in_use = 0;  ///< held (not lapsed) and confirmed quantities
  bool declared = false;    ///< never declared: capacity is 1
  friend bool operator==(const Resource&, const Resource&) = default;
};

// The parameters of each operation, a type for each.

/// What to hold. Name the members: `{.resource = "room_307", .requester = "g91", .duration = 24h}`.
struct Placing {
  static constexpr Operation operation = Operation::hold_place;
  std::string resource;
  std::string requester;
  Duration duration{};
  std::int64_t quantity = 1;
};

/// Which hold to confirm, …
struct Confirming {
  static constexpr Operation operation = Operation::hold_confirm;
  HoldId hold;
};

/// … to release, …
struct Releasing {
  static constexpr Operation operation = Operation::hold_release;
  HoldId hold;
};

/// … or to expire.
struct Expiring {
  static constexpr Operation operation = Operation::hold_expire;
  HoldId hold;
};

/// How much there is of a resource.
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
  explicit Command(P&& parameters)
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
  [[nodiscard]] static Command confirm(HoldId id) { return Command(Confirming{id}); }
  [[nodiscard]] static Command release(HoldId id) { return Command(Releasing{id}); }
  [[nodiscard]] static Command expire(HoldId id) { return Command(Expiring{id}); }
  [[nodiscard]] static Command declare(std::string resource, std::int64_t capacity) {
    return Command(Declaring{std::move(resource), capacity});
  }

 private:
  Operation operation_ = Operation::none;
  std::shared_ptr<const void> parameters_;
};

/// A command with everything around it.
struct Call {
  Command command;
  Token token = Token::derived();
  Caller caller{};
  std::string confirmation{};  ///< the code from a `confirmation-required` answer
  /// Unique per tenant for as long as the operation's tokens are kept; empty: none. Spent together
  /// with the effect. Not part of the request: a replay is answered whatever its nonce.
  std::string nonce{};
};

/// What to do with the token after a refusal.
enum class TokenAction : std::uint8_t { reuse, new_token };

/// What can be said of the effect of a call that got no outcome.
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

/// The answer to a call. Success, or exactly one rejection; in either case word for word what
/// the first call with this token was told, except for `replayed`.
struct Answer {
  Operation operation = Operation::none;
  std::optional<Rejection> rejection;  ///< unset: it was done
  Reason reason = Reason::none;        ///< of an `invalid-request`
  std::optional<Hold> hold;            ///< the hold concerned, as it was then
  std::optional<Resource> resource;    ///< what was declared
  std::string token;                   ///< the token of this call
  Instant token_expires{};             ///< when the token is forgotten; meaningful if recorded
  bool recorded = false;               ///< this outcome is written against the token
  bool replayed = false;               ///< an earlier call with this token got this answer first
  Effect effect = Effect::none;        ///< of a call that got no outcome
  int status = 0;                      ///< HTTP, as a server sent it; 0: none was asked
  std::string note;                    ///< what the store said, when it is unavailable
  std::string confirmation;            ///< of `confirmation-required`: the code to send back
  Instant confirmation_expires{};

  [[nodiscard]] bool ok() const { return !rejection.has_value(); }
  explicit operator bool() const { return ok(); }
  /// One line for people: the rejection's text, and the reason if there is one.
  [[nodiscard]] std::string text() const;
  /// `reuse` when the token is still unused, `new_token` when it has its outcome.
  [[nodiscard]] TokenAction token_action() const;
};

/// What became of a token.
struct TokenResult {
  Answer answer;  ///< as first given
  std::string principal;
  std::string digest;  ///< hexadecimal
  Instant recorded_at;
};

/// A page of a list, newest first. An empty `next` means there is no more. A page may be
/// shorter than asked for and still have a `next`: a long search is cut into steps.
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

struct HoldQuery {
  std::optional<std::string> resource{};
  std::optional<std::string> requester{};
  std::optional<HoldState> state{};
  std::optional<Instant> placed_after{};   ///< strictly after
  std::string cursor{};                    ///< `next` of the page before
  std::size_t limit = page_items_default;  ///< see `page_items`
};

struct ResourceQuery {
  std::string cursor{};
  std::size_t limit = page_items_default;  ///< see `page_items`
};

/// How far something long has come.
using Progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// How much there is.
struct Counts {
  std::uint64_t records = 0;
  std::uint64_t holds = 0;       ///< ever placed
  std::uint64_t live_holds = 0;  ///< held now, lapsed ones included
  std::uint64_t confirmed_holds = 0;
  std::uint64_t released_holds = 0;
  std::uint64_t expired_holds = 0;
  std::optional<Instant> next_expiry{};  ///< the earliest among live holds
  std::uint64_t live_tokens = 0;
  std::uint64_t resources = 0;
};

}  // namespace holdfast
