#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/clock.hpp"
#include "holdfast/holdfast.hpp"
#include "holdfast/types.hpp"

/// The client of a Holdfast server: the calls of the library, over HTTP.
///
///     auto rooms = holdfast::connect({.url = "https://rooms.example:8420", .key = key});
///     if (!rooms) die(rooms.error().message);
///     auto held = rooms->place({.resource = "room_307", .requester = "guest_g91",
///                               .duration = 24h});
///     if (!held) die(held.error().text());     // outcome unknown, token 3f0c2a91…: …
///     if (*held) rooms->confirm(held->hold->id);
///
/// A call has one token, made before the first attempt and kept to the last. Whatever leaves the
/// outcome open (no connection, an answer lost, cut short or garbled, a server that is busy or
/// failing) is tried again with the same token, so that nothing happens twice; the waits between
/// attempts grow and are random, and are never shorter than the server asks. When patience ends
/// without an answer, the outcome is unknown, and the call that is handed back can be resumed at
/// any time, also by another process: whoever asks with this token learns what became of it, as
/// long as the token is remembered.
///
/// The client promises what the library promises (IR-1, IR-2, IR-8, DUR-1, DUR-2): an `Answer` is
/// what the engine decided, once, durably. It adds nothing to it and guesses nothing.
namespace holdfast {

/// How time passes for a client that waits. Replace it in tests, and retries take no time.
/// Implementations must be safe to call from several threads, and must not throw.
class Pace {
 public:
  virtual ~Pace() = default;
  /// Since some instant in the past; never runs backward.
  [[nodiscard]] virtual Duration elapsed() const = 0;
  /// Returns once that much has passed, for the calling thread alone.
  virtual void wait(Duration time) = 0;
};

/// Time as it passes, which is the default. One object for the whole process.
[[nodiscard]] std::shared_ptr<Pace> real_pace();

/// How to reach a server, and how long to insist. What makes no sense is refused by `connect`.
struct ClientOptions {
  /// `http://HOST[:PORT][/PREFIX]` or `https://…`; ports are 80 and 443 if left out.
  std::string url = "http://127.0.0.1:8420";
  /// The credential, `hf_<id>_<secret>`; empty for a server that needs none. It decides tenant and
  /// principal: `Call::caller` is not sent. Over plain http it can be read on the way.
  std::string key{};

  /// Of one attempt: to reach the server (looking its name up excepted), and from there to the
  /// answer's last byte.
  Duration connect_timeout = std::chrono::seconds(5);
  Duration answer_timeout = std::chrono::seconds(30);
  /// How long one call may take with all its attempts, and how many those may be.
  Duration patience = std::chrono::minutes(1);
  std::size_t attempts_max = 20;
  /// Before the second attempt the client waits a random time up to the first of these; each time
  /// up to twice as long, never over the second.
  Duration backoff_first = std::chrono::milliseconds(100);
  Duration backoff_max = std::chrono::seconds(10);
  /// The longest a server may ask a client to wait (`Retry-After`); more counts as this.
  Duration retry_after_max = std::chrono::minutes(1);
  /// Connections kept open between calls. More may be in use at once.
  std::size_t connections_kept = 8;

  /// For https, files in PEM, read by `connect`: who signed the server's certificate (unset: whom
  /// the system trusts), and the certificate to show, with its key, to a server that asks for one.
  std::string ca_file{};
  std::string certificate_file{};
  std::string certificate_key_file{};

  std::shared_ptr<Clock> clock = system_clock();
  std::shared_ptr<Random> random = system_random();
  std::shared_ptr<Pace> pace = real_pace();
};

/// What came instead of an answer: what the server said, or what became of the connection. Of a
/// call with several attempts it is the last one's.
struct Trouble {
  int status = 0;      ///< HTTP; 0 when the server said nothing that could be understood
  std::string code;    ///< `unauthenticated`, `throttled`, …; `unreachable` without a status
  std::string detail;  ///< a sentence for people; its words may change
  bool retryable = true;
  TokenAction token_action = TokenAction::reuse;
  std::string request_id{};  ///< names the request in the server's log
  /// What the server says of the effect; nothing if it says nothing, or is not ours.
  std::optional<Effect> effect{};
  Reason reason = Reason::none;  ///< of `invalid-request`

  /// One line for people: `401 unauthenticated: …`.
  [[nodiscard]] std::string text() const;
};

/// A state change without an answer. Keep it, or at least its call, until it has one: as long as
/// the effect is unknown, a new token may do twice what was meant once.
struct NoAnswer {
  Call call;  ///< what was asked, its token included: `resume` asks it again
  /// `none`: the server would not take this call, and it changed nothing. `unknown`: nobody here
  /// knows what became of the token; asking again with the same one tells.
  Effect effect = Effect::unknown;
  std::size_t attempts = 0;
  Trouble trouble;  ///< of the last attempt

  /// One line for people: `outcome unknown, token 3f0c2a91…: …`.
  [[nodiscard]] std::string text() const;
};

/// The answer to a state change, a rejection included, exactly as the library gives it; or none.
/// A rejection is no failure of the client: look at `Answer::ok`. Of a hold that could not be
/// resolved the server tells only the id and, for `not-held`, the state.
using Reply = tl::expected<Answer, NoAnswer>;

/// What was read, or why nothing could be. A read changes nothing, so it can be repeated at will.
template <typename T>
using Read = tl::expected<T, Trouble>;

/// A server, as seen from here. All members may be called from any thread at any time, and block
/// until there is an answer or patience ends; calls of several threads run side by side, each on a
/// connection of its own. A client has no thread of its own, and does nothing between calls.
///
/// It is moved, assigned to and destroyed while no other call on it runs. One that was moved from
/// can only be destroyed or assigned to.
class Client {
 public:
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // State changes: what each does and refuses is said in `Holdfast`. Without a token a fresh one is
  // made; it is in the answer, or in the call of what comes instead. To survive a crash of the
  // caller, make it yourself and keep it first.

  [[nodiscard]] Reply place(Placing what, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply place(Grouping what, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply confirm(HoldId id, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply confirm(Confirming what, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply confirm(GroupId id, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply extend(HoldId id, Duration duration,
                             std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply extend(GroupId id, Duration duration,
                             std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply cancel(HoldId id, std::optional<std::int64_t> quantity = std::nullopt,
                             std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply release(GroupId id, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply release(HoldId id, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply expire(HoldId id, std::optional<Token> token = std::nullopt);
  [[nodiscard]] Reply declare(std::string resource, std::int64_t capacity,
                              std::optional<Token> token = std::nullopt);

  /// Any of the above, with exactly this token (1 to 256 characters of printable ASCII; none where
  /// the server derives it), confirmation and nonce.
  [[nodiscard]] Reply submit(Call call);
  /// Each call on its own; replies in the same order. Sent together, in as few requests as they fit
  /// in; what has no answer is sent again without what has. Answers do not say when their tokens
  /// are forgotten.
  [[nodiscard]] std::vector<Reply> submit(const std::vector<Call>& calls);
  /// Takes up again a call whose outcome is unknown, with all patience and the same token. Unknown
  /// it stays until there is an answer.
  [[nodiscard]] Reply resume(NoAnswer unanswered);

  // Reads. Tried again like changes, until patience ends. They see what is the key's tenant's, and
  // only what is durable.

  /// A hold as it is now. Empty when there is none with this id.
  [[nodiscard]] Read<std::optional<HoldDetails>> hold(HoldId id) const;
  /// The holds a query asks for, newest first, a page at a time; without their tokens. A cursor
  /// that no list gave out is refused.
  [[nodiscard]] Read<Page<HoldDetails>> holds(const HoldQuery& query = {}) const;
  /// What became of a token. Empty when it was never used, or has been forgotten; neither says that
  /// a call which is on its way will not happen. Asked again while its call is known to be under
  /// way.
  [[nodiscard]] Read<std::optional<TokenResult>> token(const Token& token) const;
  /// A resource as it stands. One that was never used or declared is there, too, with capacity 1.
  [[nodiscard]] Read<Resource> resource(std::string_view name) const;
  /// What a place would be answered now. It changes nothing and takes no token.
  [[nodiscard]] Read<Answer> try_place(const Placing& what) const;
  /// How much of a resource is held, confirmed and free.
  [[nodiscard]] Read<Availability> availability(std::string_view name) const;
  /// Every hold of a group as it is now. Empty when there is no group with this id.
  [[nodiscard]] Read<std::optional<Group>> group(GroupId id) const;
  /// The resources that were ever held or declared, newest first, a page at a time.
  [[nodiscard]] Read<Page<Resource>> resources(const ResourceQuery& query = {}) const;
  /// Any other address that answers JSON, as the server wrote it: `/v1/audit`,
  /// `/v1/evidence/head?since=20`. Begins with a slash; characters outside ASCII are escaped.
  [[nodiscard]] Read<std::string> document(std::string_view address) const;

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  friend Result<Client> connect(ClientOptions options);
  std::unique_ptr<Impl> impl_;
};

/// A client of the server at `url`. Sends nothing yet: fails only if the options make no sense or
/// their files cannot be read. Whether the server is there shows with the first call. Safe to call
/// from any thread.
[[nodiscard]] Result<Client> connect(ClientOptions options);

}  // namespace holdfast
