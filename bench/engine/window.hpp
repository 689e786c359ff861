#pragma once

#include <mutex>

#include "load.hpp"

namespace holdfast::bench {

/// Keeps a fixed number of calls in flight. Each slot remembers when its call was sent.
class Window {
 public:
  explicit Window(std::size_t in_flight) : sent_(in_flight), free_(in_flight) {
    for (std::size_t i = 0; i < in_flight; ++i) free_[i] = i;
  }

  /// A slot to send from, once there is one.
  std::size_t take() {
    while (free_.empty()) {
      const std::uint64_t seen = signal_.load();
      {
        const std::lock_guard lock(mutex_);
        free_.swap(returned_);
      }
      if (free_.empty()) signal_.wait(seen);
    }
    const std::size_t slot = free_.back();
    free_.pop_back();
    sent_[slot] = Steady::now();
    return slot;
  }

  void give_back(std::size_t slot, bool ok) {
    const std::chrono::duration<float, std::micro> took = Steady::now() - sent_[slot];
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = returned_.empty();
      returned_.push_back(slot);
      samples_.push_back(took.count());
      if (!ok) ++failed_;
    }
    if (!first) return;  // whoever takes this one takes the others along
    signal_.fetch_add(1);
    signal_.notify_one();
  }

  void drain() {
    for (std::size_t i = 0; i < sent_.size(); ++i) (void)take();
  }

  std::vector<float>& samples() { return samples_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }

 private:
  std::vector<Steady::time_point> sent_;
  std::vector<std::size_t> free_;
  std::mutex mutex_;
  std::vector<std::size_t> returned_;
  std::vector<float> samples_;
  std::uint64_t failed_ = 0;
  std::atomic<std::uint64_t> signal_{0};
};

/// Sends from whatever slot is free until `count` are done or the time is up. `send` is given the
/// window, a slot and a number that counts from 0; the slot is given back once it is answered.
template <typename Send>
Run run_in_flight(const Bed& bed, std::size_t in_flight, std::uint64_t count, double seconds,
                  const Send& send) {
  Window window(in_flight);
  const std::uint64_t commits = bed.commits();
  const double cpu = cpu_seconds();
  const auto start = Steady::now();
  Run run;
  while (run.operations < count && seconds_since(start) < seconds) {
    const std::size_t slot = window.take();
    send(window, slot, run.operations++);
  }
  window.drain();
  run.seconds = seconds_since(start);
  run.cpu_us = (cpu_seconds() - cpu) * 1e6 / static_cast<double>(run.operations);
  run.batch = static_cast<double>(run.operations) / static_cast<double>(bed.commits() - commits);
  run.p50_us = percentile(window.samples(), 0.5);
  run.p99_us = percentile(window.samples(), 0.99);
  run.failed = window.failed();
  return run;
}

}  // namespace holdfast::bench
