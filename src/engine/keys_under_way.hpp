#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <mutex>

#include "base/assert.hpp"
#include "domain/rows.hpp"

namespace holdfast {

/// The tokens of all calls that wait or are being carried out, however many those are: who asks for
/// one of them looks once, and not through the queue. Several calls may have the same. All members
/// may be called from any thread.
class KeysUnderWay {
 public:
  void enter(const Hash128& key) {
    const std::lock_guard lock(mutex_);
    ++calls_[key];
  }

  /// Once for each call that entered. `key_of` gives the key of each of `calls`.
  template <typename Calls, typename KeyOf>
  void leave(const Calls& calls, KeyOf key_of) {
    const std::lock_guard lock(mutex_);
    for (const auto& call : calls) {
      const auto found = calls_.find(key_of(call));
      HOLDFAST_ASSERT(found != calls_.end());
      if (--found->second == 0) calls_.erase(found);
    }
  }
  void leave(const Hash128& key) {
    leave(std::array{key}, [](const Hash128& each) { return each; });
  }

  [[nodiscard]] bool contains(const Hash128& key) const {
    const std::lock_guard lock(mutex_);
    return calls_.contains(key);
  }

 private:
  mutable std::mutex mutex_;
  boost::unordered_flat_map<Hash128, std::uint32_t, KeyHash> calls_;  // guarded by mutex_
};

}  // namespace holdfast
