// Effects beside a store that a program has open itself.

#include "engine/companion.hpp"

#include <fmt/format.h>

#include "effects/dispatcher.hpp"
#include "effects/handlers.hpp"
#include "effects/push.hpp"
#include "effects/secrets_file.hpp"
#include "registry/registry.hpp"

namespace holdfast {
namespace effects {
namespace {

class EffectsCompanion final : public Companion {
 public:
  EffectsCompanion(EffectOptions options, std::shared_ptr<const commands::Registry> registry)
      : options_(std::move(options)), registry_(std::move(registry)), secrets_(options_.secrets) {}
  ~EffectsCompanion() override { end(); }
  EffectsCompanion(const EffectsCompanion&) = delete;
  EffectsCompanion& operator=(const EffectsCompanion&) = delete;

  [[nodiscard]] tl::expected<void, std::string> make_ready();
  void prepare(Call& call) override { (*preparer_)(call); }
  void note(const BatchReport& batch) override {
    if (Dispatcher* const dispatcher = told_) dispatcher->note(batch);
  }
  [[nodiscard]] tl::expected<void, std::string> begin(Service& service) override;
  void end() override;

 private:
  const EffectOptions options_;
  const std::shared_ptr<const commands::Registry> registry_;
  SecretsFile secrets_;
  std::unique_ptr<outbound::Client> client_;
  std::shared_ptr<HandlerPerformer> handlers_;
  std::shared_ptr<commands::Preparer> preparer_;
  std::atomic<Dispatcher*> told_{nullptr};
  std::unique_ptr<Dispatcher> dispatcher_;
};

tl::expected<void, std::string> EffectsCompanion::make_ready() {
  for (const auto& [provider, handler] : options_.handlers) {
    if (!handler) return tl::unexpected(fmt::format("the handler of {} is empty", provider));
  }
  if (auto read = secrets_.read(); !read) return read;
  outbound::Options calling;
  calling.allowed = options_.allowed_peers;
  calling.ca_file = options_.ca_file;
  auto client = outbound::Client::make(std::move(calling));
  if (!client) return tl::unexpected(std::move(client.error()));
  client_ = std::move(*client);
  return {};
}

/// Probes of handlers are HTTP calls, so what makes them is always there.
class AskingPerformer final : public Performer {
 public:
  AskingPerformer(outbound::Client& client, const SecretsFile& secrets, bool pushes)
      : push_(client, secrets), pushes_(pushes) {}
  void perform(const std::shared_ptr<const Job>& job, Done done) override {
    push_.perform(job, std::move(done));
  }
  [[nodiscard]] bool does(const commands::Effect&) const override { return pushes_; }

 private:
  PushPerformer push_;
  const bool pushes_;
};

tl::expected<void, std::string> EffectsCompanion::begin(Service& service) {
  if (preparer_ != nullptr)
    return tl::unexpected(std::string("its companion has another store already"));
  preparer_ = std::make_shared<commands::Preparer>(service.store().rules().confirmation_secret);
  preparer_->put_in_force(registry_);
  handlers_ = std::make_shared<HandlerPerformer>(options_.handlers, options_.threads);
  DispatcherOptions options;
  options.performers.push = std::make_shared<AskingPerformer>(*client_, secrets_, options_.pushes);
  options.performers.handler = handlers_;
  options.log = options_.log;
  dispatcher_ = std::make_unique<Dispatcher>(service, preparer_, std::move(options));
  told_ = dispatcher_.get();
  return {};
}

void EffectsCompanion::end() {
  told_ = nullptr;
  if (dispatcher_) dispatcher_->stop();
  if (handlers_) handlers_->stop();
  if (client_) client_->stop();
}

}  // namespace
}  // namespace effects

Result<std::shared_ptr<Companion>> make_effects(EffectOptions options) {
  auto registry = registry::read_registry(options.registry);
  if (!registry) return tl::unexpected(Error{registry.error().message()});
  auto made = std::make_shared<effects::EffectsCompanion>(std::move(options), std::move(*registry));
  if (auto ready = made->make_ready(); !ready) return tl::unexpected(Error{ready.error()});
  return made;
}

}  // namespace holdfast
