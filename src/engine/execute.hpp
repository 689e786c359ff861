#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "base/stage.hpp"
#include "store/store.hpp"

namespace holdfast {

/// One admitted call on its way through the main path.
struct Work {
  Request request;
  std::function<void(Answer)> done;
  Instant accepted_at{};
  Answer answer{};
  /// The record that was to be its outcome, when a commit got no answer; 0: none was.
  std::uint64_t tried_seq = 0;
  Instant tried_at{};
  bool stands = false;  ///< that commit was found to have been carried out
};

struct Batch {
  std::vector<Work> work;
  std::vector<Record> notes;       ///< of replays that were answered without a batch
  std::size_t sweep_max = 0;       ///< lapsed holds, and rows that are due, to see to as well
  std::uint64_t sweep_step = 0;    ///< if any, the number of this step of sweeping
  std::size_t swept = 0;           ///< out: how many were due
  bool more_due = false;           ///< out: there may be more
  std::vector<Record> swept_rows;  ///< out: what time alone did to rows of modules
  std::uint64_t seq = 0;           ///< out: durable up to here, the batch may be answered
  bool history_lost = false;       ///< out: see `Unit::history_lost`
  bool decided = false;            ///< its answers stand, once durable; kept by the service
  std::chrono::steady_clock::time_point begun{};  ///< kept by the service
};

/// The main path. Everything that changes state goes through `execute`.
class Engine {
 public:
  Engine(Store& store, Random& random, StageObserver observer);

  /// Decides a batch and commits it, all or nothing; again, where the store says that deciding anew
  /// will tell. On success every `Work::answer` may be given
  /// once the store is durable up to `Batch::seq`; on failure none of the batch may be
  /// acknowledged. One thread at a time.
  [[nodiscard]] StoreResult<void> execute(Batch& batch);

  void enter(Stage stage) const;

 private:
  [[nodiscard]] StoreResult<void> attempt(Batch& batch);

  Store& store_;
  Random& random_;
  const StageObserver observer_;
  Keys keys_;  // of one attempt, as is what follows: kept for their memory
  Records records_;
  std::vector<OwnedRowName> missing_;  ///< in the last sweep
};

}  // namespace holdfast
