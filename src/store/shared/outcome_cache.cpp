#include "store/shared/outcome_cache.hpp"

namespace holdfast::shared {

void OutcomeCache::put(const Hash128& key, Entry entry) {
  const std::lock_guard lock(mutex_);
  if (young_.size() >= half_max_) {
    old_ = std::move(young_);
    young_.clear();
  }
  young_.insert_or_assign(key, std::move(entry));
}

std::optional<OutcomeCache::Entry> OutcomeCache::find(const Hash128& key) {
  const std::lock_guard lock(mutex_);
  if (const auto young = young_.find(key); young != young_.end()) return young->second;
  const auto old = old_.find(key);
  if (old == old_.end()) return std::nullopt;
  if (young_.size() >= half_max_) return old->second;
  return young_.emplace(key, old->second).first->second;
}

void OutcomeCache::clear() {
  const std::lock_guard lock(mutex_);
  young_.clear();
  old_.clear();
}

std::size_t OutcomeCache::bytes() {
  const std::lock_guard lock(mutex_);
  return (young_.size() + old_.size()) * sizeof(Map::value_type) +
         (young_.size() + old_.size()) * sizeof(HoldFound);
}

}  // namespace holdfast::shared
