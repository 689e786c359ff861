#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_map.hpp>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/siphash.hpp"
#include "domain/module_rows.hpp"
#include "domain/record.hpp"
#include "holdfast/types.hpp"

/// The rows a decision may look at. They hold views of names that the unit of work, or the
/// requests of its batch, keep alive.
namespace holdfast {

struct ScopedName {
  std::string_view tenant;
  std::string_view name;
  friend bool operator==(const ScopedName&, const ScopedName&) = default;
};

struct ScopedNameHash {
  std::size_t operator()(const ScopedName& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.name) * 31 + hash(key.tenant);
  }
};

/// Keys of tokens are hashes already.
struct KeyHash {
  using is_avalanching = void;
  std::size_t operator()(const Hash128& key) const { return key.low; }
};

/// A token's recorded outcome.
struct TokenRow {
  Operation operation = Operation::none;
  Hash128 fingerprint;
  Instant recorded_at;
  std::uint64_t seq = 0;
  std::optional<Rejection> rejection;
  Reason reason = Reason::none;
  std::uint64_t hold_ordinal = 0;  ///< the hold the answer speaks of; 0: none
  /// When it is forgotten, where its operation says that of each token: see `own_end_of`.
  std::optional<Instant> ends{};
  /// The detail of its record; null: it has none, or `told_by_record` says that nobody needs it.
  std::shared_ptr<const std::string> detail{};
};

struct HoldRow {
  HoldId id;
  std::string_view tenant;
  std::string_view resource;
  std::string_view requester;
  std::int64_t quantity = 0;
  HoldState state = HoldState::held;
  Instant placed_at;
  Instant expires_at;
  Instant resolved_at{};  ///< meaningful unless held

  // What may change of a hold besides its state (PC-5), and did of few.

  std::int64_t confirmed = 0;     ///< of the quantity; what was cancelled of it included
  std::int64_t cancelled = 0;     ///< of what was confirmed
  Instant first_expires_at{};     ///< `expires_at` as it was placed
  std::uint64_t changed_seq = 0;  ///< the last record that changed any of that; 0: none did
  HoldId group{};                 ///< the first hold of its group; ordinal 0: it is in none
  std::uint32_t group_size = 0;   ///< their ordinals follow each other

  [[nodiscard]] bool lapsed(Instant now) const {
    return state == HoldState::held && now >= expires_at;
  }
  /// What of it is neither confirmed nor resolved.
  [[nodiscard]] std::int64_t held() const {
    return state == HoldState::held ? quantity - confirmed : 0;
  }
  /// What it takes of its resource.
  [[nodiscard]] std::int64_t occupied() const { return held() + confirmed - cancelled; }
};

/// What a record does to a hold: `resolve` ends what is held of it, `amend` changes it otherwise.
/// Every store changes its holds through these.
void resolve(HoldRow& hold, const Record& record);
void amend(HoldRow& hold, const Record& record);
/// Makes a hold one of the group that the record tells of.
void gather(HoldRow& hold, const Record& record);

struct ResourceRow {
  std::int64_t capacity = 1;
  std::int64_t occupied = 0;  ///< quantities of held, lapsed and confirmed holds
  /// Lapsed holds in order of expiry: all of them, or at least as many as the batch can need.
  std::vector<std::uint64_t> lapsed;
};

/// What a batch loaded, kept true to the records decided so far, so that later requests of the
/// batch see earlier ones. Not safe for several threads.
class WorkingSet {
 public:
  void reserve(std::size_t requests) {
    tokens_.reserve(requests);
    holds_.reserve(requests);
    resources_.reserve(requests);
  }

  /// Empties it and keeps its memory.
  void clear() {
    tokens_.clear();
    nonces_.clear();
    holds_.clear();
    resources_.clear();
    module_rows_.clear();
    lists_.clear();
  }

  // Loading. Each key is loaded once.

  [[nodiscard]] bool has_resource(const ScopedName& key) const { return resources_.contains(key); }
  [[nodiscard]] bool has_hold(std::uint64_t ordinal) const { return holds_.contains(ordinal); }
  void load_token(const Hash128& key, const TokenRow& row) { tokens_.insert_or_assign(key, row); }
  void load_nonce(const Hash128& key, const TokenRow& row) { nonces_.insert_or_assign(key, row); }
  void load_hold(const HoldRow& row) { holds_.try_emplace(row.id.ordinal, row); }
  ResourceRow& load_resource(const ScopedName& key, ResourceRow&& row) {
    return resources_.try_emplace(key, std::move(row)).first->second;
  }
  /// The name it has here, good for as long as the set is.
  RowName load_row(const RowName& name, const ModuleRow& row) {
    return module_rows_.try_emplace(OwnedRowName(name), row).first->first;
  }
  /// A row of a list (the key of whose name is the parent), after those loaded for it before.
  void load_list(const RowName& list, const RowName& name, const ModuleRow& row) {
    lists_[OwnedRowName(list)].push_back(load_row(name, row));
  }

  // Looking. Pointers are good until the next change.

  [[nodiscard]] const TokenRow* token(const Hash128& key) const;
  /// The outcome a nonce was spent with.
  [[nodiscard]] const TokenRow* nonce(const Hash128& key) const;
  [[nodiscard]] const HoldRow* hold(std::uint64_t ordinal) const;
  /// The hold if its id, salt included, and its tenant are these.
  [[nodiscard]] const HoldRow* hold(std::string_view tenant, HoldId id) const;
  /// A resource nobody has named before has capacity 1 and is free.
  [[nodiscard]] const ResourceRow& resource(const ScopedName& key) const;
  /// A row of a module; null if there is none.
  [[nodiscard]] const ModuleRow* row(const RowName& name) const {
    const auto found = module_rows_.find(name);
    const bool there = found != module_rows_.end() && found->second.value != nullptr;
    return there ? &found->second : nullptr;
  }
  /// The rows of a list that were ready when the batch was loaded, in order of position and key: as
  /// many as its requests want together. They are names: the batch may have changed a row since, or
  /// removed it. One that the batch itself made ready is not among them.
  [[nodiscard]] std::span<const RowName> listed(RowSpace space, std::string_view tenant,
                                                std::string_view parent) const;
  template <typename Row>
  [[nodiscard]] const Row* row(std::string_view tenant, std::string_view key) const {
    return row_of<Row>(row({Row::space, tenant, key}));
  }

  // Changing: the primitives of `apply`. The record must outlive the set.

  void place(const Record& record);
  void resolve(const Record& record);
  void amend(const Record& record);
  void gather(const Record& record);
  void declare(const Record& record);
  void change_rows(const Record& record);
  void bind_token(const Record& record);
  void spend_nonce(const Record& record);

 private:
  class ModuleWriter;

  HoldRow& changed(const Record& record);
  void occupy(const HoldRow& hold, std::int64_t before);

  boost::unordered_flat_map<Hash128, TokenRow, KeyHash> tokens_;
  boost::unordered_flat_map<Hash128, TokenRow, KeyHash> nonces_;
  boost::unordered_flat_map<std::uint64_t, HoldRow> holds_;
  boost::unordered_flat_map<ScopedName, ResourceRow, ScopedNameHash> resources_;
  /// One that was removed is here without a value: its name is still good.
  boost::unordered_map<OwnedRowName, ModuleRow, RowNameHash, SameRowName> module_rows_;
  std::map<OwnedRowName, std::vector<RowName>, RowNameOrder> lists_;  ///< names of module_rows_
};

/// When the token of an outcome is forgotten, if its operation lets each token say so: then
/// `expires_at` of the record has it, and none there means never.
[[nodiscard]] std::optional<Instant> own_end_of(const Record& record);

/// The row a record leaves behind for its token, and for the hold it places.
[[nodiscard]] TokenRow token_row_of(const Record& record);
/// The same with the record's detail, for whoever is to make an answer of it.
[[nodiscard]] TokenRow outcome_of(const Record& record);
[[nodiscard]] HoldRow hold_row_of(const Record& record);

}  // namespace holdfast
