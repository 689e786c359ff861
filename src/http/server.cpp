#include "http/server.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "deliveries/deliverer.hpp"
#include "domain/confirmation.hpp"
#include "http/application.hpp"
#include "http/commands/dead_effects.hpp"
#include "http/commands/dispatching.hpp"
#include "http/commands/registry_keeper.hpp"
#include "http/commands/waits.hpp"
#include "http/delivery_metrics.hpp"
#include "http/outbound_options.hpp"
#include "http/transport/listener.hpp"
#include "http/transport/worker.hpp"
#include "http/webhooks/intake.hpp"
#include "store/open.hpp"

namespace holdfast::http {
namespace {

Rules rules_of(const Settings& settings, Random& random) {
  return {.policies = settings.policies,
          .token_bytes_max = settings.token_bytes_max,
          .duration_min = settings.duration_min,
          .duration_max = settings.duration_max,
          .lifetime_max = std::max(settings.lifetime_max, settings.duration_max),
          .confirmation_lifetime = settings.confirmation_lifetime,
          .confirmation_secret = fresh_secret(random)};
}

/// Whoever names a file of keys does not mean to let everybody in.
std::string no_such_keys(const std::string& path) {
  return fmt::format(
      "the file of keys, {}, does not exist. Make its first key with: holdfast keys create "
      "--principal NAME --keys {}; or name no file to serve this machine only",
      path, path);
}

}  // namespace

struct Server::Impl {
  Settings settings;
  std::shared_ptr<Log> log;
  Metrics metrics;
  DeliveryMetrics deliveries_seen;
  RegistryKeeper::Read declared;  ///< as it was read at the start
  std::unique_ptr<RegistryKeeper> registry;
  std::unique_ptr<Service> service;
  std::unique_ptr<Dispatching> dispatching;          ///< null: this node only serves
  std::unique_ptr<deliveries::Deliverer> deliverer;  ///< likewise
  std::unique_ptr<Application> application;
  std::vector<std::unique_ptr<Worker>> workers;
  std::unique_ptr<Listener> listener;
  std::vector<std::thread> threads;
  std::string address;
  bool needs_keys = false;
  bool stopped = false;
  std::atomic<bool> complete{false};  ///< what is above may be used by the engine's threads

  Impl() = default;
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  tl::expected<void, std::string> open_store(const Surroundings& surroundings);
  tl::expected<void, std::string> dispatch();
  void serve();
  void stop();
};

tl::expected<void, std::string> Server::Impl::open_store(const Surroundings& surroundings) {
  StoreOptions wanted{.store = settings.store,
                      .rules = rules_of(settings, *surroundings.random),
                      .window = settings.window,
                      .clock = surroundings.clock,
                      .progress = surroundings.opening,
                      .observer = surroundings.observer};
  auto store = holdfast::open_store(std::move(wanted));
  if (!store) return tl::unexpected(store.error().message);
  registry = std::make_unique<RegistryKeeper>(settings.registry, std::move(declared),
                                              (*store)->rules().confirmation_secret);
  ServiceOptions options{.queue_max = settings.queue_max,
                         .batch_max = settings.batch_max,
                         .sweep_every = settings.sweep_every,
                         .observer = surroundings.observer};
  options.prepare = [this](Call& call) { registry->prepare(call); };
  options.on_batch = [this](const BatchReport& batch) {
    metrics.count(batch);
    if (!complete) return;
    if (dispatching) dispatching->note(batch);
    if (deliverer) deliverer->wake();
    application->waits().look();
    application->webhooks().note(batch);
    count_dead_effects(*application, batch.swept_rows);
    if (application->streams() == 0) return;
    for (const auto& worker : workers) worker->wake_streams();
  };
  options.on_history_lost = [this] {
    metrics.count_history_lost();
    log->write(LogLevel::error,
               "the store was set back: records that were in it are gone, and the tokens of what "
               "was answered since then are unused again");
  };
  options.on_answered = [this] {
    if (!complete) return;  // the sweeper is at work already; nobody has called yet
    for (const auto& worker : workers) worker->mailbox().wake();
  };
  service = std::make_unique<Service>(std::move(*store), surroundings.random, std::move(options));
  return {};
}

/// Sends events to subscribers, and sees to effects if commands are declared; unless this node is
/// only to serve.
tl::expected<void, std::string> Server::Impl::dispatch() {
  if (!settings.dispatch) return {};
  auto delivering = deliveries::Deliverer::start(
      *service,
      {.outbound = outbound_options(settings),
       .sent = [this](const deliveries::Delivery& delivery) { deliveries_seen.count(delivery); }});
  if (!delivering) return tl::unexpected("calls to subscribers: " + delivering.error());
  deliverer = std::move(*delivering);
  metrics.add([this](std::string& out, const Store&) { deliveries_seen.write(out); });
  if (settings.registry.empty()) return {};
  auto started = Dispatching::start(settings, *service, registry->preparer(), *log,
                                    application->effect_metrics());
  if (!started) return tl::unexpected(std::move(started.error()));
  dispatching = std::move(*started);
  return {};
}

void Server::Impl::serve() {
  for (const auto& worker : workers) {
    threads.emplace_back([&worker = *worker] { worker.run(); });
  }
  listener->start();
}

void Server::Impl::stop() {
  if (std::exchange(stopped, true)) return;
  if (application) application->drain();
  if (listener) listener->stop();
  for (const auto& worker : workers) worker->stop();
  if (dispatching) dispatching->stop();
  if (deliverer) deliverer->stop();
  // Whoever does not read its answers is not waited for longer than this.
  std::atomic<bool> finished{false};
  std::mutex mutex;
  std::condition_variable wake;
  std::thread impatience([&] {
    std::unique_lock lock(mutex);
    if (wake.wait_for(lock, settings.limits.stop_deadline, [&] { return finished.load(); })) return;
    for (const auto& worker : workers) worker->abort();
  });
  for (std::thread& thread : threads) thread.join();
  {
    const std::lock_guard lock(mutex);
    finished = true;
  }
  wake.notify_all();
  impatience.join();
  if (application) application->stop();
  if (service) service->stop();
  for (const auto& worker : workers) worker->clear();
}

tl::expected<std::unique_ptr<Server>, std::string> Server::start(Settings settings,
                                                                 const Surroundings& surroundings) {
  auto impl = std::make_unique<Impl>();
  const bool keys_named = !settings.keys.empty();
  if (!keys_named) settings.keys = KeyFile::beside(settings.store);
  if (settings.evidence_key.empty())
    settings.evidence_key = evidence::SigningKeyFile::beside(settings.store);
  impl->settings = std::move(settings);
  impl->log = surroundings.log
                  ? surroundings.log
                  : std::make_shared<Log>(impl->settings.log_level, surroundings.clock);
  const KeyFile keys(impl->settings.keys);
  if (const auto read = keys.read(); !read) return tl::unexpected(read.error());
  std::error_code ignored;
  impl->needs_keys = std::filesystem::exists(keys.path(), ignored);
  if (keys_named && !impl->needs_keys) return tl::unexpected(no_such_keys(keys.path()));

  // Made when it is first needed; but what is there must be a key.
  const evidence::SigningKeyFile evidence_key(impl->settings.evidence_key);
  if (const auto read = evidence_key.read(); !read) return tl::unexpected(read.error());
  if (const std::string warning = evidence_key.warning(); !warning.empty())
    impl->log->write(LogLevel::warning, warning);

  auto registry = RegistryKeeper::read(impl->settings.registry);
  if (!registry) return tl::unexpected(registry.error());
  impl->declared = std::move(*registry);

  // The address first: it is free, or nothing is opened.
  auto listener = Listener::open(impl->settings, impl->needs_keys);
  if (!listener) return tl::unexpected(listener.error());
  impl->listener = std::move(*listener);
  impl->address = impl->listener->address();
  if (auto opened = impl->open_store(surroundings); !opened) {
    return tl::unexpected(opened.error());
  }
  impl->application = std::make_unique<Application>(*impl->service, impl->settings, *impl->log,
                                                    impl->metrics, *impl->registry);
  for (std::size_t i = 0; i < std::max<std::size_t>(1, impl->settings.threads); ++i) {
    impl->workers.push_back(std::make_unique<Worker>(*impl->application));
  }
  impl->registry->adopt(*impl->service, *impl->log);
  if (auto begun = impl->dispatch(); !begun) return tl::unexpected(std::move(begun.error()));
  if (auto started = impl->application->webhooks().start(); !started)
    return tl::unexpected(std::move(started.error()));
  impl->complete = true;
  impl->listener->serve_with(impl->workers, *impl->application);
  impl->serve();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { stop(); }

const std::string& Server::address() const { return impl_->address; }
std::uint16_t Server::port() const { return impl_->listener->port(); }
bool Server::needs_keys() const { return impl_->needs_keys; }
std::string Server::caution() const { return impl_->service->store().caution(); }
Duration Server::window() const { return impl_->service->store().rules().window; }
Service& Server::service() { return *impl_->service; }
void Server::reload() {
  if (impl_->dispatching) impl_->dispatching->read_again();
  impl_->application->webhooks().read_again();
  impl_->registry->read_again(*impl_->service, *impl_->log);
}
void Server::stop() { impl_->stop(); }

}  // namespace holdfast::http
