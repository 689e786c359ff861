#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <system_error>

#include "store/store.hpp"

namespace holdfast::shared {

/// A question that may take long to be answered, and nobody waits for longer than they want to.
/// However many ask, it is asked once at a time. May be used from any thread; destroying it waits
/// for the answer.
class PatientQuestion {
 public:
  using Answer = StoreResult<void>;

  explicit PatientQuestion(std::function<Answer()> question) : question_(std::move(question)) {}

  /// Nothing if there is no answer in time: it is still awaited, for whoever asks next.
  [[nodiscard]] std::optional<Answer> ask(std::chrono::milliseconds patience) {
    const std::shared_future<Answer> asked = begin();
    if (!asked.valid()) return std::nullopt;
    if (asked.wait_for(patience) != std::future_status::ready) return std::nullopt;
    return asked.get();
  }

 private:
  /// An answer that has come is of the past: the next to ask want a new one.
  std::shared_future<Answer> begin() {
    const std::lock_guard lock(mutex_);
    const bool awaited =
        asked_.valid() && asked_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    if (awaited) return asked_;
    try {
      asked_ = std::async(std::launch::async, question_).share();
    } catch (const std::system_error&) {  // no more threads may be had
      asked_ = {};
    }
    return asked_;
  }

  const std::function<Answer()> question_;
  std::mutex mutex_;
  std::shared_future<Answer> asked_;  // guarded by mutex_
};

}  // namespace holdfast::shared
