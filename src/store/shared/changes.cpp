#include "store/shared/changes.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

#include "base/assert.hpp"
#include "domain/apply.hpp"
#include "domain/module.hpp"
#include "store/checksum.hpp"
#include "store/shared/row_changes.hpp"

namespace holdfast::shared {
namespace {

bool in_byte_order(const ScopedName& a, const ScopedName& b) {
  return a.tenant != b.tenant ? a.tenant < b.tenant : a.name < b.name;
}

void sort_unique(std::vector<ScopedName>& names) {
  std::sort(names.begin(), names.end(), in_byte_order);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

void sort_unique(std::vector<std::uint64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

void sort_unique(std::vector<OwnedRowName>& rows) {
  std::sort(rows.begin(), rows.end(), RowNameOrder());
  const auto same = [](const RowName& a, const RowName& b) { return a == b; };
  rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
}

/// Whether any hold can have this number.
bool is_ordinal(std::uint64_t number) { return number >= 1 && number <= INT64_MAX; }

/// The state whose rows are collected. Resources are known by their id: a hold knows that of its
/// own, whether or not the batch named it.
class Collector {
 public:
  Collector(const Wanted& wanted, const Loaded& loaded, const Rules& rules, Changes& changes)
      : rules_(rules), changes_(changes), rows_(wanted, loaded) {
    for (const OutcomeFound& each : loaded.tokens)
      tokens_[each.record.key].loaded = each.record.seq;
    for (const OutcomeFound& each : loaded.nonces)
      nonces_[each.record.nonce_key].loaded = each.record.seq;
    for (const HoldFound& each : loaded.holds) {
      const HoldRow row = each.row();
      holds_.try_emplace(each.id.ordinal, Place{each.resource_id, row, row.state, row.changed_seq});
    }
    for (const ResourceFound& each : loaded.resources)
      ids_[wanted.resources[each.wanted]] = each.id;
  }

  void place(const Record& record) {
    ResourceChange& resource = named(record);
    resource.occupied_by += record.quantity;
    holds_[record.hold.ordinal] = {resource.id, hold_row_of(record)};
    changes_.new_holds.push_back({&record, resource.id});
    changes_.head.counts.holds = record.hold.ordinal;
    ++changes_.head.counts.live_holds;
  }

  void resolve(const Record& record) {
    const HoldRow& hold = change(record, holdfast::resolve);
    Counts& counts = changes_.head.counts;
    --counts.live_holds;
    if (hold.state == HoldState::confirmed) ++counts.confirmed_holds;
    if (hold.state == HoldState::released) ++counts.released_holds;
    if (hold.state == HoldState::expired) ++counts.expired_holds;
  }

  void amend(const Record& record) { change(record, holdfast::amend); }

  /// The holds were placed just now: they are the last new ones.
  void gather(const Record& record) {
    const auto count = static_cast<std::size_t>(record.count);
    HOLDFAST_ASSERT(count <= changes_.new_holds.size());
    for (std::size_t i = changes_.new_holds.size() - count; i < changes_.new_holds.size(); ++i) {
      Changes::NewHold& hold = changes_.new_holds[i];
      hold.group = &record;
      holdfast::gather(holds_.at(hold.placed->hold.ordinal).row, record);
    }
  }

  void change_rows(const Record& record) {
    HOLDFAST_ASSERT(holdfast::change_rows(record, rows_).empty());
  }

  void declare(const Record& record) { named(record).capacity = record.capacity; }

  void bind_token(const Record& record) {
    const bool fresh = bind(record, tokens_[record.key], changes_.tokens);
    if (fresh) ++changes_.head.counts.live_tokens;
  }

  void spend_nonce(const Record& record) {
    bind(record, nonces_[record.nonce_key], changes_.nonces);
  }

  void finish() {
    rows_.finish(changes_);
    for (const std::uint64_t ordinal : changed_holds_) {
      const Place& each = holds_.at(ordinal);
      changes_.changed_holds.push_back({each.row, each.was, each.was_changed_seq});
    }
    for (const std::uint64_t id : order_) {
      const ResourceChange& each = resources_.at(id);
      if (each.first == nullptr) {
        changes_.changed_resources.push_back({id, each.occupied_by, each.capacity});
      } else {
        changes_.new_resources.push_back({id, each.first->tenant, each.first->resource,
                                          each.capacity.value_or(1), each.occupied_by,
                                          each.capacity.has_value()});
      }
    }
  }

 private:
  struct ResourceChange {
    std::uint64_t id = 0;
    const Record* first = nullptr;  ///< that named it, if it is new
    std::int64_t occupied_by = 0;
    std::optional<std::int64_t> capacity{};
  };

  /// The row of a token or nonce: what was loaded of it, and where it is among the changes.
  struct Bound {
    std::uint64_t loaded = 0;  ///< the record it had; 0: there was no row
    std::optional<std::size_t> change{};
  };

  /// Whether there is one row more for it. Of several bindings in one batch (a journal that is
  /// copied has them) the last one counts.
  bool bind(const Record& record, Bound& bound, std::vector<Changes::Outcome>& changes) const {
    const Instant forgotten_at =
        rules_.forgotten_at(record.operation, record.at, own_end_of(record));
    if (bound.change) {
      changes[*bound.change].record = &record;
      changes[*bound.change].forgotten_at = forgotten_at;
      return false;
    }
    bound.change = changes.size();
    changes.push_back({&record, bound.loaded, forgotten_at});
    return bound.loaded == 0;
  }

  ResourceChange& changed(std::uint64_t id) {
    const auto [at, fresh] = resources_.try_emplace(id);
    at->second.id = id;
    if (fresh) order_.push_back(id);
    return at->second;
  }

  /// The resource a record names; a new one has the record's number.
  ResourceChange& named(const Record& record) {
    const auto [at, fresh] = ids_.try_emplace({record.tenant, record.resource}, record.seq);
    ResourceChange& resource = changed(at->second);
    if (fresh) {
      resource.first = &record;
      ++changes_.head.counts.resources;
    }
    return resource;
  }

  struct Place {
    std::uint64_t resource_id = 0;
    HoldRow row;
    HoldState was = HoldState::held;  ///< in the database, as is what follows
    std::uint64_t was_changed_seq = 0;
    bool changed = false;
  };

  const HoldRow& change(const Record& record, void (*how)(HoldRow&, const Record&)) {
    const auto found = holds_.find(record.hold.ordinal);
    HOLDFAST_ASSERT(found != holds_.end());
    Place& place = found->second;
    const std::int64_t before = place.row.occupied();
    how(place.row, record);
    const std::int64_t more = place.row.occupied() - before;
    if (more != 0) changed(place.resource_id).occupied_by += more;
    if (!std::exchange(place.changed, true)) changed_holds_.push_back(record.hold.ordinal);
    return place.row;
  }

  const Rules& rules_;
  Changes& changes_;
  boost::unordered_flat_map<Hash128, Bound, KeyHash> tokens_;
  boost::unordered_flat_map<Hash128, Bound, KeyHash> nonces_;
  boost::unordered_flat_map<std::uint64_t, Place> holds_;
  boost::unordered_flat_map<ScopedName, std::uint64_t, ScopedNameHash> ids_;
  boost::unordered_flat_map<std::uint64_t, ResourceChange> resources_;
  std::vector<std::uint64_t> order_;          ///< resources as they were first changed
  std::vector<std::uint64_t> changed_holds_;  ///< likewise
  RowChanges rows_;
};

}  // namespace

HoldFound HoldFound::of(const HoldRow& row) {
  HoldFound found;
  found.id = row.id;
  found.tenant = row.tenant;
  found.resource = row.resource;
  found.requester = row.requester;
  found.quantity = row.quantity;
  found.state = row.state;
  found.placed_at = row.placed_at;
  found.expires_at = row.expires_at;
  found.resolved_at = row.resolved_at;
  found.confirmed = row.confirmed;
  found.cancelled = row.cancelled;
  found.first_expires_at = row.first_expires_at;
  found.changed_seq = row.changed_seq;
  found.group = row.group;
  found.group_size = row.group_size;
  return found;
}

HoldRow HoldFound::row() const {
  return {.id = id,
          .tenant = tenant,
          .resource = resource,
          .requester = requester,
          .quantity = quantity,
          .state = state,
          .placed_at = placed_at,
          .expires_at = expires_at,
          .resolved_at = resolved_at,
          .confirmed = confirmed,
          .cancelled = cancelled,
          .first_expires_at = first_expires_at,
          .changed_seq = changed_seq,
          .group = group,
          .group_size = group_size};
}

namespace {

/// Collects the rows of one request after the other.
class WantedRows final : public Needs {
 public:
  explicit WantedRows(Wanted& wanted) : wanted_(wanted) {}

  void request(const Request& request) {
    tenant_ = request.tenant();
    token(request.token());
    nonce(request.call.nonce);
    if (const OperationSpec* spec = find_spec(request.command().operation()))
      spec->needs(request.command().parameters(), *this);
  }

  void record(const Record& record) {
    tenant_ = record.tenant;
    if (binds_token(record)) {
      token(record.token);
      nonce(record.nonce);
    }
    hold(record.hold);
    if (!record.resource.empty()) resource(record.resource, 0);
    tell_rows_of(record, *this);
  }

  [[nodiscard]] std::string_view tenant() const override { return tenant_; }
  void hold(HoldId id) override {
    if (is_ordinal(id.ordinal)) wanted_.holds.push_back(id.ordinal);
  }
  void group(GroupId id) override {
    if (is_ordinal(id.first.ordinal)) wanted_.groups.push_back(id.first.ordinal);
  }
  void resource(std::string_view name, std::int64_t quantity) override {
    wanted_.resources.push_back({tenant_, name});
    quantity = std::clamp(quantity, std::int64_t{0}, quantity_max);
    wanted_.lapsed_quantity = std::min(wanted_.lapsed_quantity + quantity, quantity_max);
  }
  void resource_in_full(std::string_view name) override {
    wanted_.resources.push_back({tenant_, name});
    wanted_.lapsed_all = true;
  }
  void row(RowSpace space, std::string_view key) override { row_of(tenant_, space, key); }
  void row_of(std::string_view tenant, RowSpace space, std::string_view key) override {
    wanted_.rows.emplace_back(RowName{space, tenant, key});
  }
  void list(const RowList& list) override { wanted_.lists.emplace_back(list); }

 private:
  void token(std::string_view token) {
    if (!token.empty()) wanted_.tokens.push_back({tenant_, token});
  }
  void nonce(std::string_view nonce) {
    if (!nonce.empty()) wanted_.nonces.push_back({tenant_, nonce});
  }

  Wanted& wanted_;
  std::string_view tenant_;
};

}  // namespace

Wanted wanted_by(const Keys& keys) {
  Wanted wanted;
  wanted.due_max = keys.due_max;
  WantedRows rows(wanted);
  for (const Request* each : keys.requests) rows.request(*each);
  for (const Record* each : keys.records) rows.record(*each);
  wanted.rows.insert(wanted.rows.end(), keys.rows.begin(), keys.rows.end());
  sort_unique(wanted.tokens);
  sort_unique(wanted.nonces);
  sort_unique(wanted.resources);
  sort_unique(wanted.holds);
  sort_unique(wanted.groups);
  sort_unique(wanted.rows);
  merge(wanted.lists);
  return wanted;
}

void fill(WorkingSet& rows, const Wanted& wanted, const Loaded& loaded) {
  rows.reserve(wanted.tokens.size());
  for (const OutcomeFound& each : loaded.tokens) {
    rows.load_token(each.record.key, outcome_of(each.record));
  }
  for (const OutcomeFound& each : loaded.nonces) {
    rows.load_nonce(each.record.nonce_key, token_row_of(each.record));
  }
  boost::unordered_flat_map<std::uint64_t, std::vector<const HoldFound*>> lapsed;
  for (const HoldFound& each : loaded.holds) {
    const HoldRow row = each.row();
    if (rows.has_hold(each.id.ordinal)) continue;
    rows.load_hold(row);
    if (row.lapsed(loaded.head.now)) lapsed[each.resource_id].push_back(&each);
  }
  for (const ResourceFound& each : loaded.resources) {
    ResourceRow row{.capacity = each.capacity, .occupied = each.occupied, .lapsed = {}};
    std::vector<const HoldFound*>& of_it = lapsed[each.id];
    std::sort(of_it.begin(), of_it.end(), [](const HoldFound* a, const HoldFound* b) {
      return a->expires_at != b->expires_at ? a->expires_at < b->expires_at : a->id < b->id;
    });
    for (const HoldFound* hold : of_it) row.lapsed.push_back(hold->id.ordinal);
    rows.load_resource(wanted.resources[each.wanted], std::move(row));
  }
  for (const KeptRow& each : loaded.rows) rows.load_row(each.name, each.row);
  for (const ListedRow& each : loaded.listed)
    rows.load_list(wanted.lists[each.wanted].name, each.kept.name, each.kept.row);
}

Changes changes_of(const Records& records, const Wanted& wanted, const Loaded& loaded,
                   const Rules& rules) {
  Changes changes;
  changes.records = &records;
  changes.head = loaded.head;
  changes.checksums.reserve(records.size());
  Collector collector(wanted, loaded, rules, changes);
  for (const Record& record : records) {
    changes.head.chain = checksum(changes.head.chain, record);
    changes.checksums.push_back(changes.head.chain);
    apply(collector, record);
  }
  collector.finish();
  changes.head.seq = records.back().seq;
  changes.head.counts.records = records.back().seq;
  changes.head.now = records.back().at;
  return changes;
}

}  // namespace holdfast::shared
