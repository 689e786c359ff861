#include "http/webhooks/intake.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "effects/secrets_file.hpp"
#include "http/outbound_options.hpp"
#include "inbox/dispatcher.hpp"
#include "modules/commands/declaration.hpp"

namespace holdfast::http {
namespace {

constexpr Duration stop_limit_max = std::chrono::seconds(10);

}  // namespace

struct WebhookIntake::Impl {
  Service& service;
  const Settings& settings;
  const RegistryKeeper& registry;
  Log& log;
  effects::SecretsFile secrets;
  std::unique_ptr<outbound::Client> client{};
  std::unique_ptr<inbox::Dispatcher> dispatcher{};

  [[nodiscard]] std::shared_ptr<const webhooks::Sources> sources() const {
    const auto declared = registry.registry();
    return declared == nullptr ? nullptr : declared->webhooks;
  }
};

WebhookIntake::WebhookIntake(Service& service, const Settings& settings,
                             const RegistryKeeper& registry, Log& log)
    : impl_(new Impl{.service = service,
                     .settings = settings,
                     .registry = registry,
                     .log = log,
                     .secrets = effects::SecretsFile(settings.secrets)}) {}

WebhookIntake::~WebhookIntake() { stop(); }

tl::expected<void, std::string> WebhookIntake::start() {
  const Settings& settings = impl_->settings;
  if (settings.registry.empty()) return {};
  if (auto read = impl_->secrets.read(); !read) return tl::unexpected(std::move(read.error()));
  if (!settings.dispatch) return {};
  auto client = outbound::Client::make(outbound_options(settings));
  if (!client) return tl::unexpected("webhooks that are sent on: " + client.error());
  impl_->client = std::move(*client);
  inbox::DispatcherOptions options;
  options.stop_limit = std::min(settings.limits.stop_deadline, stop_limit_max);
  options.log = [&log = impl_->log](const std::string& line) {
    log.write(LogLevel::warning, line);
  };
  impl_->dispatcher = std::make_unique<inbox::Dispatcher>(
      impl_->service, *impl_->client, [impl = impl_.get()] { return impl->sources(); },
      std::move(options));
  return {};
}

void WebhookIntake::read_again() {
  if (const auto read = impl_->secrets.read(); !read)
    impl_->log.write(LogLevel::error, "the secrets cannot be read; those from before stay",
                     {{"error", read.error()}});
}

void WebhookIntake::note(const BatchReport& batch) {
  if (impl_->dispatcher) impl_->dispatcher->note(batch);
}

void WebhookIntake::stop() {
  if (impl_->dispatcher) impl_->dispatcher->stop();
  if (impl_->client) impl_->client->stop();
}

std::shared_ptr<const webhooks::Source> WebhookIntake::source(std::string_view name) const {
  const auto sources = impl_->sources();
  return sources == nullptr ? nullptr : sources->find(name);
}

std::vector<signatures::Secret> WebhookIntake::secrets_of(const webhooks::Source& source) const {
  std::vector<signatures::Secret> secrets;
  for (const std::string& name : source.secrets) {
    const auto text = impl_->secrets.find(name);
    auto secret = text ? signatures::secret_for(source.scheme, *text)
                       : tl::expected<signatures::Secret, std::string>(
                             tl::unexpect, "it is not in the file of secrets");
    if (secret) {
      secrets.push_back(std::move(*secret));
    } else {
      impl_->log.warn_seldom(
          "a secret of webhooks cannot be used",
          {{"source", source.name}, {"secret", name}, {"error", secret.error()}});
    }
  }
  return secrets;
}

}  // namespace holdfast::http
