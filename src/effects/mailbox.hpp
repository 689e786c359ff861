#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "holdfast/clock.hpp"

namespace holdfast::effects {

/// What other threads leave for the dispatcher's own. Whoever holds one may outlive the dispatcher:
/// once it is closed, what comes is dropped.
class Mailbox {
 public:
  using Letter = std::function<void()>;

  void post(Letter letter) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    letters_.push_back(std::move(letter));
    changed_.notify_one();
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }
  /// What was left; nothing, when it was only woken or nobody came for so long.
  [[nodiscard]] std::vector<Letter> wait(Duration patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return woken_ || !letters_.empty(); });
    woken_ = false;
    return std::exchange(letters_, {});
  }
  void close() {
    std::vector<Letter> dropped;  // their ends may post again
    const std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(letters_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Letter> letters_;  // guarded by mutex_, like the rest
  bool woken_ = false;
  bool closed_ = false;
};

}  // namespace holdfast::effects
