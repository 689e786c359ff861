#pragma once

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

/// Prometheus' text form.
namespace holdfast::http {

inline void write_head(std::string& out, std::string_view name, std::string_view kind,
                       std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

/// `labels` without braces, may be empty.
template <typename Number>
void write_line(std::string& out, std::string_view name, std::string_view labels, Number value) {
  if (labels.empty()) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
  } else {
    fmt::format_to(std::back_inserter(out), "{}{{{}}} {}\n", name, labels, value);
  }
}

template <typename Number>
void write_gauge(std::string& out, std::string_view name, std::string_view help, Number value) {
  write_head(out, name, "gauge", help);
  write_line(out, name, "", value);
}

/// Counts observations in fixed steps. All members may be called from any thread.
template <std::size_t steps>
class Histogram {
 public:
  explicit constexpr Histogram(const std::array<double, steps>& bounds) : bounds_(bounds) {}

  void observe(double value) {
    std::size_t at = 0;
    while (at < steps && value > bounds_[at]) ++at;
    counts_[at].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  /// `labels` without braces, may be empty.
  void write(std::string& out, std::string_view name, std::string_view labels) const {
    std::uint64_t sum = 0;
    const std::string_view comma = labels.empty() ? "" : ",";
    for (std::size_t i = 0; i <= steps; ++i) {
      sum += counts_[i].load(std::memory_order_relaxed);
      const std::string bound = i < steps ? fmt::format("{}", bounds_[i]) : "+Inf";
      fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels,
                     comma, bound, sum);
    }
    write_line(out, fmt::format("{}_sum", name), labels, sum_.load(std::memory_order_relaxed));
    write_line(out, fmt::format("{}_count", name), labels, sum);
  }

 private:
  const std::array<double, steps> bounds_;
  std::array<std::atomic<std::uint64_t>, steps + 1> counts_{};
  std::atomic<double> sum_{0};
};

inline constexpr std::array<double, 14> second_bounds{
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 10};

}  // namespace holdfast::http
