#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <mutex>
#include <optional>

#include "domain/rows.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::shared {

/// Outcomes this node has seen: all that is ever kept of the database. They do not change within
/// their window, whoever else writes, so nothing has to be told to anybody. Bounded: when there
/// are too many, those not asked for since the last time are let go.
class OutcomeCache {
 public:
  struct Entry {
    TokenRow token;
    std::shared_ptr<const HoldFound> hold;  ///< that the outcome speaks of; may be null
  };

  explicit OutcomeCache(std::size_t entries_max) : half_max_(entries_max / 2) {}

  void put(const Hash128& key, Entry entry);
  [[nodiscard]] std::optional<Entry> find(const Hash128& key);
  void clear();
  [[nodiscard]] std::size_t bytes();

 private:
  using Map = boost::unordered_flat_map<Hash128, Entry, KeyHash>;

  const std::size_t half_max_;
  std::mutex mutex_;
  Map young_;  // guarded by mutex_
  Map old_;    // guarded by mutex_
};

}  // namespace holdfast::shared
