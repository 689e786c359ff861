#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace holdfast::http {

/// So many a second for each tenant, or each key, with bursts. A rate of zero limits nothing and
/// costs nothing. All members may be called from any thread.
class RateLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  RateLimiter(std::uint64_t rate, std::uint64_t burst)
      : rate_(static_cast<double>(rate)), burst_(static_cast<double>(burst > 0 ? burst : 1)) {}

  /// Takes so many. Zero when that was allowed; otherwise after how long it will be. More than a
  /// burst at once is allowed when nothing was taken for long enough, and owed afterwards.
  /// `already` were taken for the same request, and will be again when it is repeated.
  [[nodiscard]] std::chrono::seconds take(std::string_view tenant, Time now, std::size_t count = 1,
                                          std::size_t already = 0);
  /// One that was taken counts elsewhere.
  void give_back(std::string_view tenant);
  [[nodiscard]] bool limits() const { return rate_ > 0; }

 private:
  struct Bucket {
    double left = 0;
    Time at{};
  };
  static constexpr std::size_t buckets_kept = 10'000;

  void drop_full(Time now);

  const double rate_;
  const double burst_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;  // guarded by mutex_
  std::size_t buckets_max_ = buckets_kept;           // likewise: look for full ones from then on
};

}  // namespace holdfast::http
