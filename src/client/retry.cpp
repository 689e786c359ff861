#include "client/retry.hpp"

#include <algorithm>
#include <array>

namespace holdfast::client {
namespace {

/// Up to `bound`, that included; the bias of the remainder is far below a microsecond.
Duration random_up_to(Duration bound, Random& random) {
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  std::uint64_t word = 0;
  for (const std::uint8_t byte : bytes) word = word << 8U | byte;
  return Duration(
      static_cast<std::int64_t>(word % (static_cast<std::uint64_t>(bound.count()) + 1)));
}

/// The first wait, doubled with every attempt after the first one.
Duration backoff_bound(const ClientOptions& options, std::size_t attempts) {
  Duration bound = std::min(options.backoff_first, options.backoff_max);
  for (std::size_t i = 1; i < attempts && bound < options.backoff_max; ++i) {
    bound = bound > options.backoff_max / 2 ? options.backoff_max : bound * 2;
  }
  return bound;
}

}  // namespace

std::optional<Duration> wait_before_next(const ClientOptions& options, std::size_t attempts,
                                         Duration elapsed, std::optional<Duration> asked,
                                         Random& random) {
  if (attempts >= options.attempts_max) return std::nullopt;
  const Duration least = std::min(asked.value_or(Duration::zero()), options.retry_after_max);
  const Duration left = options.patience - elapsed - least;
  if (left <= Duration::zero()) return std::nullopt;
  const Duration bound =
      std::min(backoff_bound(options, attempts), std::max(left / 2, options.backoff_first));
  const Duration wait = random_up_to(bound, random);
  // To wait, only to find that no time is left to ask, would be to give up later for nothing.
  if (wait >= left) return std::nullopt;
  return least + wait;
}

bool Patience::wait(std::size_t attempts, std::optional<Duration> asked) const {
  const auto time = wait_before_next(options_, attempts, elapsed(), asked, *options_.random);
  if (time) options_.pace->wait(*time);
  return time.has_value();
}

}  // namespace holdfast::client
