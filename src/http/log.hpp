#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/clock.hpp"
#include "http/settings.hpp"

namespace spdlog {
class logger;
}

namespace holdfast::http {

/// Lines of JSON, one an event, on standard error. Tokens, credentials and bodies are never given
/// to it. All members may be called from any thread.
class Log {
 public:
  using Member = std::pair<std::string_view, std::string>;

  Log(LogLevel level, std::shared_ptr<Clock> clock);
  /// Writes to somewhere else.
  Log(LogLevel level, std::shared_ptr<Clock> clock, std::shared_ptr<spdlog::logger> logger);
  ~Log();

  [[nodiscard]] bool writes(LogLevel level) const { return level <= level_; }
  void write(LogLevel level, std::string_view message, std::initializer_list<Member> members = {});

 private:
  const LogLevel level_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace holdfast::http
