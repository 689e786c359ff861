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
/// Every call that changes state takes a token. Within the window the same token with the
/// same parameters gets the same answer and changes nothing more; with other parameters it
/// is refused as `token-collision`. An answer is given only once it is durable.
namespace holdfast {

struct Options {
  /// The store's file, made if it does not exist; `:memory:` for one that is not kept.
  std::string store = ":memory:";
  /// How long tokens are recognised. Unset: what the store was made with, 10 minutes for a
  /// new one. A store keeps its window for life; opening it with another is refused.
  std::optional<Duration> window{};
  /// Only look: allowed at any time, also while another process owns the store. Shows what was
  /// durable at opening; every state change is refused as `store-unavailable`.
  bool read_only = false;
  std::size_t token_bytes_max = 256;
  Duration duration_min = std::chrono::milliseconds(1);
  Duration duration_max = std::chrono::hours(24 * 366);
  /// Class and window of an operation are part of the store, like `window` above.
  Policies policies{};
  /// How long a confirmation code is good for, where a policy requires one.
  Duration confirmation_lifetime = std::chrono::minutes(5);

  /// Calls waiting for the writer; one more is answered `overloaded` at once.
  std::size_t queue_max = 65536;
  /// Calls decided together at most; a sync may serve several such batches.
  std::size_t batch_max = 1024;
  /// How often lapsed holds are expired and forgotten tokens leave memory. Zero: never by
  /// itself; call `sweep()`. Correctness does not depend on it.
  Duration sweep_every = std::chrono::milliseconds(500);

  std::shared_ptr<Clock> clock = system_clock();
  std::shared_ptr<Random> random = system_random();
  /// Told now and then how many records were read, while a large store is being opened.
  Progress opening{};
};

/// Why a store could not be opened or read.
struct Error {
  std::string message;  ///< what is wrong and what to do about it
  Effect effect = Effect::none;
  bool bad_cursor = false;  ///< nothing failed: the cursor of a list was made up
};

template <typename T>
using Result = tl::expected<T, Error>;

/// An open store and the engine on it. All members may be called from any thread. Destroying
/// it finishes what was accepted, then closes the store.
class Holdfast {
 public:
  Holdfast(Holdfast&&) noexcept;
  Holdfast& operator=(Holdfast&&) noexcept;
  ~Holdfast();

  // State changes. They return when the outcome is durable.

  [[nodiscard]] Answer place(Placing what, Token token);
  [[nodiscard]] Answer confirm(HoldId id, Token token);
  [[nodiscard]] Answer release(HoldId id, Token token);
  [[nodiscard]] Answer expire(HoldId id, Token token);
  /// Declares a resource's capacity, or changes it; never below what is in use.
  [[nodiscard]] Answer declare(std::string resource, std::int64_t capacity, Token token);

  /// Any of the above, with caller and confirmation. `submit` waits; `submit_async` gives a
  /// future; the callback form calls `done` exactly once, on the engine's thread or, when the
  /// answer is already known, on yours. A callback must not block and must not throw.
  [[nodiscard]] Answer submit(Call call);
  [[nodiscard]] std::future<Answer> submit_async(Call call);
  void submit(Call call, std::function<void(Answer)> done);
  /// Each call on its own, as if submitted one after the other; answers in the same order.
  [[nodiscard]] std::vector<Answer> submit(std::vector<Call> calls);

  // Reads. They see only what is durable, and take no token. The tenant is the caller's.

  [[nodiscard]] Result<std::optional<HoldDetails>> hold(HoldId id,
                                                        std::string_view tenant = "default") const;
  [[nodiscard]] Result<Page<HoldDetails>> holds(const HoldQuery& query,
                                                std::string_view tenant = "default") const;
  /// Empty when the token was never used, or has been forgotten, or its call is still under way.
  [[nodiscard]] Result<std::optional<TokenResult>> token(const Token& token,
                                                         std::string_view tenant = "default") const;
  [[nodiscard]] Result<Resource> resource(std::string_view name,
                                          std::string_view tenant = "default") const;
  [[nodiscard]] Result<Page<Resource>> resources(const ResourceQuery& query = {},
                                                 std::string_view tenant = "default") const;
  /// As of the last durable change. No call waits for whoever asks for them.
  [[nodiscard]] Counts counts() const;

  /// Expires every lapsed hold and forgets every expired token now. Returns how many holds.
  std::size_t sweep();
  /// How long tokens of the hold operations are recognised here.
  [[nodiscard]] Duration window() const;

 private:
  struct Impl;
  explicit Holdfast(std::unique_ptr<Impl> impl);
  friend Result<Holdfast> open(Options options);
  std::unique_ptr<Impl> impl_;
};

/// Opens a store, making it if need be. One process owns a store's file at a time; a second
/// one is refused. Damage, a newer schema, another digest function or another window are
/// refused too, each with what to do.
[[nodiscard]] Result<Holdfast> open(Options options);

}  // namespace holdfast
