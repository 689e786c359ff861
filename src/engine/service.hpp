#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "engine/execute.hpp"
#include "engine/keys_under_way.hpp"
#include "engine/replay_tally.hpp"

namespace holdfast {

/// What is worth measuring of one batch, told once its callers are.
struct BatchReport {
  std::size_t calls = 0;
  std::uint64_t seq = 0;                  ///< durable up to here
  std::chrono::nanoseconds committing{};  ///< from taking it off the queue until it was durable
  std::size_t swept = 0;                  ///< lapsed holds, and rows that were due
  std::span<const Record> swept_rows{};   ///< what time alone did to rows of modules
  std::span<const Work> work{};  ///< the calls themselves, which were answered; only meanwhile
};

struct ServiceOptions {
  std::size_t queue_max = 65536;
  std::size_t batch_max = 1024;
  Duration sweep_every = std::chrono::milliseconds(500);  ///< zero: only when asked
  StageObserver observer{};
  /// Called with every call before it is looked at, on its caller's thread: it may complete what a
  /// module's parameters say from what only this process knows, such as a registry.
  std::function<void(Call&)> prepare{};
  /// Called by the service's own thread for every batch that became durable. Must not block.
  std::function<void(const BatchReport&)> on_batch{};
  /// Called after every group of answers that the service's own threads have given, so that whoever
  /// passes answers on can do so once for all of them. Must not block.
  std::function<void()> on_answered{};
  /// Called by the service's own thread when records were found to be gone from the store, whatever
  /// becomes of the batch that found it: see `Unit::history_lost`. Must not block.
  std::function<void()> on_history_lost{};
};

/// The queue in front of the main path. While one batch is being decided, calls queue; the next
/// batch is what waits, as much of it as the store wants in one. While batches are on their way to
/// the disk, the next is decided.
///
///     callers ──► queue ──► writer: load, decide, write ──► announcer: sync, answer ──► callers
///
/// When there is nothing to decide meanwhile, the writer syncs and answers by itself.
///
/// All public members may be called from any thread.
class Service {
 public:
  using Done = std::function<void(Answer)>;

  Service(std::unique_ptr<Store> store, std::shared_ptr<Random> random, ServiceOptions options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Calls `done` exactly once: at once when the call is refused unseen or its outcome is already
  /// durable, otherwise on one of the service's own threads once its outcome is.
  void submit(Call call, Done done);

  /// Sees to what is due and forgets what is past its window. Returns how many holds had lapsed,
  /// and rows of modules were due.
  std::size_t sweep();

  /// Finishes what was accepted, refuses what comes later. Called by the destructor too.
  void stop();

  [[nodiscard]] const Store& store() const { return *store_; }
  /// Calls that wait for the writer now.
  [[nodiscard]] std::size_t queued() const;
  /// Whether a call with this token waits or is being carried out: what becomes of it is not known.
  [[nodiscard]] bool is_under_way(std::string_view tenant, std::string_view token) const;
  /// For how long the store has been at work on its oldest batch; zero when it has none.
  [[nodiscard]] std::chrono::nanoseconds at_work_for() const;

 private:
  /// Somebody waiting for a sweep.
  struct SweepWaiter {
    std::size_t swept = 0;
    std::uint64_t first_step = 0;  ///< the first that began after it was asked for
    bool done = false;
  };

  /// A batch that was executed, and how that went.
  struct Executed {
    std::unique_ptr<Batch> batch;
    StoreResult<void> result;
    bool swept_all = false;
  };

  void write_loop();
  [[nodiscard]] std::unique_ptr<Batch> next_batch();
  [[nodiscard]] bool next_is_due() const;
  void fill(Batch& batch);
  [[nodiscard]] bool call_writer();
  [[nodiscard]] bool forget_tokens(const Batch& batch, const StoreResult<void>& result);
  void keep_notes(Batch& batch, const StoreResult<void>& result);
  [[nodiscard]] bool has_time_to_finish(Batch& batch, bool decided);
  void hand_over(Executed executed);

  void announce_loop();
  void finish(std::span<Executed> batches);
  void announce(Executed& executed, const StoreResult<void>& durable);
  void finish_sweep(const Executed& executed);
  void recycle(std::vector<Work>& emptied);

  void tick_loop();
  void answer_overdue();
  [[nodiscard]] Duration longest_wait(Instant now) const;

  // Constant.
  const std::unique_ptr<Store> store_;
  const std::shared_ptr<Random> random_;
  const ServiceOptions options_;
  const std::size_t batch_wanted_;  ///< by the store; more only when the disk is slow

  // With a lock of their own.
  Engine engine_;  // the writer's thread only
  ReplayTally replays_;
  KeysUnderWay under_way_;  ///< of every call in queue_ and running_

  mutable std::mutex mutex_;
  std::condition_variable wake_writer_;
  std::condition_variable wake_announcer_;
  std::condition_variable wake_others_;
  // Guarded by mutex_.
  std::deque<std::vector<Work>> queue_;  ///< each at most as long as the store wants a batch
  std::size_t queued_ = 0;
  std::vector<std::vector<Work>> spare_;  ///< emptied ones, kept for their memory
  /// Taken, not yet answered. Their requests do not change, and `Work::done` is guarded too.
  std::deque<Batch*> running_;
  std::size_t running_calls_ = 0;   ///< how many calls those are
  std::vector<Executed> executed_;  ///< for the announcer
  bool announcing_ = false;         ///< it is at work on some
  bool writer_waits_ = false;       ///< it sleeps until it is woken
  bool writer_ended_ = false;
  bool sweep_due_ = false;
  std::uint64_t sweep_steps_ = 0;  ///< begun so far
  std::vector<SweepWaiter*> sweep_waiters_;
  bool stopping_ = false;

  // Set under mutex_, and watched without it by a thread that is still awake.
  std::atomic<bool> writer_called_{false};
  std::atomic<bool> announcer_called_{false};

  std::thread writer_;
  std::thread announcer_;
  std::thread ticker_;
};

}  // namespace holdfast
