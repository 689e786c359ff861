#include "store/shared/pool.hpp"

#include <algorithm>
#include <thread>

namespace holdfast::shared {

bool BackOff::sleep(std::chrono::steady_clock::time_point deadline) {
  std::uint64_t random = 0;
  system_random()->fill({reinterpret_cast<std::uint8_t*>(&random), sizeof random});
  const auto half = std::max<std::int64_t>(1, std::chrono::microseconds(next_).count() / 2);
  const auto pause =
      std::chrono::microseconds(half + static_cast<std::int64_t>(random >> 1U) % half);
  next_ = std::min(next_ * 2, longest_);
  const auto now = std::chrono::steady_clock::now();
  if (now >= deadline) return false;
  std::this_thread::sleep_until(std::min(now + pause, deadline));
  return true;
}

Expected<Pool::Loan> Pool::take() {
  std::unique_lock lock(mutex_);
  const bool free = returned_.wait_for(lock, patience_, [&] { return lent_ < sessions_max_; });
  if (!free) {
    return tl::unexpected(
        Fault{Trouble::lost, "every connection to the database is in use; ask again"});
  }
  ++lent_;
  if (!idle_.empty()) {
    auto session = std::move(idle_.back());
    idle_.pop_back();
    return Loan(*this, std::move(session), false);
  }
  lock.unlock();
  auto session = driver_.connect();
  if (!session) {
    lock.lock();
    --lent_;
    returned_.notify_one();
    return tl::unexpected(session.error());
  }
  return Loan(*this, std::move(*session), true);
}

void Pool::give_back(std::unique_ptr<Session> session) {
  const std::lock_guard lock(mutex_);
  --lent_;
  if (!session->broken()) idle_.push_back(std::move(session));
  returned_.notify_one();
}

}  // namespace holdfast::shared
