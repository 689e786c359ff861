#pragma once

#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <mutex>
#include <thread>

namespace holdfast::http {

/// Writes a log from a thread of its own: whoever reads it may stop reading, and nobody who has
/// something to log waits for that. Lines beyond what is kept for it are dropped, and counted in a
/// line of their own as soon as there is somebody to tell.
class BackgroundSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// To that descriptor, which stays open.
  explicit BackgroundSink(int descriptor);
  /// What is still to be written is waited for, but not for long.
  ~BackgroundSink() override;
  BackgroundSink(const BackgroundSink&) = delete;
  BackgroundSink& operator=(const BackgroundSink&) = delete;

 private:
  struct Lines;

  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

  const std::shared_ptr<Lines> lines_;  ///< outlives this if its thread cannot end
  std::thread writer_;
};

}  // namespace holdfast::http
