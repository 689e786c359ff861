#include "deliveries/deliverer.hpp"

#include <pthread.h>

#include <atomic>

#include "deliveries/round.hpp"
#include "holdfast/subscriptions.hpp"
#include "wire/event.hpp"

namespace holdfast::deliveries {
namespace {

using subscriptions::SubscriptionRow;

constexpr std::size_t records_per_step = 1'000;
/// Between two looks: many batches may become durable meanwhile.
constexpr auto pause = std::chrono::milliseconds(10);
/// A cursor that is so far behind without any event to send is moved all the same, or the next
/// process would read all that again.
constexpr std::uint64_t behind_max = 100'000;

}  // namespace

std::string_view name(Ending ending) {
  constexpr std::string_view names[] = {"taken", "failed", "gone"};
  return names[static_cast<std::size_t>(ending)];
}

tl::expected<std::unique_ptr<Deliverer>, std::string> Deliverer::start(Service& service,
                                                                       Options options) {
  auto client = outbound::Client::make(options.outbound);
  if (!client) return tl::unexpected(client.error());
  return std::unique_ptr<Deliverer>(new Deliverer(service, std::move(options), std::move(*client)));
}

Deliverer::Deliverer(Service& service, Options options, std::unique_ptr<outbound::Client> client)
    : service_(service), options_(std::move(options)), client_(std::move(client)) {
  threads_.emplace_back([this] { look_loop(); });
  for (std::size_t i = 0; i < options_.threads; ++i)
    threads_.emplace_back([this] { serve_loop(); });
}

Deliverer::~Deliverer() { stop(); }

void Deliverer::wake() {
  if (!any_) return;
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_looker_.notify_one();
}

void Deliverer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = stopped_ = true;
  }
  client_->stop();
  wake_looker_.notify_all();
  wake_servers_.notify_all();
  for (std::thread& each : threads_) {
    if (each.joinable()) each.join();
  }
}

void Deliverer::look_loop() {
  ::pthread_setname_np(::pthread_self(), "hf-deliveries");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_looker_.wait_for(lock, options_.look_every, [&] { return stopping_ || woken_; });
    if (stopping_) return;
    woken_ = false;
    lock.unlock();
    look();
    lock.lock();
    wake_looker_.wait_for(lock, pause, [&] { return stopping_; });
  }
}

/// Finds subscriptions with something to send that nobody serves.
void Deliverer::look() {
  RowQuery query{.space = SubscriptionRow::space,
                 .parent = std::string(SubscriptionRow::list),
                 .limit = page_items_max};
  do {
    const auto page = service_.store().rows(SubscriptionRow::tenant_of_list, query);
    if (!page) return;  // it looks again soon
    if (query.cursor.empty()) any_ = !page->items.empty();
    const Instant now = service_.store().now();
    for (const RowFound& each : page->items) {
      const auto* const row = row_of<SubscriptionRow>(&each.row);
      if (row == nullptr || row->disabled || row->leased(now) || row->next_at > now) continue;
      {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
        if (at_work_.contains(row->id)) continue;
      }
      if (!has_news(*row)) continue;
      const std::lock_guard lock(mutex_);
      at_work_.insert(row->id);
      to_serve_.push_back(*row);
      wake_servers_.notify_one();
    }
    query.cursor = page->next;
  } while (!query.cursor.empty());
}

/// Whether there is an event to send after the cursor. What was looked at without finding one is
/// not looked at again.
bool Deliverer::has_news(const SubscriptionRow& row) {
  Looked& looked = looked_[row.id];
  if (looked.fence != row.fence || looked.to < row.cursor) looked = {row.fence, row.cursor};
  std::uint64_t& looked_to = looked.to;
  while (true) {
    const auto records = service_.store().records(looked_to, records_per_step);
    if (!records || records->empty()) return false;
    for (const Record& each : *records) {
      const std::string_view event = event_name(each.kind);
      if (each.tenant == row.tenant && !event.empty() && row.wants(event)) return true;
      looked_to = each.seq;
    }
    if (looked_to - row.cursor >= behind_max) return true;
    if (records->size() < records_per_step) return false;
  }
}

void Deliverer::serve_loop() {
  ::pthread_setname_np(::pthread_self(), "hf-delivery");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_servers_.wait(lock, [&] { return stopping_ || !to_serve_.empty(); });
    if (stopping_) return;
    const SubscriptionRow row = std::move(to_serve_.back());
    to_serve_.pop_back();
    lock.unlock();
    serve(row);
    lock.lock();
    at_work_.erase(row.id);
    woken_ = true;  // there may be more
    wake_looker_.notify_one();
  }
}

void Deliverer::serve(const SubscriptionRow& row) {
  Round(service_, *client_, options_, stopped_).run(row);
}

}  // namespace holdfast::deliveries
