#include "store/memory/memory_store.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>

#include "base/assert.hpp"
#include "domain/answer.hpp"
#include "domain/apply.hpp"
#include "domain/module.hpp"
#include "store/cursor.hpp"
#include "store/row_lists.hpp"

namespace holdfast {
namespace {

using Name = std::pair<std::string, std::string>;          // tenant, token or resource
using Held = std::set<std::pair<Instant, std::uint64_t>>;  // by expiry, then ordinal
using SharedLock = std::shared_lock<std::shared_mutex>;

struct HoldEntry {
  HoldRow row;           // its names are those of `placed`
  const Record* placed;  // in the journal
};

struct ResourceEntry {
  std::uint64_t first_seq = 0;  // of the record that named it first: its place in lists
  std::int64_t capacity = 1;
  std::int64_t occupied = 0;
  bool declared = false;
  Held held;
};

class MemoryStore final : public Store {
 public:
  MemoryStore(const Rules& rules, std::shared_ptr<Clock> clock)
      : rules_(rules), clock_(std::move(clock)), floor_(clock_->now()) {}

  StoreResult<std::unique_ptr<Unit>> begin(const Keys& keys) override;
  StoreResult<void> sync(std::uint64_t) override { return {}; }  // nothing outlives the process
  StoreResult<void> ready() const override { return {}; }
  bool forget_expired(std::size_t limit) override;
  Instant now() const override {
    const SharedLock lock(mutex_);
    return instant();
  }
  std::optional<Answer> replay(const Request& request, std::uint64_t* seq) const override;
  StoreResult<std::optional<HoldDetails>> hold(std::string_view tenant, HoldId id) const override;
  StoreResult<Page<HoldDetails>> holds(std::string_view tenant,
                                       const HoldQuery& query) const override;
  StoreResult<std::optional<TokenResult>> token(std::string_view tenant,
                                                std::string_view token) const override;
  StoreResult<Resource> resource(std::string_view tenant, std::string_view name) const override;
  StoreResult<Availability> availability(std::string_view tenant,
                                         std::string_view name) const override;
  StoreResult<Page<Resource>> resources(std::string_view tenant,
                                        const ResourceQuery& query) const override;
  StoreResult<Page<RowFound>> rows(std::string_view tenant, const RowQuery& query) const override;
  StoreResult<ListSizes> list_sizes(std::string_view tenant, RowSpace space) const override;
  StoreResult<std::vector<Record>> records(std::uint64_t after, std::size_t limit) const override;
  Counts counts() const override;
  Footprint footprint() const override;
  const Rules& rules() const override { return rules_; }

  // What `apply` needs. The record is in the journal.

  void place(const Record& record);
  void resolve(const Record& record);
  void amend(const Record& record);
  void gather(const Record& record);
  void declare(const Record& record);
  void change_rows(const Record& record);
  void bind_token(const Record& record);
  void spend_nonce(const Record& record);

 private:
  class MemoryUnit;
  class Loader;

  // All of these expect the mutex to be held.

  Instant instant() const { return std::max(clock_->now(), floor_); }
  void append(const Records& records);
  bool forget(std::map<Name, TokenRow>& rows, std::size_t limit) const;
  ResourceEntry& resource_named_by(const Record& record, std::string_view name);
  HoldRow& vacate(const Record& record);
  void occupy(const Record& record, const HoldRow& row, std::int64_t before);
  TokenRow told(const TokenRow& outcome) const;
  const TokenRow* live_token(std::string_view tenant, std::string_view token) const;
  const HoldRow* hold_of_outcome(const TokenRow& outcome) const;
  Spoken spoken_of(const TokenRow& outcome, std::string_view tenant, std::string_view token) const;
  HoldDetails details(const HoldEntry& entry) const;
  Resource view(const Name& name, const ResourceEntry& entry) const;
  void load(Unit& unit, const Request& request, std::vector<WantedList>& lists) const;
  void load_hold(WorkingSet& rows, std::uint64_t ordinal, Instant now) const;
  void load_resource(WorkingSet& rows, const ScopedName& key, Instant now) const;

  const Rules rules_;
  const std::shared_ptr<Clock> clock_;
  mutable std::shared_mutex mutex_;

  // Guarded by the mutex.

  Records journal_;  // record n is at n - 1; a deque, because rows keep views of the names in it
  Instant floor_;    // time never runs back to before this
  std::map<std::uint64_t, HoldEntry> holds_;
  std::map<Name, TokenRow> tokens_;
  std::map<Name, TokenRow> nonces_;
  std::map<Name, ResourceEntry> resources_;
  Held held_;
  ModuleStates rows_{false};
};

class MemoryStore::MemoryUnit final : public Unit {
 public:
  explicit MemoryUnit(MemoryStore& store) : store_(store) {}

  StoreResult<void> commit(const Records& records) override {
    const std::unique_lock lock(store_.mutex_);
    store_.append(records);
    return {};
  }

 private:
  MemoryStore& store_;
};

/// Loads what an operation needs: always all that there is of it.
class MemoryStore::Loader final : public Needs {
 public:
  Loader(const MemoryStore& store, Unit& unit, std::string_view tenant,
         std::vector<WantedList>& lists)
      : store_(store), rows_(unit.rows), tenant_(tenant), now_(unit.now), lists_(lists) {}
  [[nodiscard]] std::string_view tenant() const override { return tenant_; }
  void hold(HoldId id) override { store_.load_hold(rows_, id.ordinal, now_); }
  void group(GroupId id) override {
    hold(id.first);
    const HoldRow* const first = rows_.hold(id.first.ordinal);
    const std::uint64_t size = first == nullptr ? 0 : first->group_size;
    for (std::uint64_t i = 1; i < size; ++i) store_.load_hold(rows_, id.first.ordinal + i, now_);
  }
  void resource(std::string_view name, std::int64_t) override { resource_in_full(name); }
  void resource_in_full(std::string_view name) override {
    store_.load_resource(rows_, {tenant_, name}, now_);
  }
  void row(RowSpace space, std::string_view key) override { row_of(tenant_, space, key); }
  void row_of(std::string_view tenant, RowSpace space, std::string_view key) override {
    const RowName name{space, tenant, key};
    if (const ModuleRow* found = store_.rows_.find(name)) rows_.load_row(name, *found);
  }
  void list(const RowList& list) override { lists_.emplace_back(list); }

 private:
  const MemoryStore& store_;
  WorkingSet& rows_;
  const std::string_view tenant_;
  const Instant now_;
  std::vector<WantedList>& lists_;  // loaded when all are known
};

// The write side.

StoreResult<std::unique_ptr<Unit>> MemoryStore::begin(const Keys& keys) {
  auto unit = std::make_unique<MemoryUnit>(*this);
  const std::unique_lock lock(mutex_);
  unit->now = floor_ = instant();  // what was decided at an instant was not decided before it
  unit->next_seq = journal_.size() + 1;
  unit->next_ordinal = holds_.size() + 1;
  std::vector<WantedList> lists;
  for (const Request* request : keys.requests) load(*unit, *request, lists);
  load_lists(std::move(lists), rows_, unit->now, unit->rows);
  for (const auto& [expires_at, ordinal] : held_) {
    if (expires_at > unit->now || unit->due.size() == keys.due_max) break;
    unit->due.push_back(ordinal);
    load_hold(unit->rows, ordinal, unit->now);
  }
  for (const OwnedRowName& each : keys.rows) {
    if (const ModuleRow* found = rows_.find(each)) unit->rows.load_row(each, *found);
  }
  for (const DueRow& each : rows_.due(unit->now, keys.due_max))
    unit->due_rows.push_back(unit->rows.load_row(each.name, *rows_.find(each.name)));
  return unit;
}

void MemoryStore::load(Unit& unit, const Request& request, std::vector<WantedList>& lists) const {
  WorkingSet& rows = unit.rows;
  const auto token = tokens_.find(Name(request.tenant(), request.token()));
  if (token != tokens_.end()) {
    const TokenRow& outcome = token->second;
    const bool told = may_be_told_by_record(outcome, hold_of_outcome(outcome));
    rows.load_token(request.key, told ? outcome_of(journal_.at(outcome.seq - 1)) : outcome);
    load_hold(rows, token->second.hold_ordinal, unit.now);
  }
  const auto nonce = nonces_.find(Name(request.tenant(), request.call.nonce));
  if (nonce != nonces_.end()) rows.load_nonce(request.nonce_key, nonce->second);
  const OperationSpec* spec = find_spec(request.command().operation());
  if (spec == nullptr) return;
  Loader loader(*this, unit, request.tenant(), lists);
  spec->needs(request.command().parameters(), loader);
}

void MemoryStore::load_hold(WorkingSet& rows, std::uint64_t ordinal, Instant now) const {
  const auto found = holds_.find(ordinal);
  if (found == holds_.end() || rows.has_hold(ordinal)) return;
  const HoldRow& row = found->second.row;
  rows.load_hold(row);
  load_resource(rows, {row.tenant, row.resource}, now);
}

void MemoryStore::load_resource(WorkingSet& rows, const ScopedName& key, Instant now) const {
  const auto found = resources_.find(Name(key.tenant, key.name));
  if (found == resources_.end() || rows.has_resource(key)) return;
  const ResourceEntry& entry = found->second;
  ResourceRow& row = rows.load_resource(
      key, {.capacity = entry.capacity, .occupied = entry.occupied, .lapsed = {}});
  for (const auto& [expires_at, ordinal] : entry.held) {
    if (expires_at > now) break;
    row.lapsed.push_back(ordinal);
    rows.load_hold(holds_.at(ordinal).row);
  }
}

void MemoryStore::append(const Records& records) {
  for (const Record& record : records) {
    HOLDFAST_ASSERT(record.seq == journal_.size() + 1);
    journal_.push_back(record);
    floor_ = std::max(floor_, record.at);
    apply(*this, journal_.back());
    journal_.back().said = {};  // rows have it, as long as they are what it says
  }
}

ResourceEntry& MemoryStore::resource_named_by(const Record& record, std::string_view name) {
  ResourceEntry& entry = resources_[Name(record.tenant, name)];
  if (entry.first_seq == 0) entry.first_seq = record.seq;
  return entry;
}

void MemoryStore::place(const Record& record) {
  const std::uint64_t ordinal = record.hold.ordinal;
  HOLDFAST_ASSERT(ordinal == holds_.size() + 1);
  HoldEntry& entry = holds_.emplace(ordinal, HoldEntry{hold_row_of(record), &record}).first->second;
  resource_named_by(record, record.resource);
  occupy(record, entry.row, 0);
}

void MemoryStore::resolve(const Record& record) {
  HoldRow& row = vacate(record);
  const std::int64_t before = row.occupied();
  holdfast::resolve(row, record);
  occupy(record, row, before);
}

void MemoryStore::amend(const Record& record) {
  HoldRow& row = vacate(record);
  const std::int64_t before = row.occupied();
  holdfast::amend(row, record);
  occupy(record, row, before);
}

/// Takes a hold that is about to change out of the lists of held ones.
HoldRow& MemoryStore::vacate(const Record& record) {
  HoldRow& row = holds_.at(record.hold.ordinal).row;
  resource_named_by(record, row.resource).held.erase({row.expires_at, row.id.ordinal});
  held_.erase({row.expires_at, row.id.ordinal});
  return row;
}

/// Counts what a hold occupies now, and lists it among the held ones if it is one.
void MemoryStore::occupy(const Record& record, const HoldRow& row, std::int64_t before) {
  ResourceEntry& resource = resource_named_by(record, row.resource);
  resource.occupied += row.occupied() - before;
  if (row.state != HoldState::held) return;
  resource.held.emplace(row.expires_at, row.id.ordinal);
  held_.emplace(row.expires_at, row.id.ordinal);
}

void MemoryStore::gather(const Record& record) {
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(record.count); ++i)
    holdfast::gather(holds_.at(record.hold.ordinal + i).row, record);
}

void MemoryStore::change_rows(const Record& record) {
  HOLDFAST_ASSERT(holdfast::change_rows(record, rows_).empty());
}

void MemoryStore::declare(const Record& record) {
  ResourceEntry& resource = resource_named_by(record, record.resource);
  resource.capacity = record.capacity;
  resource.declared = true;
}

void MemoryStore::bind_token(const Record& record) {
  tokens_.insert_or_assign(Name(record.tenant, record.token), token_row_of(record));
}

void MemoryStore::spend_nonce(const Record& record) {
  nonces_.insert_or_assign(Name(record.tenant, record.nonce), token_row_of(record));
}

bool MemoryStore::forget_expired(std::size_t limit) {
  const std::unique_lock lock(mutex_);
  // What is forgotten at an instant stays forgotten: were the clock to step back behind it, a
  // token could be used twice within its window.
  floor_ = instant();
  const bool more_tokens = forget(tokens_, limit);
  return forget(nonces_, limit) || more_tokens;
}

bool MemoryStore::forget(std::map<Name, TokenRow>& rows, std::size_t limit) const {
  std::size_t forgotten = 0;
  for (auto each = rows.begin(); each != rows.end();) {
    if (remembers(rules_, each->second, floor_)) {
      ++each;
    } else if (forgotten++ == limit) {
      return true;
    } else {
      each = rows.erase(each);
    }
  }
  return false;
}

// The read side.

const TokenRow* MemoryStore::live_token(std::string_view tenant, std::string_view token) const {
  const auto found = tokens_.find(Name(tenant, token));
  if (found == tokens_.end()) return nullptr;
  const TokenRow& row = found->second;
  return remembers(rules_, row, instant()) ? &row : nullptr;
}

const HoldRow* MemoryStore::hold_of_outcome(const TokenRow& outcome) const {
  const auto found = holds_.find(outcome.hold_ordinal);
  return found == holds_.end() ? nullptr : &found->second.row;
}

Spoken MemoryStore::spoken_of(const TokenRow& outcome, std::string_view tenant,
                              std::string_view token) const {
  Spoken spoken{.hold = hold_of_outcome(outcome)};
  if (const auto name = row_spoken_of(outcome.operation, tenant, token))
    spoken.row = rows_.find(*name);
  return spoken;
}

/// An outcome with the detail of its record.
TokenRow MemoryStore::told(const TokenRow& outcome) const {
  return told_by_record(outcome, hold_of_outcome(outcome))
             ? outcome_of(journal_.at(outcome.seq - 1))
             : outcome;
}

std::optional<Answer> MemoryStore::replay(const Request& request, std::uint64_t* seq) const {
  const SharedLock lock(mutex_);
  const TokenRow* row = live_token(request.tenant(), request.token());
  if (row == nullptr || row->fingerprint != request.fingerprint) return std::nullopt;
  if (seq != nullptr) *seq = row->seq;
  return answer_of(request, Decision{Claim::recorded, told(*row), true},
                   spoken_of(*row, request.tenant(), request.token()), rules_);
}

StoreResult<std::optional<TokenResult>> MemoryStore::token(std::string_view tenant,
                                                           std::string_view token) const {
  const SharedLock lock(mutex_);
  const TokenRow* row = live_token(tenant, token);
  if (row == nullptr) return std::nullopt;
  return result_of(journal_.at(row->seq - 1), spoken_of(*row, tenant, token), rules_);
}

HoldDetails MemoryStore::details(const HoldEntry& entry) const {
  return {hold_of(entry.row), entry.placed->token, entry.row.lapsed(instant())};
}

StoreResult<std::optional<HoldDetails>> MemoryStore::hold(std::string_view tenant,
                                                          HoldId id) const {
  const SharedLock lock(mutex_);
  const auto found = holds_.find(id.ordinal);
  if (found == holds_.end()) return std::nullopt;
  const HoldRow& row = found->second.row;
  if (row.id != id || row.tenant != tenant) return std::nullopt;
  return details(found->second);
}

StoreResult<Page<HoldDetails>> MemoryStore::holds(std::string_view tenant,
                                                  const HoldQuery& query) const {
  const SharedLock lock(mutex_);
  auto from = holds_.end();
  const auto position = position_of(List::holds, query.cursor);
  if (!position) return tl::unexpected(position.error());
  if (*position) from = holds_.lower_bound(**position);
  const std::size_t limit = page_items(query.limit);
  Page<HoldDetails> page;
  while (from != holds_.begin()) {
    const HoldEntry& entry = (--from)->second;
    const HoldRow& row = entry.row;
    if (row.tenant != tenant || (query.resource && *query.resource != row.resource) ||
        (query.resource_prefix && !row.resource.starts_with(*query.resource_prefix)) ||
        (query.group && query.group->first != row.group) ||
        (query.requester && *query.requester != row.requester) ||
        (query.state && *query.state != row.state) ||
        (query.placed_after && row.placed_at <= *query.placed_after)) {
      continue;
    }
    if (page.items.size() == limit) {
      page.next = cursor_at(List::holds, page.items.back().hold.id.ordinal);
      break;
    }
    page.items.push_back(details(entry));
  }
  return page;
}

Resource MemoryStore::view(const Name& name, const ResourceEntry& entry) const {
  Resource resource{name.second, entry.capacity, entry.occupied, entry.declared};
  const Instant now = instant();
  for (const auto& [expires_at, ordinal] : entry.held) {
    if (expires_at <= now) resource.in_use -= holds_.at(ordinal).row.held();
  }
  return resource;
}

StoreResult<Resource> MemoryStore::resource(std::string_view tenant, std::string_view name) const {
  const SharedLock lock(mutex_);
  const auto found = resources_.find(Name(tenant, name));
  return view(Name(tenant, name), found == resources_.end() ? ResourceEntry{} : found->second);
}

StoreResult<Availability> MemoryStore::availability(std::string_view tenant,
                                                    std::string_view name) const {
  const SharedLock lock(mutex_);
  Availability found{.resource = std::string(name)};
  const auto resource = resources_.find(Name(tenant, name));
  if (resource == resources_.end()) return found;
  const ResourceEntry& entry = resource->second;
  found.capacity = entry.capacity;
  found.confirmed = entry.occupied;
  const Instant now = instant();
  for (const auto& [expires_at, ordinal] : entry.held) {
    const std::int64_t held = holds_.at(ordinal).row.held();
    found.confirmed -= held;
    if (expires_at <= now) continue;
    found.held += held;
    if (!found.next_expiry) found.next_expiry = expires_at;
  }
  return found;
}

StoreResult<Page<Resource>> MemoryStore::resources(std::string_view tenant,
                                                   const ResourceQuery& query) const {
  const SharedLock lock(mutex_);
  std::map<std::uint64_t, const std::pair<const Name, ResourceEntry>*> by_age;
  for (const auto& each : resources_) {
    if (query.prefix && !each.first.second.starts_with(*query.prefix)) continue;
    if (each.first.first == tenant) by_age.emplace(each.second.first_seq, &each);
  }
  auto from = by_age.end();
  const auto position = position_of(List::resources, query.cursor);
  if (!position) return tl::unexpected(position.error());
  if (*position) from = by_age.lower_bound(**position);
  const std::size_t limit = page_items(query.limit);
  Page<Resource> page;
  while (from != by_age.begin() && page.items.size() < limit) {
    --from;
    page.items.push_back(view(from->second->first, from->second->second));
  }
  if (from != by_age.begin()) page.next = cursor_at(List::resources, from->first);
  return page;
}

StoreResult<Page<RowFound>> MemoryStore::rows(std::string_view tenant,
                                              const RowQuery& query) const {
  const SharedLock lock(mutex_);
  return read_rows(rows_, tenant, query);
}

StoreResult<ListSizes> MemoryStore::list_sizes(std::string_view tenant, RowSpace space) const {
  const SharedLock lock(mutex_);
  return rows_.list_sizes(tenant, space);
}

StoreResult<std::vector<Record>> MemoryStore::records(std::uint64_t after,
                                                      std::size_t limit) const {
  const SharedLock lock(mutex_);
  std::vector<Record> found;
  for (std::uint64_t i = after; i < journal_.size() && found.size() < limit; ++i) {
    found.push_back(journal_[i]);
  }
  return found;
}

Counts MemoryStore::counts() const {
  const SharedLock lock(mutex_);
  Counts counts{.records = journal_.size(),
                .holds = holds_.size(),
                .live_holds = held_.size(),
                .live_tokens = tokens_.size(),
                .resources = resources_.size()};
  for (const auto& [ordinal, entry] : holds_) {
    if (entry.row.state == HoldState::confirmed) ++counts.confirmed_holds;
    if (entry.row.state == HoldState::released) ++counts.released_holds;
    if (entry.row.state == HoldState::expired) ++counts.expired_holds;
  }
  counts.next_expiry = rows_.next_due();
  if (!held_.empty())
    counts.next_expiry = std::min(counts.next_expiry.value_or(never), held_.begin()->first);
  return counts;
}

/// Of what the tables hold themselves; a reference is not built to be small.
Footprint MemoryStore::footprint() const {
  const SharedLock lock(mutex_);
  Footprint bytes{.token_bytes = tokens_.size() * sizeof(decltype(tokens_)::value_type),
                  .hold_bytes = holds_.size() * sizeof(decltype(holds_)::value_type),
                  .live_hold_bytes = 2 * held_.size() * sizeof(Held::value_type),
                  .resource_bytes = resources_.size() * sizeof(decltype(resources_)::value_type),
                  .name_bytes = 0,
                  .module_bytes = rows_.bytes()};
  for (const auto& [name, row] : tokens_)
    bytes.name_bytes += name.first.size() + name.second.size();
  for (const auto& [name, entry] : resources_) {
    bytes.name_bytes += name.first.size() + name.second.size();
  }
  return bytes;
}

}  // namespace

std::unique_ptr<Store> open_memory_store(const Rules& rules, std::shared_ptr<Clock> clock) {
  return std::make_unique<MemoryStore>(rules, std::move(clock));
}

}  // namespace holdfast
