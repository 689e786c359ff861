#include "http/commands/waits.hpp"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json_pointer.hpp"
#include "domain/operation.hpp"
#include "modules/commands/command_row.hpp"

namespace holdfast::http {
namespace {

using commands::CommandRow;
using SteadyClock = std::chrono::steady_clock;

/// How often to look when nothing is heard: another node may have settled a command.
constexpr std::chrono::milliseconds look_again{200};
/// Between two looks, however much becomes durable: so long, and so often the time a look takes,
/// since a store may be far away.
constexpr std::chrono::milliseconds breath{2};
constexpr int breaths_per_look = 4;

/// The answer as it would be given now.
Answer told_by(const CommandRow* row, Answer answer) {
  const OperationSpec& spec = spec_of(answer.operation);
  if (row == nullptr || spec.later == nullptr) return answer;
  answer.document.clear();
  answer.status = 0;
  spec.later->tell(row, 0, answer);
  return answer;
}

}  // namespace

CommandWaits::CommandWaits(const Store& store) : store_(store), thread_([this] { run(); }) {}

CommandWaits::~CommandWaits() { stop(); }

void CommandWaits::stop() {
  drain();
  if (thread_.joinable()) thread_.join();
}

void CommandWaits::add(std::string tenant, std::string id, Duration wait, Tell tell) {
  Wait each{std::move(tenant), std::move(id), SteadyClock::now() + wait, std::move(tell)};
  {
    const std::lock_guard lock(mutex_);
    if (!draining_) {
      waits_.push_back(std::move(each));
      anybody_ = true;
      looks_ = true;  // it may have settled meanwhile
      wake_.notify_one();
      return;
    }
  }
  (void)told(each, true);
}

void CommandWaits::add(const Reply& reply, std::string tenant, Answer answer, Duration wait) {
  const auto id = scalar_at(answer.document, "/command_id");
  const auto shared = std::make_shared<const Answer>(std::move(answer));
  add(std::move(tenant), id.value_or(""), wait,
      [reply, shared](const CommandRow* row) { reply.send_from_anywhere(told_by(row, *shared)); });
}

void CommandWaits::look() {
  if (!anybody_) return;
  const std::lock_guard lock(mutex_);
  looks_ = true;
  wake_.notify_one();
}

void CommandWaits::drain() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
  wake_.notify_one();
}

/// Needs mutex_.
SteadyClock::time_point CommandWaits::next_look() const {
  auto next = SteadyClock::now() + look_again;
  for (const Wait& each : waits_) next = std::min(next, each.until);
  return next;
}

void CommandWaits::run() {
  ::pthread_setname_np(::pthread_self(), "hf-waits");
  std::unique_lock lock(mutex_);
  while (!draining_ || !waits_.empty()) {
    const auto called = [this] { return draining_ || looks_; };
    if (waits_.empty()) {
      wake_.wait(lock, called);
    } else {
      wake_.wait_until(lock, next_look(), called);
    }
    std::vector<Wait> looked_after = std::exchange(waits_, {});
    looks_ = false;
    const bool last = draining_;
    lock.unlock();
    const auto begun = SteadyClock::now();
    std::erase_if(looked_after, [&](const Wait& each) { return told(each, last); });
    const auto rest = breath + breaths_per_look * (SteadyClock::now() - begun);
    lock.lock();
    std::move(looked_after.begin(), looked_after.end(), std::back_inserter(waits_));
    anybody_ = !waits_.empty();
    if (anybody_) wake_.wait_for(lock, rest, [this] { return draining_; });
  }
}

/// Whether it waits no longer: then it was told.
bool CommandWaits::told(const Wait& wait, bool last) const {
  const std::string key(commands::row_key_in(wait.id));
  const auto page = store_.rows(wait.tenant, {.space = CommandRow::space, .key = key});
  const bool over = last || SteadyClock::now() >= wait.until;
  const CommandRow* row = nullptr;
  if (page && !page->items.empty()) row = row_of<CommandRow>(&page->items.front().row);
  if (row != nullptr && row->id != wait.id) row = nullptr;
  const bool may_settle = !page || (row != nullptr && row->open());
  if (may_settle && !over) return false;
  wait.tell(row);
  return true;
}

}  // namespace holdfast::http
