#include "inbox/dispatcher.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "effects/asking.hpp"
#include "effects/mailbox.hpp"
#include "holdfast/webhooks.hpp"
#include "inbox/following.hpp"

namespace holdfast::inbox {
namespace {

using effects::Asking;
using effects::Mailbox;
using effects::Time;
using effects::time_now;
using effects::Told;
using webhooks::Follows;
using webhooks::Source;
using Entry = webhooks::LeasedEntry;

/// Sources that are looked at together.
constexpr std::size_t looked_at_once_max = 100;

bool stirs(const BatchReport& batch) {
  if (batch.swept > 0) return true;  // leases that ended
  return std::any_of(batch.work.begin(), batch.work.end(), [](const Work& each) {
    const Command& command = each.request.command();
    if (const auto* const what = command.as<Receiving>())
      return what->declared != nullptr && what->declared->follows != Follows::pull;
    return command.as<InboxRetrying>() != nullptr;
  });
}

}  // namespace

class Dispatcher::Impl {
 public:
  Impl(Service& service, outbound::Client& client, Declared declared, DispatcherOptions options)
      : options_(std::move(options)),
        service_(service),
        client_(client),
        declared_(std::move(declared)),
        asking_(service, mailbox_),
        thread_([this] { run(); }) {}
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void note(const BatchReport& batch) {
    if (!stirs(batch)) return;
    stirred_ = true;
    mailbox_->wake();
  }

  void stop() {
    stopping_ = true;
    mailbox_->wake();
    const std::lock_guard lock(stop_mutex_);
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run();
  void look();
  void lease(std::vector<std::string> names, std::size_t most, Duration length);
  void leased(std::size_t most, const Told& told);
  void follow(const std::shared_ptr<const Source>& source, const Entry& entry, Time ends);
  void submit(const Source& source, const Entry& entry, const std::string& body);
  void forward(const Source& source, const Entry& entry, const webhooks::PayloadRow& payload,
               Time ends);
  void report(const Entry& entry, Ending ending);
  [[nodiscard]] StoreResult<webhooks::PayloadRow> payload_of(const Entry& entry) const;
  [[nodiscard]] std::size_t room(const std::string& source) const {
    const auto found = in_flight_.find(source);
    return options_.at_once_max - (found == in_flight_.end() ? 0 : found->second);
  }
  [[nodiscard]] bool idle() const { return in_flight_.empty() && asking_.under_way() == 0; }
  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  const DispatcherOptions options_;
  Service& service_;
  outbound::Client& client_;
  const Declared declared_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::atomic<bool> stopping_{false};
  std::atomic<bool> stirred_{true};
  std::mutex stop_mutex_;

  // The thread's own.
  Asking asking_;
  std::map<std::string, std::size_t> in_flight_;  ///< entries by source; none of zero
  bool leasing_ = false;
  bool lease_refused_ = false;  ///< and that was logged

  std::thread thread_;
};

void Dispatcher::Impl::run() {
  ::pthread_setname_np(::pthread_self(), "hf-inbox");
  Time look_at{};
  std::optional<Time> stop_at;
  while (true) {
    const Time now = time_now();
    if (stopping_ && !stop_at) stop_at = now + options_.stop_limit;
    if (stop_at && (idle() || now >= *stop_at)) break;
    if (now >= look_at || stirred_) {
      asking_.ask_again(now);
      if (!stop_at) look();
      look_at = now + options_.look_every;
    }
    const Duration patience = std::chrono::duration_cast<Duration>(look_at - time_now());
    for (const Mailbox::Letter& letter : mailbox_->wait(std::max(patience, Duration(1)))) letter();
  }
  mailbox_->close();
}

/// Asks for entries of every source that has room: where there are none, that is one question.
void Dispatcher::Impl::look() {
  if (leasing_) return;  // it looks again when that is answered
  stirred_ = false;
  const auto sources = declared_();
  if (sources == nullptr) return;
  std::vector<std::string> names;
  std::size_t most = options_.at_once_max;
  Duration length{};
  for (const auto& [name, source] : sources->by_name) {
    if (source->follows == Follows::pull || room(name) == 0) continue;
    most = std::min(most, room(name));
    length = std::max(length, source->lease);
    names.push_back(name);
    if (names.size() == looked_at_once_max) {
      lease(std::exchange(names, {}), most, length);
      most = options_.at_once_max;
    }
  }
  if (!names.empty()) lease(std::move(names), most, length);
}

void Dispatcher::Impl::lease(std::vector<std::string> names, std::size_t most, Duration length) {
  leasing_ = true;
  asking_.ask({.command = Command(InboxLeasing{.kinds = std::move(names),
                                               .max = static_cast<std::int64_t>(most),
                                               .lease = length,
                                               .dispatches = true}),
               .token = Token::fresh(*options_.random),
               .caller = {.tenant = std::string(engine_tenant),
                          .principal = std::string(engine_principal)}},
              [this, most](const Told& told) { leased(most, told); });
}

void Dispatcher::Impl::leased(std::size_t most, const Told& told) {
  leasing_ = false;
  if (told.answer.rejection) {
    if (!std::exchange(lease_refused_, true))
      log("webhooks cannot be leased: " + told.answer.text());
    return;
  }
  lease_refused_ = false;
  const auto entries = webhooks::read_entries(told.answer.document);
  if (!entries || told.answer.replayed) return log("the webhooks that were leased cannot be read");
  if (entries->size() == most) stirred_ = true;  // there may be more
  const auto sources = declared_();
  for (const Entry& each : *entries) {
    ++in_flight_[each.source];
    const auto source = sources == nullptr ? nullptr : sources->find(each.source);
    follow(source, each, told.since + (source == nullptr ? Duration{} : source->lease));
  }
}

void Dispatcher::Impl::follow(const std::shared_ptr<const Source>& source, const Entry& entry,
                              Time ends) {
  using What = Ending::What;
  if (source == nullptr || source->follows == Follows::pull)
    return report(entry, {.what = What::retry,
                          .error = "the registry in force declares nothing that follows"});
  if (stopping_) return report(entry, {.what = What::later});
  const auto payload = payload_of(entry);
  if (!payload) return report(entry, {.what = What::retry, .error = payload.error().message});
  if (source->follows == Follows::command) return submit(*source, entry, payload->body);
  forward(*source, entry, *payload, ends);
}

StoreResult<webhooks::PayloadRow> Dispatcher::Impl::payload_of(const Entry& entry) const {
  using webhooks::PayloadRow;
  const auto page = service_.store().rows(
      entry.tenant,
      {.space = PayloadRow::space, .key = std::string(webhooks::row_key_in(entry.id))});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return tl::unexpected(StoreError{.message = "its body is not there"});
  return *row_of<PayloadRow>(&page->items.front().row);
}

void Dispatcher::Impl::submit(const Source& source, const Entry& entry, const std::string& body) {
  auto call = submission_of(source, entry, body);
  if (!call) return report(entry, std::move(call.error()));
  asking_.ask(std::move(*call),
              [this, entry](const Told& told) { report(entry, ending_of(told.answer)); });
}

void Dispatcher::Impl::forward(const Source& source, const Entry& entry,
                               const webhooks::PayloadRow& payload, Time ends) {
  const auto left = std::chrono::duration_cast<Duration>(ends - time_now());
  if (left <= Duration::zero())
    return report(
        entry, {.what = Ending::What::retry, .error = "the lease ended before the call was made"});
  outbound::Call call = forward_of(source, entry, payload);
  call.limits.total = std::min(call.limits.total, left);
  client_.send(std::move(call), [this, mailbox = mailbox_, entry](const outbound::Result& result) {
    mailbox->post([this, entry, ending = ending_of(result)] { report(entry, ending); });
  });
}

void Dispatcher::Impl::report(const Entry& entry, Ending ending) {
  const bool dead = ending.what == Ending::What::dead;
  if (dead) log(fmt::format("webhook {} is dead: {}", entry.id, ending.error));
  asking_.ask({.command = report_of(entry, std::move(ending)),
               .token = Token::fresh(*options_.random),
               .caller = {.tenant = entry.tenant, .principal = std::string(engine_principal)}},
              [this, source = entry.source](const Told&) {
                // Whatever the answer is: if it was refused, the entry is another's by now.
                const auto found = in_flight_.find(source);
                if (--found->second == 0) in_flight_.erase(found);
                stirred_ = true;
              });
}

Dispatcher::Dispatcher(Service& service, outbound::Client& client, Declared declared,
                       DispatcherOptions options)
    : impl_(std::make_unique<Impl>(service, client, std::move(declared), std::move(options))) {}
Dispatcher::~Dispatcher() { stop(); }

void Dispatcher::note(const BatchReport& batch) { impl_->note(batch); }
void Dispatcher::stop() { impl_->stop(); }

}  // namespace holdfast::inbox
