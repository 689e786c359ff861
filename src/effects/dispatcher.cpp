#include "effects/dispatcher.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "effects/leases.hpp"
#include "effects/reports.hpp"
#include "effects/stir.hpp"

namespace holdfast::effects {
namespace {

/// In one lease: its record has them all.
constexpr std::size_t leased_at_once_max = 128;
/// Providers that are looked at together.
constexpr std::size_t looked_at_once_max = 100;

}  // namespace

class Dispatcher::Impl {
 public:
  Impl(Service& service, std::shared_ptr<const commands::Preparer> preparer,
       DispatcherOptions options)
      : options_(std::move(options)),
        preparer_(std::move(preparer)),
        asking_(service, mailbox_),
        providers_(options_.performers),
        runner_(
            asking_, mailbox_, *preparer_, options_.performers, *options_.random,
            [this](const std::string& line) { log(line); }, options_.watchers),
        thread_([this] { run(); }) {}
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void note(const BatchReport& batch) {
    Stir stir = stir_of(batch);
    if (stir.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      stir_.add(std::move(stir));
    }
    mailbox_->wake();
  }

  void stop() {
    stopping_ = true;
    mailbox_->wake();
    const std::lock_guard lock(stop_mutex_);
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] FiguresByProvider figures() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  using Asked = std::vector<ProviderState*>;

  void run();
  void look(Time now);
  void lease_woken(Time now);
  void lease(const Asked& providers, Time now);
  void leased(const Asked& providers, std::size_t most, const Told& told);
  void take_stir();
  void show();
  [[nodiscard]] bool idle() const { return runner_.jobs() == 0 && asking_.under_way() == 0; }
  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  const DispatcherOptions options_;
  const std::shared_ptr<const commands::Preparer> preparer_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::atomic<bool> stopping_{false};
  std::mutex stop_mutex_;

  mutable std::mutex mutex_;
  Stir stir_;                // guarded by mutex_
  FiguresByProvider shown_;  // guarded by mutex_

  // The thread's own.
  Asking asking_;
  Providers providers_;
  Runner runner_;
  bool lease_refused_ = false;  ///< and that was logged

  std::thread thread_;
};

void Dispatcher::Impl::run() {
  ::pthread_setname_np(::pthread_self(), "hf-dispatcher");
  Time look_at{};
  std::optional<Time> stop_at;
  while (true) {
    const Time now = time_now();
    if (stopping_ && !stop_at) stop_at = now + options_.stop_limit;
    if (stop_at && (idle() || now >= *stop_at)) break;
    take_stir();
    if (now >= look_at) {
      look(now);
      look_at = now + options_.look_every;
    }
    if (!stop_at) lease_woken(now);
    const Duration patience = std::chrono::duration_cast<Duration>(look_at - time_now());
    for (const Mailbox::Letter& letter : mailbox_->wait(std::max(patience, Duration(1)))) letter();
    show();
  }
  mailbox_->close();
}

/// What time alone may have brought. Every provider with room is asked about, those with leases of
/// one length together: where there is nothing, that is one question. Of what it finds there may be
/// more.
void Dispatcher::Impl::look(Time now) {
  providers_.follow(preparer_->registry());
  asking_.ask_again(now);
  runner_.renew(now);
  if (stopping_) return;
  std::map<Duration, Asked> by_lease;
  for (ProviderState* const each : providers_.with_room(now)) {
    if (!each->woken) by_lease[each->lease].push_back(each);
  }
  for (const auto& [length, all] : by_lease) {
    for (std::size_t at = 0; at < all.size(); at += looked_at_once_max) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
      const std::size_t count = std::min(looked_at_once_max, all.size() - at);
      lease(Asked(first, first + static_cast<std::ptrdiff_t>(count)), now);
    }
  }
}

void Dispatcher::Impl::lease_woken(Time now) {
  for (ProviderState* const each : providers_.with_room(now)) {
    if (!each->woken) continue;
    each->woken = false;
    lease({each}, now);
  }
}

void Dispatcher::Impl::lease(const Asked& providers, Time now) {
  std::size_t most = leased_at_once_max;
  Leasing what{.kinds = {}, .lease = providers.front()->lease, .dispatches = true};
  for (ProviderState* const each : providers) {
    most = std::min(most, each->room(now));
    what.kinds.push_back(each->name);
  }
  for (ProviderState* const each : providers) each->leasing = true;
  what.max = static_cast<std::int64_t>(most);
  asking_.ask({.command = Command(std::move(what)),
               .token = Token::fresh(*options_.random),
               .caller = {.tenant = std::string(engine_tenant),
                          .principal = std::string(engine_principal)}},
              [this, providers, most](const Told& told) { leased(providers, most, told); });
}

void Dispatcher::Impl::leased(const Asked& providers, std::size_t most, const Told& told) {
  for (ProviderState* const each : providers) each->leasing = false;
  if (told.answer.rejection) {
    if (!std::exchange(lease_refused_, true))
      log("effects cannot be leased: " + told.answer.text());
    return;
  }
  lease_refused_ = false;
  auto jobs = read_leases(told.answer.document);
  if (!jobs || told.answer.replayed) return log("what was leased cannot be read");
  for (Job& job : *jobs) {
    ProviderState* const provider = providers_.find(job.provider);
    if (provider == nullptr) continue;  // nobody asked for that
    if (jobs->size() == most) provider->woken = true;
    if (stopping_) {
      runner_.hand_back(std::move(job), *provider, "the dispatcher is being stopped");
    } else {
      runner_.begin(std::move(job), told.since, *provider);
    }
  }
}

void Dispatcher::Impl::take_stir() {
  Stir stir;
  {
    const std::lock_guard lock(mutex_);
    stir = std::exchange(stir_, {});
  }
  if (stir.empty()) return;
  providers_.follow(preparer_->registry());
  if (stir.any) providers_.wake_all();
  for (const std::string& each : stir.providers) {
    if (ProviderState* const provider = providers_.find(each)) provider->woken = true;
  }
}

void Dispatcher::Impl::show() {
  FiguresByProvider figures = runner_.figures();
  for (const auto& [name, provider] : providers_.all()) {
    Figures& each = figures[name];
    each.in_flight = provider.in_flight;
    each.circuit = provider.circuit.state();
  }
  const std::lock_guard lock(mutex_);
  shown_.swap(figures);
}

Dispatcher::Dispatcher(Service& service, std::shared_ptr<const commands::Preparer> preparer,
                       DispatcherOptions options)
    : impl_(std::make_unique<Impl>(service, std::move(preparer), std::move(options))) {}
Dispatcher::~Dispatcher() { stop(); }

void Dispatcher::note(const BatchReport& batch) { impl_->note(batch); }
void Dispatcher::stop() { impl_->stop(); }
FiguresByProvider Dispatcher::figures() const { return impl_->figures(); }

}  // namespace holdfast::effects
