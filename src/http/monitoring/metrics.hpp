#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/service.hpp"
#include "holdfast/operations.hpp"
#include "holdfast/rejections.hpp"
#include "http/monitoring/exposition.hpp"

namespace holdfast::http {

inline constexpr std::array<double, 14> batch_bounds{1,   2,   4,   8,    16,   32,   64,
                                                     128, 256, 512, 1024, 2048, 4096, 8192};

/// What the service has done so far. No token and no tenant is ever a label. All members may be
/// called from any thread.
class Metrics {
 public:
  /// An answer to a state change.
  void count(const Answer& answer, std::chrono::nanoseconds took);
  /// Any answer at all, by the index of its route; past the last: no route.
  void count(std::size_t route, int status);
  void count(const BatchReport& batch);
  /// The first answer to a submission; `command` is one of a registry, so that there are not many.
  void count_command(const std::string& command, std::string_view status);
  void count_history_lost() { ++histories_lost_; }
  /// What others count and write after all else; before anybody asks.
  using Part = std::function<void(std::string& out, const Store& store)>;
  void add(Part part) { parts_.push_back(std::move(part)); }
  void connection_opened() { ++connections_; }
  void connection_closed() { --connections_; }
  [[nodiscard]] std::int64_t connections() const { return connections_; }

  /// Everything in Prometheus' text form, with what only the service knows.
  [[nodiscard]] std::string text(const Service& service, std::size_t streams) const;

 private:
  static constexpr std::size_t outcomes = 1 + rejection_table.size();
  static constexpr std::size_t routes_max = 64;
  static constexpr std::array<int, 20> statuses{200, 201, 202, 204, 304, 400, 401, 403, 404, 405,
                                                408, 409, 413, 417, 422, 429, 431, 500, 503, 0};

  /// By operation, outcome, and whether it was a replay.
  std::array<std::array<std::array<std::atomic<std::uint64_t>, 2>, outcomes>, operation_limit>
      answers_{};
  std::array<std::atomic<std::uint64_t>, 4> claims_{};  ///< fresh, replayed, collision, in flight
  std::array<std::array<std::atomic<std::uint64_t>, statuses.size()>, routes_max> responses_{};
  Histogram<second_bounds.size()> request_seconds_{second_bounds};
  Histogram<second_bounds.size()> commit_seconds_{second_bounds};
  Histogram<batch_bounds.size()> batch_calls_{batch_bounds};
  mutable std::mutex commands_mutex_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> commands_;  // guarded by the mutex
  std::vector<Part> parts_;
  std::atomic<std::uint64_t> histories_lost_{0};
  std::atomic<std::int64_t> connections_{0};
};

}  // namespace holdfast::http
