#include "engine/service.hpp"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.hpp"
#include "domain/answer.hpp"
#include "engine/admit.hpp"
#include "engine/overdue.hpp"

namespace holdfast {
namespace {

/// How many lapsed holds one batch expires besides its calls, and how many rows that are due it
/// sees to; more wait for the next.
constexpr std::size_t sweep_step_max = 1024;
constexpr std::size_t forget_step = 16384;
/// How many executed batches may wait for the disk before the writer waits too.
constexpr std::size_t batches_on_their_way = 4;
/// A thread with nothing to do stays awake for this long: under load the next call comes sooner
/// than it could fall asleep and be woken.
constexpr auto awake_for = std::chrono::microseconds(50);
/// How often the ticker looks for calls that have waited too long behind their own token.
constexpr Duration overlap_check = std::chrono::milliseconds(100);

ServiceOptions within(ServiceOptions options, const Store& store) {
  options.batch_max = std::min(options.batch_max, store.batch_max());
  return options;
}

/// Waits for a call without the lock, and gives way to whoever wants to run.
void watch_for(std::atomic<bool>& call, std::unique_lock<std::mutex>& lock) {
  call = false;
  lock.unlock();
  const auto until = std::chrono::steady_clock::now() + awake_for;
  while (!call && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  lock.lock();
}

void name_thread(const char* name) { ::pthread_setname_np(::pthread_self(), name); }

}  // namespace

Service::Service(std::unique_ptr<Store> store, std::shared_ptr<Random> random,
                 ServiceOptions options)
    : store_(std::move(store)),
      random_(std::move(random)),
      options_(within(std::move(options), *store_)),
      batch_wanted_(std::min(store_->batch_wanted(), options_.batch_max)),
      engine_(*store_, *random_, options_.observer) {
  try {
    writer_ = std::thread([this] { write_loop(); });
    announcer_ = std::thread([this] { announce_loop(); });
    ticker_ = std::thread([this] { tick_loop(); });
  } catch (...) {  // no more threads may be had; those that run must not be left behind
    stop();
    throw;
  }
}

Service::~Service() { stop(); }

void Service::submit(Call call, Done done) {
  if (options_.prepare) options_.prepare(call);
  Work work{.request = {.call = std::move(call)}, .done = std::move(done)};
  if (auto refused = admit(work.request, store_->rules())) return work.done(std::move(*refused));

  std::uint64_t seq = 0;
  const Instant now = store_->now();
  const std::uint64_t history = replays_.history();
  if (auto known = store_->replay(work.request, &seq)) {
    replays_.note(work.request, seq, now, history);
    return work.done(std::move(*known));
  }

  work.accepted_at = now;
  under_way_.enter(work.request.key);  // before another thread can be done with it
  std::unique_lock lock(mutex_);
  if (!stopping_ && queued_ < options_.queue_max) {
    if (queue_.empty() || queue_.back().size() >= batch_wanted_) {
      queue_.emplace_back();
      if (!spare_.empty()) {
        queue_.back().swap(spare_.back());
        spare_.pop_back();
      }
    }
    queue_.back().push_back(std::move(work));
    ++queued_;
    const bool wake = next_is_due() && call_writer();
    lock.unlock();
    if (wake) wake_writer_.notify_one();
    return;
  }
  const bool closing = stopping_;
  lock.unlock();
  under_way_.leave(work.request.key);
  Answer refused =
      refuse(work.request.call, closing ? Rejection::store_unavailable : Rejection::overloaded);
  if (closing) refused.note = "the store is being closed";
  work.done(std::move(refused));
}

void Service::write_loop() {
  name_thread("hf-writer");
  while (std::unique_ptr<Batch> batch = next_batch()) {
    StoreResult<void> result = engine_.execute(*batch);
    keep_notes(*batch, result);
    const bool swept_all = batch->sweep_max > 0 && forget_tokens(*batch, result);
    Executed executed{std::move(batch), std::move(result), swept_all};
    if (has_time_to_finish(*executed.batch, executed.result.has_value())) {
      finish({&executed, 1});
    } else {
      hand_over(std::move(executed));
    }
  }
  const std::lock_guard lock(mutex_);
  writer_ended_ = true;
  wake_announcer_.notify_one();
}

/// Waits for something to do and takes it. Null when stopped and nothing is left.
std::unique_ptr<Batch> Service::next_batch() {
  auto batch = std::make_unique<Batch>();
  std::unique_lock lock(mutex_);
  const auto worth_starting = [&] { return stopping_ || sweep_due_ || next_is_due(); };
  if (!worth_starting()) watch_for(writer_called_, lock);
  while (!worth_starting()) {
    writer_waits_ = true;
    wake_writer_.wait(lock);
  }
  writer_waits_ = false;
  const bool last_round = stopping_ && queue_.empty() && !sweep_due_;
  fill(*batch);
  if (std::exchange(sweep_due_, false)) {
    batch->sweep_max = sweep_step_max;
    batch->sweep_step = ++sweep_steps_;
  }
  batch->notes = replays_.take();
  if (last_round && batch->notes.empty()) return nullptr;
  batch->begun = std::chrono::steady_clock::now();
  running_.push_back(batch.get());
  running_calls_ += batch->work.size();
  return batch;
}

/// Whether it is time to decide another batch: a full one waits, or as many calls as are on their
/// way. Fewer wait for those: with what comes meanwhile they cost one commit, not two. Half a batch
/// will do if another waits for the disk already: one sync serves both. Needs mutex_.
bool Service::next_is_due() const {
  const std::size_t enough = executed_.empty() ? batch_wanted_ : (batch_wanted_ + 1) / 2;
  return queued_ > 0 && queued_ >= std::min(running_calls_, enough);
}

/// Takes calls off the queue: as many as the store wants in a batch, or more if the disk is so slow
/// that many are on their way to it. Needs mutex_.
void Service::fill(Batch& batch) {
  const std::size_t most = std::clamp(running_calls_ / 2, batch_wanted_, options_.batch_max);
  std::vector<Work>& work = batch.work;
  while (!queue_.empty() && work.size() + queue_.front().size() <= most) {
    std::vector<Work>& part = queue_.front();
    if (work.empty()) {
      work = std::move(part);
    } else {
      std::move(part.begin(), part.end(), std::back_inserter(work));
    }
    queue_.pop_front();
  }
  queued_ -= work.size();
}

/// The writer has something to do. True if it sleeps and must be woken. Needs mutex_.
bool Service::call_writer() {
  writer_called_ = true;
  return std::exchange(writer_waits_, false);
}

/// Replays that were not recorded with their batch are recorded with a later one, if there will be
/// any, unless what they repeated is gone.
void Service::keep_notes(Batch& batch, const StoreResult<void>& result) {
  if (batch.history_lost) {
    replays_.begin_history();
    if (options_.on_history_lost) options_.on_history_lost();
  }
  if (result || result.error().effect == Effect::unknown) return;
  const std::lock_guard lock(mutex_);
  if (!stopping_) replays_.put_back(std::move(batch.notes));
}

/// A step of a sweep: drops tokens past their window. True when nothing is left to sweep.
bool Service::forget_tokens(const Batch& batch, const StoreResult<void>& result) {
  const bool more_tokens = store_->forget_expired(forget_step);
  const bool more_due = result && batch.more_due;
  if (!more_tokens && !more_due) return true;
  const std::lock_guard lock(mutex_);
  sweep_due_ = true;
  return false;
}

/// Whether the writer has nothing better to do than to sync and answer a batch itself: no other is
/// on its way, and too few calls wait for the next one. Waking the announcer would only take time.
bool Service::has_time_to_finish(Batch& batch, bool decided) {
  const std::lock_guard lock(mutex_);
  batch.decided = decided;
  return executed_.empty() && !announcing_ && !next_is_due();
}

/// Passes a batch on to be made durable and answered; waits while too many are on their way.
void Service::hand_over(Executed executed) {
  std::unique_lock lock(mutex_);
  wake_writer_.wait(lock, [&] { return executed_.size() < batches_on_their_way; });
  executed_.push_back(std::move(executed));
  announcer_called_ = true;
  wake_announcer_.notify_one();
}

void Service::announce_loop() {
  name_thread("hf-announcer");
  std::unique_lock lock(mutex_);
  while (true) {
    if (executed_.empty()) watch_for(announcer_called_, lock);
    wake_announcer_.wait(lock, [&] { return !executed_.empty() || writer_ended_; });
    if (executed_.empty()) return;
    std::vector<Executed> taken = std::move(executed_);
    executed_.clear();
    announcing_ = true;
    wake_writer_.notify_one();
    lock.unlock();
    finish(taken);
    taken.clear();
    lock.lock();
    announcing_ = false;
  }
}

/// One sync for all of them; then whoever waits is told.
void Service::finish(std::span<Executed> batches) {
  std::uint64_t seq = 0;
  for (const Executed& each : batches) seq = std::max(seq, each.batch->seq);
  const StoreResult<void> durable = store_->sync(seq);
  engine_.enter(Stage::answer);
  for (Executed& each : batches) announce(each, durable);
  if (options_.on_answered) options_.on_answered();
  engine_.enter(Stage::done);
}

/// Tells every caller of a batch: its answer if the batch is durable, else what failed.
void Service::announce(Executed& executed, const StoreResult<void>& durable) {
  Batch& batch = *executed.batch;
  {
    const std::lock_guard lock(mutex_);
    HOLDFAST_ASSERT(running_.front() == &batch);
    running_.pop_front();
    running_calls_ -= batch.work.size();
    if (next_is_due() && call_writer()) wake_writer_.notify_one();
  }
  under_way_.leave(batch.work, [](const Work& work) { return work.request.key; });
  const StoreResult<void>& result = executed.result ? durable : executed.result;
  for (Work& work : batch.work) {
    if (!result) {
      work.answer = refuse(work.request.call, Rejection::store_unavailable);
      work.answer.effect = result.error().effect;
      work.answer.note = result.error().message;
    }
    if (work.done) work.done(std::move(work.answer));  // else it was overdue, and told so
  }
  if (options_.on_batch && result) {
    options_.on_batch({.calls = batch.work.size(),
                       .seq = batch.seq,
                       .committing = std::chrono::steady_clock::now() - batch.begun,
                       .swept = batch.swept,
                       .swept_rows = batch.swept_rows,
                       .work = batch.work});
  }
  if (batch.sweep_max > 0) finish_sweep(executed);
  recycle(batch.work);
}

void Service::recycle(std::vector<Work>& emptied) {
  emptied.clear();
  const std::lock_guard lock(mutex_);
  if (spare_.size() < batches_on_their_way) spare_.push_back(std::move(emptied));
}

/// One step of a sweep is over; whoever waits is told when it was the last.
void Service::finish_sweep(const Executed& executed) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sweep_waiters_, [&](SweepWaiter* waiter) {
    if (executed.batch->sweep_step < waiter->first_step) return false;  // it began too early
    waiter->swept += executed.batch->swept;
    return waiter->done = executed.swept_all;
  });
  if (executed.swept_all) wake_others_.notify_all();
}

std::size_t Service::queued() const {
  const std::lock_guard lock(mutex_);
  return queued_;
}

bool Service::is_under_way(std::string_view tenant, std::string_view token) const {
  return under_way_.contains(key_of(tenant, token));
}

std::chrono::nanoseconds Service::at_work_for() const {
  const std::lock_guard lock(mutex_);
  if (running_.empty()) return {};
  return std::chrono::steady_clock::now() - running_.front()->begun;
}

std::size_t Service::sweep() {
  SweepWaiter waiter;
  std::unique_lock lock(mutex_);
  if (stopping_) return 0;
  sweep_due_ = true;
  waiter.first_step = sweep_steps_ + 1;
  sweep_waiters_.push_back(&waiter);
  if (call_writer()) wake_writer_.notify_one();
  wake_others_.wait(lock, [&] { return waiter.done; });
  return waiter.swept;
}

void Service::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (call_writer()) wake_writer_.notify_one();
    wake_others_.notify_all();
  }
  if (ticker_.joinable()) ticker_.join();
  if (writer_.joinable()) writer_.join();
  if (announcer_.joinable()) announcer_.join();
}

/// Asks for sweeps at the declared cadence, and looks after calls stuck behind their own token.
void Service::tick_loop() {
  name_thread("hf-ticker");
  const bool sweeps = options_.sweep_every > Duration::zero();
  const Duration pause = sweeps ? std::min(options_.sweep_every, overlap_check) : overlap_check;
  Duration since_sweep{};
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_others_.wait_for(lock, pause, [&] { return stopping_; });
    since_sweep += pause;
    if (sweeps && since_sweep >= options_.sweep_every && !stopping_) {
      since_sweep = Duration::zero();
      sweep_due_ = true;
      if (call_writer()) wake_writer_.notify_one();
    }
    lock.unlock();
    answer_overdue();
    lock.lock();
  }
}

/// Tells callers that have waited too long behind their own token; looks for them only if any call
/// has waited long enough.
void Service::answer_overdue() {
  const Instant now = store_->now();
  OverdueCalls overdue(*store_, under_way_, now);
  {
    const std::lock_guard lock(mutex_);
    if (running_.empty() || longest_wait(now) < shortest_overlap_wait(store_->rules())) return;
    for (Batch* batch : running_) overdue.search_running(*batch);
    for (std::vector<Work>& part : queue_) queued_ -= overdue.take_from_queue(part);
    std::erase_if(queue_, [](const std::vector<Work>& part) { return part.empty(); });
  }
  if (overdue.tell() && options_.on_answered) options_.on_answered();
}

/// How long the oldest call without an answer has waited: it is in front. Needs mutex_.
Duration Service::longest_wait(Instant now) const {
  for (const Batch* batch : running_) {
    if (!batch->work.empty()) return now - batch->work.front().accepted_at;
  }
  for (const std::vector<Work>& part : queue_) {
    if (!part.empty()) return now - part.front().accepted_at;
  }
  return Duration::zero();
}

}  // namespace holdfast
