#include "http/commands/dispatching.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "effects/dispatcher.hpp"
#include "effects/push.hpp"
#include "effects/secrets_file.hpp"
#include "http/outbound_options.hpp"
#include "modules/commands/prepare.hpp"

namespace holdfast::http {
namespace {

constexpr Duration stop_limit_max = std::chrono::seconds(10);

/// The line of an attempt, as requests have one.
void log_attempt(Log& log, const effects::Attempt& attempt) {
  const auto took = std::chrono::duration<double, std::milli>(attempt.took);
  std::vector<Log::Member> members{{"command_id", attempt.id},
                                   {"command", attempt.command},
                                   {"provider", attempt.provider},
                                   {"stage", std::string(name(attempt.stage))},
                                   {"outcome", std::string(name(attempt.verdict))},
                                   {"ms", fmt::format("{:.3f}", took.count())}};
  if (!attempt.traceparent.empty()) members.emplace_back("traceparent", attempt.traceparent);
  log.write(LogLevel::info, "attempt", members);
}

effects::Watchers watchers_of(const Settings& settings, Log& log, EffectMetrics& metrics) {
  const bool logs = settings.log_requests && log.writes(LogLevel::info);
  return {
      .ended =
          [logs, &log, &metrics](const effects::Attempt& attempt) {
            metrics.count(attempt);
            if (logs) log_attempt(log, attempt);
          },
      .died = [&metrics](const std::string& command,
                         const std::string& provider) { metrics.count_dead(command, provider); }};
}

}  // namespace

struct Dispatching::Impl {
  Impl(const Settings& settings, Log& told) : log(told), secrets(settings.secrets) {}

  Log& log;
  effects::SecretsFile secrets;
  std::unique_ptr<outbound::Client> client;
  std::unique_ptr<effects::Dispatcher> dispatcher;
};

tl::expected<std::unique_ptr<Dispatching>, std::string> Dispatching::start(
    const Settings& settings, Service& service, const commands::Preparer& preparer, Log& log,
    EffectMetrics& metrics) {
  auto impl = std::make_unique<Impl>(settings, log);
  if (auto read = impl->secrets.read(); !read) return tl::unexpected(std::move(read.error()));
  if (const std::string warning = impl->secrets.warning(); !warning.empty())
    log.write(LogLevel::warning, warning);
  auto client = outbound::Client::make(outbound_options(settings));
  if (!client) return tl::unexpected("calls to providers: " + client.error());
  impl->client = std::move(*client);
  effects::DispatcherOptions options;
  options.performers.push = std::make_shared<effects::PushPerformer>(*impl->client, impl->secrets);
  options.stop_limit = std::min(settings.limits.stop_deadline, stop_limit_max);
  options.log = [&log](const std::string& line) { log.write(LogLevel::warning, line); };
  options.watchers = watchers_of(settings, log, metrics);
  // The preparer is not its own.
  const std::shared_ptr<const commands::Preparer> shared(std::shared_ptr<void>(), &preparer);
  impl->dispatcher = std::make_unique<effects::Dispatcher>(service, shared, std::move(options));
  metrics.ask_for_providers(
      [dispatcher = impl->dispatcher.get()] { return dispatcher->figures(); });
  return std::unique_ptr<Dispatching>(new Dispatching(std::move(impl)));
}

Dispatching::Dispatching(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dispatching::~Dispatching() { stop(); }

void Dispatching::note(const BatchReport& batch) { impl_->dispatcher->note(batch); }

void Dispatching::read_again() {
  if (const auto read = impl_->secrets.read(); !read)
    impl_->log.write(LogLevel::error, "the secrets cannot be read; those from before stay",
                     {{"error", read.error()}});
}

void Dispatching::stop() {
  impl_->dispatcher->stop();
  impl_->client->stop();
}

}  // namespace holdfast::http
