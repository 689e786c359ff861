#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/clock.hpp"
#include "settings/settings.hpp"

namespace spdlog {
class logger;
}

namespace holdfast::http {

/// Lines of JSON, one an event, on standard error, written by a thread of its own. Tokens,
/// credentials and bodies are never given to it. All members may be called from any thread.
class Log {
 public:
  using Member = std::pair<std::string_view, std::string>;

  Log(LogLevel level, std::shared_ptr<Clock> clock);
  /// Writes to somewhere else.
  Log(LogLevel level, std::shared_ptr<Clock> clock, std::shared_ptr<spdlog::logger> logger);
  ~Log();

  [[nodiscard]] bool writes(LogLevel level) const { return level <= level_; }
  void write(LogLevel level, std::string_view message, const std::vector<Member>& members = {});
  /// A warning that may be due at every request: the same message is written once a second.
  void warn_seldom(const std::string& message, const std::vector<Member>& members);

 private:
  const LogLevel level_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<spdlog::logger> logger_;
  std::mutex mutex_;
  std::map<std::string, std::chrono::steady_clock::time_point> warned_;  // guarded by mutex_
};

}  // namespace holdfast::http
