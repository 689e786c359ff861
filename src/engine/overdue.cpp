#include "engine/overdue.hpp"

#include <algorithm>

#include "domain/answer.hpp"

namespace holdfast {

Duration shortest_overlap_wait(const Rules& rules) {
  Duration shortest = Duration::max();
  for (const OperationRow& operation : operations()) {
    shortest = std::min(shortest, rules.policies[operation.id].overlap_wait);
  }
  return shortest;
}

void OverdueCalls::search_running(Batch& batch) {
  for (Work& work : batch.work) {
    RunningToken& token = running_[work.request.key];
    const Hash128& request = work.request.fingerprint;
    const bool first = token.requests.empty();
    const bool other = !first && token.requests.front() != request;
    const bool collided = batch.decided && work.answer.collided;
    token.requests.push_back(request);
    if (batch.decided && work.answer.recorded && !collided) token.owner = request;
    const bool may_have_an_effect = other && !collided;
    if (!first && work.done && !may_have_an_effect && waited_too_long(work)) note(work, other);
  }
}

std::size_t OverdueCalls::take_from_queue(std::vector<Work>& part) {
  return std::erase_if(part, [&](Work& work) {
    const auto token = running_.find(work.request.key);
    const bool runs = token != running_.end();
    const bool first = !runs && queued_.insert(work.request.key).second;
    if (first || !waited_too_long(work)) return false;
    note(work, runs && collides(work, token->second));
    under_way_.leave(work.request.key);
    return true;
  });
}

bool OverdueCalls::tell() {
  for (auto& [done, answer] : overdue_) done(std::move(answer));
  return !overdue_.empty();
}

bool OverdueCalls::waited_too_long(const Work& work) const {
  const Policy& policy = store_.rules().policies[work.request.command().operation()];
  return now_ - work.accepted_at >= policy.overlap_wait;
}

/// Whether a call in the queue is another request than the one its token belongs to. If it may be
/// the very one, having been done before or elsewhere, it is not: whoever is told that it collides
/// takes another token.
bool OverdueCalls::collides(const Work& work, const RunningToken& token) const {
  const Hash128& request = work.request.fingerprint;
  if (token.owner) return *token.owner != request;
  const bool on_its_way =
      std::find(token.requests.begin(), token.requests.end(), request) != token.requests.end();
  if (on_its_way || !store_.knows_every_outcome()) return false;
  std::uint64_t seq = 0;
  return !store_.replay(work.request, &seq);
}

void OverdueCalls::note(Work& work, bool collides) {
  Answer answer = refuse(work.request.call, Rejection::in_progress);
  if (collides) {
    answer.effect = Effect::none;
    tell_collision(answer);
  }
  overdue_.emplace_back(std::exchange(work.done, nullptr), std::move(answer));
}

}  // namespace holdfast
