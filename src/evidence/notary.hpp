#pragma once

#include <chrono>
#include <functional>

#include "evidence/documents.hpp"
#include "evidence/tree.hpp"

namespace holdfast::evidence {

/// Why there is no head or proof now.
struct Hindrance {
  enum class Kind : std::uint8_t {
    busy,     ///< records are still being read: ask again
    store,    ///< the journal or the key cannot be read
    unknown,  ///< there is no such record, or not for this tenant
    beyond,   ///< a head of more records was asked for than there are
  };
  Kind kind = Kind::store;
  std::string text;
};
template <typename T>
using Found = tl::expected<T, Hindrance>;

/// Until when to go on reading records, before somebody is told to ask again.
using Deadline = std::chrono::steady_clock::time_point;

/// The evidence of an open store: built when it is first asked for, beside the main path, from what
/// is durable. One thread at a time.
class Notary {
 public:
  struct Options {
    /// The key that signs; asked for once, when the first head is.
    std::function<tl::expected<SigningKey, std::string>()> key;
    /// Whether to give up: a long journal takes longer than a stop may.
    std::function<bool()> stopping = [] { return false; };
    /// Told when the journal turned out to be another one than before.
    std::function<void(const std::string&)> warn = [](const std::string&) {};
  };
  /// `store` must outlive it.
  Notary(const Store& store, Options options);

  // What was read when the deadline came stays read: each call gets further than the one before,
  // also one that comes too late.

  [[nodiscard]] Found<SignedHead> head(Deadline until = Deadline::max());
  [[nodiscard]] Found<Extension> head_since(std::uint64_t since, Deadline until = Deadline::max());
  /// That record of that tenant in the tree of that size; of all there is, if none is said.
  [[nodiscard]] Found<Proof> proof(std::string_view tenant, std::uint64_t seq,
                                   std::optional<std::uint64_t> size,
                                   Deadline until = Deadline::max());

 private:
  /// Takes in everything there is.
  [[nodiscard]] Found<void> catch_up(Deadline until);
  /// A head of fewer records than there are says so: it is good for a proof and for nothing else.
  [[nodiscard]] Found<SignedHead> sign_head(std::uint64_t size);

  const Store& store_;
  const Options options_;
  const Fetch fetch_;
  Tree tree_;
  std::optional<SigningKey> key_;
};

}  // namespace holdfast::evidence
