#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "evidence/head.hpp"
#include "evidence/tree.hpp"

namespace holdfast::evidence {

/// Why there is no head or proof now.
struct Hindrance {
  enum class Kind : std::uint8_t {
    busy,     ///< records are still being read, or somebody else is asking: ask again
    store,    ///< the journal or the key cannot be read
    unknown,  ///< there is no such record, or not for this tenant
    beyond,   ///< a head of more records was asked for than there are
  };
  Kind kind = Kind::store;
  std::string text;
};
template <typename T>
using Found = tl::expected<T, Hindrance>;

/// A head and what leads to it from an earlier one.
struct Extension {
  SignedHead head;
  std::uint64_t since = 0;
  Path path;
};

/// A record and what leads from it to a head.
struct Proof {
  SignedHead head;
  std::string leaf;  ///< JSON
  Digest leaf_hash;
  std::uint64_t seq = 0;
  Path path;
};

/// The evidence of an open store: built when it is first asked for, beside the main path, from what
/// is durable. Safe from any thread; they take turns.
class Ledger {
 public:
  struct Options {
    /// The key that signs; asked for once, when the first head is.
    std::function<tl::expected<SigningKey, std::string>()> key;
    /// Whether to give up: a long journal takes longer than a stop may.
    std::function<bool()> stopping = [] { return false; };
    /// How long one call goes on reading before it says `busy`.
    std::chrono::steady_clock::duration patience = std::chrono::seconds(1);
    /// Told when the journal turned out to be another one than before.
    std::function<void(const std::string&)> warn = [](const std::string&) {};
  };
  /// `store` must outlive it.
  Ledger(const Store& store, Options options);

  [[nodiscard]] Found<SignedHead> head();
  [[nodiscard]] Found<Extension> head_since(std::uint64_t since);
  /// That record of that tenant in the tree of that size; of all there is, if none is said.
  [[nodiscard]] Found<Proof> proof(std::string_view tenant, std::uint64_t seq,
                                   std::optional<std::uint64_t> size);
  /// How many records the last head was over that anybody was given.
  [[nodiscard]] std::uint64_t published() const { return published_; }

 private:
  struct EndTurn {
    void operator()(Ledger* ledger) const { ledger->end_turn(); }
  };
  using Turn = std::unique_ptr<Ledger, EndTurn>;
  /// Nothing if it was not free until then.
  [[nodiscard]] Turn take_turn(std::chrono::steady_clock::time_point until);
  void end_turn();
  /// Waits for a turn and takes in everything there is.
  [[nodiscard]] Found<Turn> begin();
  [[nodiscard]] Found<SignedHead> sign_head(std::uint64_t size);

  const Store& store_;
  const Options options_;
  const Fetch fetch_;
  std::atomic<std::uint64_t> published_{0};

  // A timed mutex would say the same, but not to the thread sanitizer: it does not see those
  // locked.
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;  // guarded by mutex_

  // Theirs whose turn it is.
  Tree tree_;
  std::optional<SigningKey> key_;
};

}  // namespace holdfast::evidence
