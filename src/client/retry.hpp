#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>

#include "holdfast/client.hpp"

/// When to try again, and when to stop.
namespace holdfast::client {

/// One attempt that brought no answer.
struct Setback {
  Trouble trouble;
  bool final = false;               ///< trying again cannot help
  Effect effect = Effect::unknown;  ///< of this attempt: `none` if the engine never saw the call
  std::optional<Duration> asked{};  ///< how long the server asks us to wait
};

template <typename T>
using Attempt = tl::expected<T, Setback>;

/// Why no attempt brought an answer.
struct GivenUp {
  Trouble trouble;  ///< of the last attempt
  std::size_t attempts = 0;
  /// `none` only if the server refused, and no attempt before can have reached the engine.
  Effect effect = Effect::unknown;
};

/// How long to wait before the next attempt, `attempts` having been made in `elapsed`; nothing when
/// it is time to give up. At least what the server asks for, and a random part up to a bound that
/// doubles with every attempt, and leaves half of the patience there is: clients that failed
/// together do not come back together, and none gives up long before it has to.
[[nodiscard]] std::optional<Duration> wait_before_next(const ClientOptions& options,
                                                       std::size_t attempts, Duration elapsed,
                                                       std::optional<Duration> asked,
                                                       Random& random);

/// What `Retry-After` asks for, in seconds or as a date; nothing if it says neither. A date that
/// has passed asks for no wait at all.
[[nodiscard]] std::optional<Duration> parse_retry_after(std::string_view text, Instant now);

/// `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms RFC 9110 knows.
[[nodiscard]] std::optional<Instant> parse_http_date(std::string_view text);

/// The patience of one call: how much of it is used up.
class Patience {
 public:
  explicit Patience(const ClientOptions& options)
      : options_(options), begun_(options.pace->elapsed()) {}

  [[nodiscard]] Duration elapsed() const { return options_.pace->elapsed() - begun_; }
  [[nodiscard]] Duration left() const { return options_.patience - elapsed(); }

  /// Waits until the next attempt is due; false, at once, when there is to be none.
  [[nodiscard]] bool wait(std::size_t attempts, std::optional<Duration> asked) const;

 private:
  const ClientOptions& options_;
  const Duration begun_;
};

/// Attempts until there is an answer, a final refusal, or no patience left. `attempt` is given the
/// time that is left.
template <typename T, typename Try>
tl::expected<T, GivenUp> insist(const ClientOptions& options, const Try& attempt) {
  const Patience patience(options);
  Effect effect = Effect::none;
  for (std::size_t attempts = 1;; ++attempts) {
    Attempt<T> made = attempt(patience.left());
    if (made) return std::move(*made);
    Setback& setback = made.error();
    if (setback.effect == Effect::unknown) effect = Effect::unknown;
    if (setback.final) return tl::unexpected(GivenUp{std::move(setback.trouble), attempts, effect});
    if (!patience.wait(attempts, setback.asked)) {
      return tl::unexpected(GivenUp{std::move(setback.trouble), attempts, Effect::unknown});
    }
  }
}

}  // namespace holdfast::client
