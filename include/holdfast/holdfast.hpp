#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/clock.hpp"
#include "holdfast/operations.hpp"
#include "holdfast/rejections.hpp"
#include "holdfast/types.hpp"

/// Holdfast: reservations that happen exactly once.
///
///     auto rooms = holdfast::open({.store = "rooms.db"});
///     if (!rooms) die(rooms.error().message);
///     auto token = holdfast::Token::fresh();                       // keep it for retries
///     auto held = rooms->place({.resource = "room_307", .requester = "guest_g91",
///                               .duration = 24h}, token);
///     if (held) rooms->confirm(held.hold->id, holdfast::Token::fresh());
///
/// Every call that changes state takes a token. Within the window the same token with the same
/// parameters gets the same answer and changes nothing more (IR-1, IR-2, IR-8); with other
/// parameters, for another operation or from another principal it is refused as `token-collision`
/// (IR-4).
///
/// An answer is given only once it is durable: it survives any crash (DUR-1). A call without an
/// answer has happened wholly or not at all (DUR-2). Asking again with its token tells which, and
/// makes it happen if it had not. docs/audit.md words the invariants, and ARCHITECTURE.md says
/// where each is kept.
namespace holdfast {

/// How to open a store, and what to allow in it. What makes no sense is refused by `open`, with the
/// member that is wrong.
class Companion;

struct Options {
  /// The store's file, made if it does not exist. `:memory:` for a store that is not kept: it ends
  /// with its `Holdfast`. Or the address of a database, `postgres://…` or `mariadb://…`, which
  /// several processes may use at once.
  std::string store = ":memory:";
  /// How long tokens are recognised, counted from the first call with one; repeating it does not
  /// make that longer (DP-3). Unset: what the store has, 24 hours for a new one. Opening a
  /// store with another is refused; `holdfast store window` changes it.
  std::optional<Duration> window{};
  /// Only look: allowed at any time, also while another process owns the store. Of a file it shows
  /// what was durable when it was opened, and nothing later; of a database, what is there now.
  /// Every state change is refused as `store-unavailable`.
  bool read_only = false;
  /// Longer tokens are refused as `invalid-request`. From 1 to 65,536.
  std::size_t token_bytes_max = 256;
  /// What may be asked for as the duration of a hold. The bounds may be different each time a store
  /// is opened: holds that exist keep their expiry.
  Duration duration_min = std::chrono::milliseconds(1);
  Duration duration_max = std::chrono::hours(24 * 366);
  /// How long a hold may live at most, from placing to the expiry it is extended to. At least
  /// `duration_max`; unset: 366 days, or that if it is longer.
  std::optional<Duration> lifetime_max{};
  /// Class and window of an operation are part of the store, like `window` above; the rest may be
  /// different each time it is opened.
  Policies policies{};
  /// How long a confirmation code is good for, where a policy requires one. Never longer than its
  /// operation's tokens are recognised.
  Duration confirmation_lifetime = std::chrono::minutes(5);

  /// How many calls may wait for the writer. One more is answered `overloaded` at once, and its
  /// token is unused.
  std::size_t queue_max = 65536;
  /// How many calls are decided together at most; a store may take fewer. One sync may serve
  /// several such batches.
  std::size_t batch_max = 1024;
  /// How often lapsed holds are expired and forgotten tokens leave memory. Zero: never by itself;
  /// call `sweep()`. Only lists, counts and events depend on it: a lapsed hold occupies nothing,
  /// and a token past its window is not recognised, whether swept or not.
  Duration sweep_every = std::chrono::milliseconds(500);

  std::shared_ptr<Clock> clock = system_clock();
  std::shared_ptr<Random> random = system_random();
  /// What works beside the store as long as it is open: effects of commands, see
  /// `holdfast/effects.hpp`. Null: nothing does. Not for a store that is only looked at.
  std::shared_ptr<Companion> companion{};
  /// Told now and then how many records were read, while a large file is being opened. Called by
  /// the thread that opens it.
  Progress opening{};
};

/// Why a store could not be opened or read.
struct Error {
  std::string message;  ///< what is wrong and what to do about it
  /// Of a read: `unknown` if what was seen could not be made durable, and may be gone after a
  /// crash.
  Effect effect = Effect::none;
  bool bad_cursor = false;  ///< nothing failed: the cursor of a list was made up
};

template <typename T>
using Result = tl::expected<T, Error>;

/// An open store and the engine on it, with threads of its own.
///
/// All members may be called from any thread at any time, except that it is moved, assigned to and
/// destroyed while no other call on it runs. One that was moved from can only be destroyed or
/// assigned to. Calls that wait together are made durable together: many callers cost little more
/// than one.
///
/// Destroying it finishes what was accepted, callbacks included, then closes the store. It must not
/// be destroyed from a callback.
class Holdfast {
 public:
  Holdfast(Holdfast&&) noexcept;
  Holdfast& operator=(Holdfast&&) noexcept;
  ~Holdfast();

  // State changes. They return when the outcome is durable. What fails is an answer, too: a
  // rejection by the rules, or a refusal that leaves the token unused (`Answer::token_action`).
  // When the store fails the refusal is `store-unavailable`, and `Answer::effect` says whether the
  // call may have happened. Each is made for tenant `default` and principal `local`; `submit` takes
  // others.

  /// Places a hold, if the resource has room. Lapsed holds in the way are expired first. A resource
  /// that was never declared has capacity 1. Refuses, in this order: `invalid-request`,
  /// `resource-unavailable`. Held and confirmed quantities never exceed the capacity (CAP-1).
  [[nodiscard]] Answer place(Placing what, Token token);
  /// Places several holds under one token: all, or none. Refuses as `place` does; the refusal names
  /// every resource that was short (`Answer::document`). `group_in` reads the answer.
  [[nodiscard]] Answer place(Grouping what, Token token);
  /// Confirms a hold that has not lapsed: it keeps its quantity until that is cancelled. Refuses,
  /// in this order: `not-known`, `not-held`, `window-elapsed`.
  [[nodiscard]] Answer confirm(HoldId id, Token token);
  /// Likewise of a part, which may leave the rest held. Refuses, too: `invalid-request` first, and
  /// last `quantity-exceeded`.
  [[nodiscard]] Answer confirm(Confirming what, Token token);
  /// Extends a hold that has not lapsed: it expires that long after now, or when it would anyway if
  /// that is later. Refuses, in this order: `invalid-request`, `not-known`, `not-held`,
  /// `window-elapsed`, `lifetime-exceeded`.
  [[nodiscard]] Answer extend(HoldId id, Duration duration, Token token);
  /// Gives back what was confirmed of a hold, once: all of it, or so much. Refuses, in this order:
  /// `invalid-request`, `not-known`, `not-confirmed`, `quantity-exceeded`.
  [[nodiscard]] Answer cancel(HoldId id, Token token,
                              std::optional<std::int64_t> quantity = std::nullopt);
  // The same of what is still held of a group, all or nothing. Refused as soon as one of its held
  // holds would be, and as `not-held` when none is held any more.
  [[nodiscard]] Answer confirm(GroupId id, Token token);
  [[nodiscard]] Answer release(GroupId id, Token token);
  [[nodiscard]] Answer extend(GroupId id, Duration duration, Token token);
  /// Releases a hold that has not lapsed, and gives its quantity back, once (CAP-2). Refuses as
  /// `confirm` does.
  [[nodiscard]] Answer release(HoldId id, Token token);
  /// Says of a lapsed hold that it is expired, as the sweeper would. It gives nothing back that
  /// somebody else may hold by now. Refuses, in this order: `not-known`, `not-held`,
  /// `window-not-elapsed`.
  [[nodiscard]] Answer expire(HoldId id, Token token);
  /// Declares a resource's capacity, or changes it. Refuses, in this order: `invalid-request`;
  /// `capacity-in-use`, when more than that is held and confirmed.
  [[nodiscard]] Answer declare(std::string resource, std::int64_t capacity, Token token);

  /// Any of the above, with caller, nonce and confirmation. Waits for the answer.
  [[nodiscard]] Answer submit(Call call);
  /// The same without waiting. The future always gets its answer, also when the store fails or is
  /// closed meanwhile.
  [[nodiscard]] std::future<Answer> submit_async(Call call);
  /// The same with a callback, which is called exactly once: before this returns, on your thread,
  /// when the answer is known at once (a replay of what is durable, a refusal unseen); else on a
  /// thread of the engine's. A callback must not throw, and must not wait for anything the engine
  /// does: every other caller waits behind it.
  void submit(Call call, std::function<void(Answer)> done);
  /// Each call on its own, as if submitted one after the other: no call depends on another's
  /// success, and two with one token have one effect. Answers come in the same order. Never so many
  /// wait at a time that these calls alone would be `overloaded`.
  [[nodiscard]] std::vector<Answer> submit(std::vector<Call> calls);

  // Reads. They see only what is durable, and wait for the disk if what they saw is not yet. They
  // take no token and change nothing. What belongs to another tenant is not there. They fail with
  // an `Error` when the store cannot be read.

  /// A hold as it is now. Empty when there is none with this id.
  [[nodiscard]] Result<std::optional<HoldDetails>> hold(HoldId id,
                                                        std::string_view tenant = "default") const;
  /// The holds a query asks for, newest first, a page at a time. A cursor that no list gave out is
  /// an error, `bad_cursor`.
  [[nodiscard]] Result<Page<HoldDetails>> holds(const HoldQuery& query,
                                                std::string_view tenant = "default") const;
  /// What became of a token. Empty when it was never used, or has been forgotten, or its call is
  /// still under way: none of these says that the call will not happen. To make sure, submit it
  /// again with the same token.
  [[nodiscard]] Result<std::optional<TokenResult>> token(const Token& token,
                                                         std::string_view tenant = "default") const;
  /// A resource as it stands. One that was never used or declared is there, too, with capacity 1.
  [[nodiscard]] Result<Resource> resource(std::string_view name,
                                          std::string_view tenant = "default") const;
  /// Every hold of a group as it is now, in the order they were placed. Empty when there is no
  /// group with this id.
  [[nodiscard]] Result<std::optional<Group>> group(GroupId id,
                                                   std::string_view tenant = "default") const;
  /// How much of a resource is held, confirmed and free, and when that may change by itself.
  [[nodiscard]] Result<Availability> availability(std::string_view name,
                                                  std::string_view tenant = "default") const;
  /// What a place would be answered now. It changes nothing and takes no token; the hold in it has
  /// no id. Whoever places afterwards may be answered otherwise.
  [[nodiscard]] Result<Answer> try_place(const Placing& what,
                                         std::string_view tenant = "default") const;
  /// The resources that were ever held or declared, newest first, a page at a time.
  [[nodiscard]] Result<Page<Resource>> resources(const ResourceQuery& query = {},
                                                 std::string_view tenant = "default") const;
  /// Of all tenants together, as of the last durable change. No call waits for whoever asks for
  /// them.
  [[nodiscard]] Counts counts() const;

  /// Expires every lapsed hold and forgets every token past its window. Returns when that is done,
  /// and how many holds were due. It does not say whether the store failed meanwhile: what is left
  /// is swept later.
  std::size_t sweep();
  /// The store's window: how long tokens are recognised where a policy says nothing else.
  [[nodiscard]] Duration window() const;

 private:
  struct Impl;
  explicit Holdfast(std::unique_ptr<Impl> impl);
  friend Result<Holdfast> open(Options options);
  std::unique_ptr<Impl> impl_;
};

/// Opens a store, making it if need be. Opening a file reads all of its records, and checks them.
///
/// One process owns a store's file at a time; a second one is refused, unless it only looks.
/// Damage, another schema, another digest function and another window are refused, too, each with
/// what to do; what is refused is left as it is. Records that are missing or altered are damage
/// (PC-10).
///
/// Throws `std::system_error` when the system gives no thread. Safe to call from any thread.
[[nodiscard]] Result<Holdfast> open(Options options);

}  // namespace holdfast
