#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/execute.hpp"
#include "engine/keys_under_way.hpp"

namespace holdfast {

/// The shortest time after which a call of any operation may be overdue.
[[nodiscard]] Duration shortest_overlap_wait(const Rules& rules);

/// One search for calls that have waited too long behind their own token.
///
/// A call whose token is in a batch on its way to the disk waits for that batch, in the queue or in
/// a batch of its own behind it; past its operation's `overlap_wait` it is told `in-progress`
/// instead, or, if it is another request, that it collides. One that was taken into a batch is told
/// so only if that was decided: it may turn out to be the one that has an effect. One whose token
/// another call in the queue will use first is told `in-progress` in any case.
///
/// The calls are searched under the lock that guards them: the batches on their way first, from the
/// oldest on, then the queue. Callers are told after it was let go.
class OverdueCalls {
 public:
  /// `store` and `under_way` must outlive it.
  OverdueCalls(const Store& store, KeysUnderWay& under_way, Instant now)
      : store_(store), under_way_(under_way), now_(now) {}

  /// A batch on its way. What is overdue in it loses its `done`.
  void search_running(Batch& batch);
  /// A part of the queue. What is overdue leaves it, and is under way no more; how many that were.
  std::size_t take_from_queue(std::vector<Work>& part);
  /// Tells the callers. False if there were none.
  bool tell();

 private:
  /// A token in batches on their way: the requests that came with it, and which of them it belongs
  /// to, if that is decided.
  struct RunningToken {
    std::vector<Hash128> requests;
    std::optional<Hash128> owner;
  };

  [[nodiscard]] bool waited_too_long(const Work& work) const;
  [[nodiscard]] bool collides(const Work& work, const RunningToken& token) const;
  void note(Work& work, bool collides);

  const Store& store_;
  KeysUnderWay& under_way_;
  const Instant now_;
  boost::unordered_flat_map<Hash128, RunningToken, KeyHash> running_;
  boost::unordered_flat_set<Hash128, KeyHash> queued_;
  std::vector<std::pair<std::function<void(Answer)>, Answer>> overdue_;
};

}  // namespace holdfast
