#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "holdfast/clock.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::shared {

/// How long to wait before trying again: longer each time, and never the same as anybody else.
class BackOff {
 public:
  BackOff(std::chrono::milliseconds first, std::chrono::milliseconds longest)
      : first_(first), longest_(longest), next_(first) {}
  void reset() { next_ = first_; }
  /// Sleeps, but not beyond the deadline. False if that has come.
  bool sleep(std::chrono::steady_clock::time_point deadline);

 private:
  const std::chrono::milliseconds first_;
  const std::chrono::milliseconds longest_;
  std::chrono::milliseconds next_;
};

/// Connections, opened when first needed and kept. Whoever finds all of them in use waits, but not
/// for ever.
class Pool {
 public:
  Pool(Driver& driver, std::size_t sessions_max, std::chrono::milliseconds patience)
      : driver_(driver), sessions_max_(sessions_max), patience_(patience) {}

  /// A session on loan; given back at the end of its life.
  class Loan {
   public:
    Loan(Pool& pool, std::unique_ptr<Session> session, bool fresh)
        : pool_(&pool), session_(std::move(session)), fresh_(fresh) {}
    Loan(Loan&&) = default;
    Loan& operator=(Loan&&) = delete;
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (session_ != nullptr) pool_->give_back(std::move(session_));
    }
    Session* operator->() const { return session_.get(); }
    /// Whether it was connected just now: what fails on it is not for having been idle.
    [[nodiscard]] bool fresh() const { return fresh_; }

   private:
    Pool* pool_;
    std::unique_ptr<Session> session_;
    bool fresh_;
  };

  [[nodiscard]] Expected<Loan> take();

 private:
  void give_back(std::unique_ptr<Session> session);

  Driver& driver_;
  const std::size_t sessions_max_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Session>> idle_;  // guarded by mutex_
  std::size_t lent_ = 0;                        // guarded by mutex_
};

/// Asks something of a session of the pool. A connection that had gone while it was idle is not
/// the caller's trouble: what only reads is asked once more.
template <typename Ask>
auto ask(Pool& pool, Ask question) -> decltype(question(std::declval<Session&>())) {
  for (int attempt = 0;; ++attempt) {
    auto session = pool.take();
    if (!session) return tl::unexpected(session.error());
    auto answer = question(*session->operator->());
    const bool gone = !answer && answer.error().trouble == Trouble::lost && !session->fresh();
    const bool busy = !answer && answer.error().trouble == Trouble::again;
    if ((!gone && !busy) || attempt == 8) return answer;
  }
}

}  // namespace holdfast::shared
