#include "http/rate_limiter.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::http {

std::chrono::seconds RateLimiter::take(std::string_view tenant, Time now, std::size_t count,
                                       std::size_t already) {
  if (!limits()) return std::chrono::seconds(0);
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= buckets_max_) drop_full(now);
  const auto [found, fresh] = buckets_.try_emplace(std::string(tenant), Bucket{burst_, now});
  Bucket& bucket = found->second;
  if (!fresh) {
    const double waited = std::chrono::duration<double>(now - bucket.at).count();
    bucket.left = std::min(burst_, bucket.left + std::max(0.0, waited) * rate_);
    bucket.at = std::max(bucket.at, now);
  }
  const double wanted = static_cast<double>(count);
  const double taken = static_cast<double>(already);
  const double needed = std::min(wanted, burst_ - taken);
  if (bucket.left >= needed) {
    bucket.left -= wanted;
    return std::chrono::seconds(0);
  }
  const double missing = (needed + taken - bucket.left) / rate_;
  return std::chrono::seconds(std::max<std::int64_t>(1, std::llround(std::ceil(missing))));
}

/// Buckets that are full again are as good as none. There may be twice as many as are left.
void RateLimiter::drop_full(Time now) {
  std::erase_if(buckets_, [&](const auto& each) {
    const double waited = std::chrono::duration<double>(now - each.second.at).count();
    return each.second.left + std::max(0.0, waited) * rate_ >= burst_;
  });
  buckets_max_ = std::max(buckets_kept, 2 * buckets_.size());
}

void RateLimiter::give_back(std::string_view tenant) {
  if (!limits()) return;
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(std::string(tenant));
  if (found != buckets_.end()) found->second.left = std::min(burst_, found->second.left + 1);
}

}  // namespace holdfast::http
