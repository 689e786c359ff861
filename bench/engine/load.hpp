#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/service.hpp"
#include "store/open.hpp"

/// The load every engine benchmark uses: places of quantity 1, uniform over 10,000 resources of
/// large capacity, each under a random token of 32 characters.
namespace holdfast::bench {

inline constexpr std::uint64_t resource_count = 10'000;

/// A token of 32 characters that looks random; the same one for the same number.
[[nodiscard]] Token token_numbered(std::uint64_t i);

/// The i-th call of the load; the same call every time, so that it can be repeated.
[[nodiscard]] Call call_numbered(std::uint64_t i);

/// A durable store with its service, and counts of what they did.
class Bed {
 public:
  /// Opens or makes the store at that path.
  explicit Bed(std::string name, ServiceOptions options = {});

  Service& service() { return *service_; }
  [[nodiscard]] std::uint64_t commits() const { return commits_; }
  [[nodiscard]] double open_seconds() const { return open_seconds_; }
  void declare_resources();

 private:
  std::atomic<std::uint64_t> commits_{0};
  double open_seconds_ = 0;
  std::unique_ptr<Service> service_;
};

struct Run {
  std::uint64_t operations = 0;
  double seconds = 0;
  double cpu_us = 0;  ///< of the whole process, load included, per operation
  double p50_us = 0;
  double p99_us = 0;
  double batch = 0;  ///< operations per sync
  std::uint64_t failed = 0;
  [[nodiscard]] double per_second() const { return static_cast<double>(operations) / seconds; }
};

/// Places calls from `first` on, keeping so many in flight, until `count` are done or the time is
/// up. `first` moves on.
[[nodiscard]] Run run_places(Bed& bed, std::uint64_t& first, std::size_t in_flight,
                             std::uint64_t count, double seconds);

/// Asks for the store's counts from a thread of its own, as whoever watches it does, for as long as
/// it lives.
class CountsReader {
 public:
  CountsReader(Bed& bed, std::chrono::microseconds pause);
  ~CountsReader();
  CountsReader(const CountsReader&) = delete;
  CountsReader& operator=(const CountsReader&) = delete;

  [[nodiscard]] std::uint64_t asked() const { return asked_; }

 private:
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

/// Repeats random calls below `known` from so many threads until the time is up.
[[nodiscard]] Run run_replays(Bed& bed, std::uint64_t known, std::size_t threads, double seconds);

using Steady = std::chrono::steady_clock;
[[nodiscard]] double seconds_since(Steady::time_point start);
[[nodiscard]] double percentile(std::vector<float>& samples, double share);
/// The middle of what several runs had of a figure.
[[nodiscard]] double middle(const std::vector<Run>& runs, double (*figure)(const Run&));
/// A number that looks random, the same one every time.
[[nodiscard]] std::uint64_t mix(std::uint64_t x);
[[nodiscard]] double cpu_seconds();
[[nodiscard]] std::uint64_t resident_bytes();
[[nodiscard]] std::uint64_t written_bytes();  ///< by this process to disk so far

}  // namespace holdfast::bench
