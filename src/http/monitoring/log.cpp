#include "http/monitoring/log.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/json_writer.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "http/monitoring/background_sink.hpp"
#include "wire/body.hpp"

namespace holdfast::http {
namespace {

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warning:
      return "warning";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      return "debug";
    case LogLevel::off:
      break;
  }
  return "off";
}

}  // namespace

Log::Log(LogLevel level, std::shared_ptr<Clock> clock)
    : Log(level, std::move(clock),
          std::make_shared<spdlog::logger>("holdfast",
                                           std::make_shared<BackgroundSink>(STDERR_FILENO))) {}

Log::Log(LogLevel level, std::shared_ptr<Clock> clock, std::shared_ptr<spdlog::logger> logger)
    : level_(level), clock_(std::move(clock)), logger_(std::move(logger)) {
  logger_->set_pattern("%v");
  logger_->set_level(spdlog::level::trace);
  logger_->flush_on(spdlog::level::trace);
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, const std::vector<Member>& members) {
  if (!writes(level) || level == LogLevel::off) return;
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.key("time");
  json.string(to_rfc3339(clock_->now()));
  json.key("level");
  json.string(name(level));
  json.key("message");
  json.string(to_valid_utf8(message));
  for (const auto& [key, value] : members) {
    json.key(key);
    json.string(to_valid_utf8(value));
  }
  json.end_object();
  logger_->log(spdlog::level::info, "{}", line);
}

void Log::warn_seldom(const std::string& message, const std::vector<Member>& members) {
  if (!writes(LogLevel::warning)) return;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    const auto [last, first] = warned_.try_emplace(message, now);
    if (!first && now - last->second < std::chrono::seconds(1)) return;
    last->second = now;
  }
  write(LogLevel::warning, message, members);
}

}  // namespace holdfast::http
