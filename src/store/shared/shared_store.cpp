#include "store/shared/shared_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/assert.hpp"
#include "domain/answer.hpp"
#include "domain/confirmation.hpp"
#include "domain/operation.hpp"
#include "store/cursor.hpp"
#include "store/kept_rules.hpp"
#include "store/shared/changes.hpp"
#include "store/shared/objections.hpp"
#include "store/shared/outcome_cache.hpp"
#include "store/shared/pages.hpp"
#include "store/shared/patient_question.hpp"
#include "store/shared/pool.hpp"
#include "store/shared/row_changes.hpp"

namespace holdfast::shared {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::size_t readers_max = 8;
constexpr milliseconds reader_patience{2'000};
/// How long a batch waits for a database that is not there before its calls are told so.
constexpr milliseconds writer_patience{3'000};
/// How long a batch is decided again and again because others were at its rows.
constexpr milliseconds conflict_patience{20'000};
/// How long after a batch that failed a node calls itself not ready, whatever the database says of
/// itself. Then it is given another try.
constexpr std::chrono::seconds distrust{10};
/// How long whoever asks whether changes can be made waits for the database before they are told
/// no.
constexpr milliseconds probe_patience{1'000};
constexpr std::size_t outcomes_max = 200'000;
/// A node's idea of the database's time lags behind it by a round trip; an outcome this close to
/// the end of its window is left to the database.
constexpr Duration window_margin = std::chrono::seconds(2);

class SharedStore final : public Store {
 public:
  SharedStore(std::unique_ptr<Driver> driver, const StoreOptions& options)
      : driver_(std::move(driver)),
        clock_(options.clock == system_clock() ? nullptr : options.clock),
        read_only_(options.read_only),
        receives_copy_(options.receives_copy),
        rules_(options.rules),
        readers_(*driver_, readers_max, reader_patience),
        outcomes_(outcomes_max) {}

  StoreResult<void> prepare(const StoreOptions& options);

  StoreResult<std::unique_ptr<Unit>> begin(const Keys& keys) override;
  StoreResult<void> sync(std::uint64_t) override { return {}; }  // a commit is durable already
  bool forget_expired(std::size_t limit) override;
  StoreResult<void> ready() const override;
  Instant now() const override;
  std::size_t batch_wanted() const override { return driver_->batch_max(); }
  std::size_t batch_max() const override { return driver_->batch_max(); }
  std::optional<Answer> replay(const Request& request, std::uint64_t* seq) const override;
  bool knows_every_outcome() const override { return false; }
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
  StoreResult<Page<RowFound>> rows(std::string_view tenant, const RowQuery& query) const override {
    return read_rows(readers_, *driver_, tenant, query);
  }
  StoreResult<ListSizes> list_sizes(std::string_view tenant, RowSpace space) const override {
    return read_list_sizes(readers_, *driver_, tenant, space);
  }
  StoreResult<std::vector<Record>> records(std::uint64_t after, std::size_t limit) const override;
  Counts counts() const override;
  /// Outcomes; nothing else is here.
  Footprint footprint() const override { return {.token_bytes = outcomes_.bytes()}; }
  std::string caution() const override { return caution_; }
  const Rules& rules() const override { return rules_; }

 private:
  class SharedUnit;

  /// A record by its number and what its checksum is.
  struct Place {
    std::uint64_t seq = 0;
    std::uint64_t chain = 0;
  };

  Time time() const;
  void saw(Instant now) const;
  Expected<Loaded> load(const Wanted& wanted);
  Expected<void> connect();
  Expected<void> check_store(Session& session) const;
  [[nodiscard]] bool continues(const Head& head) const;
  void lose_history();
  StoreResult<void> commit(SharedUnit& unit, const Records& records);
  StoreResult<void> commit_nothing(SharedUnit& unit);
  StoreError not_committed(const Fault& fault);
  void abandon();
  void stop_retrying();
  [[nodiscard]] StoreResult<void> ask_whether_ready() const;
  void give_up(const StoreError& error);
  void remember(const SharedUnit& unit, const Records& records);
  void remember(const SharedUnit& unit, const Record& outcome);
  StoreError failed(const Fault& fault) const { return to_error(*driver_, fault); }
  Expected<void> check_window(std::uint64_t change_seq) const;

  // Constant once open.
  const std::unique_ptr<Driver> driver_;
  const std::shared_ptr<Clock> clock_;  ///< null: the database's
  const bool read_only_;
  const bool receives_copy_;
  Rules rules_;
  std::string caution_;

  // The writer's thread only.
  std::unique_ptr<Session> writer_;
  Place last_seen_;            ///< the last record that is known to have been here
  bool history_lost_ = false;  ///< since the last unit
  std::optional<Steady::time_point> failing_since_;  ///< this batch's commits, one after the other
  BackOff retry_pause_{milliseconds(2), milliseconds(200)};

  // Used by any thread; with locks of their own.
  mutable Pool readers_;
  mutable OutcomeCache outcomes_;
  mutable std::atomic<bool> outdated_{false};  ///< its window is not the store's any more
  mutable std::atomic<std::int64_t> latest_us_{INT64_MIN};  ///< seen of the store's time
  mutable std::atomic<std::int64_t> offset_us_{0};          ///< the database's clock from ours
  mutable std::mutex counts_mutex_;
  mutable Counts counts_;                        // guarded by counts_mutex_: as last seen
  std::optional<Steady::time_point> failed_at_;  // guarded by counts_mutex_: the last batch
  std::string failure_;                          // guarded by counts_mutex_
  mutable PatientQuestion whether_ready_{[this] { return ask_whether_ready(); }};
};

class SharedStore::SharedUnit final : public Unit {
 public:
  explicit SharedUnit(SharedStore& store) : store_(store) {}
  /// Still open: there was nothing to commit.
  ~SharedUnit() override {
    if (!open) return;
    store_.abandon();
    store_.stop_retrying();
  }
  SharedUnit(const SharedUnit&) = delete;
  SharedUnit& operator=(const SharedUnit&) = delete;
  StoreResult<void> commit(const Records& records) override {
    return store_.commit(*this, records);
  }
  StoreResult<void> commit_nothing() override { return store_.commit_nothing(*this); }

  Wanted wanted;
  Loaded loaded;
  bool open = false;  ///< its transaction

 private:
  SharedStore& store_;
};

StoreResult<void> SharedStore::prepare(const StoreOptions& options) {
  const std::size_t longest = driver_->token_bytes_max();
  if (rules_.token_bytes_max > longest) {
    return tl::unexpected(StoreError{
        .message = fmt::format("{}: tokens of {} bytes were asked for; this store takes up to {}",
                               driver_->name(), rules_.token_bytes_max, longest)});
  }
  auto session = driver_->connect();
  if (!session) return tl::unexpected(failed(session.error()));
  auto found = (*session)->describe();
  if (!found) return tl::unexpected(failed(found.error()));
  if (found->schema_version == 0 && !read_only_) {
    rules_.window = options.window.value_or(options.rules.window);
    if (rules_.confirmation_secret == HashKey{})  // nobody brought one, as when it is copied
      rules_.confirmation_secret = fresh_secret(*system_random());
    if (auto made = (*session)->make(rules_); !made) return tl::unexpected(failed(made.error()));
    found = (*session)->describe();
    if (!found) return tl::unexpected(failed(found.error()));
  }
  if (options.receives_copy) found->half_copied = false;
  if (auto right = check_version(*driver_, *found); !right) return right;
  if (auto sound = check_kept(driver_->name(), found->kept); !sound) return sound;
  if (auto all = check_operations(driver_->name(), found->kept); !all) return all;
  if (read_only_) {
    adopt(found->kept, rules_);
  } else {
    StoreOptions named = options;
    named.store = driver_->name();
    if (auto agreed = reconcile(named, found->kept, rules_); !agreed) return agreed;
  }
  const auto head = (*session)->head(time());
  if (!head) return tl::unexpected(failed(head.error()));
  saw(head->now);
  last_seen_ = {head->seq, head->chain};
  caution_ = found->caution;
  writer_ = std::move(*session);
  return {};
}

// Time.

Time SharedStore::time() const {
  Time time{.floor = Instant(Duration(latest_us_.load()))};
  if (clock_ != nullptr) time.clock = clock_->now();
  return time;
}

std::int64_t steady_us() {
  return std::chrono::duration_cast<Duration>(Steady::now().time_since_epoch()).count();
}

void SharedStore::saw(Instant now) const {
  const std::int64_t now_us = now.time_since_epoch().count();
  offset_us_ = now_us - steady_us();
  std::int64_t latest = latest_us_;
  while (latest < now_us && !latest_us_.compare_exchange_weak(latest, now_us)) {
  }
}

Instant SharedStore::now() const {
  const Instant latest{Duration(latest_us_.load())};
  if (clock_ != nullptr) return std::max(clock_->now(), latest);
  return std::max(Instant(Duration(steady_us() + offset_us_)), latest);
}

// The write side.

Expected<Loaded> SharedStore::load(const Wanted& wanted) {
  if (writer_ == nullptr || writer_->broken()) {
    if (auto connected = connect(); !connected) return tl::unexpected(connected.error());
  }
  auto loaded = writer_->load(wanted);
  if (!loaded) {
    abandon();
    return loaded;
  }
  if (!continues(loaded->head)) {
    lose_history();
    writer_.reset();
    return tl::unexpected(Fault{Trouble::lost, "records that were seen here are gone"});
  }
  last_seen_ = {loaded->head.seq, loaded->head.chain};
  if (auto broken = broken_row(*loaded)) {
    abandon();
    return tl::unexpected(std::move(*broken));
  }
  if (loaded->half_copied && !receives_copy_) {
    abandon();
    return tl::unexpected(Fault{Trouble::refused, std::string(half_copy)});
  }
  if (auto same = check_window(loaded->window_seq); !same) {
    abandon();
    return tl::unexpected(std::move(same.error()));
  }
  return loaded;
}

/// Whoever changes the window looks for nodes, and may not have seen this one. It must not decide
/// by the old window, nor repeat what it remembers.
Expected<void> SharedStore::check_window(std::uint64_t change_seq) const {
  if (change_seq != rules_.history.seq) outdated_ = true;
  if (!outdated_) return {};
  return tl::unexpected(Fault{Trouble::refused, std::string(other_window)});
}

/// Another connection may lead to another server: a standby that took over, perhaps without the
/// last records, or one that was restored from a backup.
Expected<void> SharedStore::connect() {
  writer_.reset();
  auto session = driver_->connect();
  if (!session) return tl::unexpected(session.error());
  if (last_seen_.seq > 0) {
    const auto found = (*session)->records(last_seen_.seq - 1, 1);
    if (!found) return tl::unexpected(found.error());
    const bool same = !found->empty() && found->front().record.seq == last_seen_.seq &&
                      found->front().checksum == last_seen_.chain;
    if (!same) lose_history();
  }
  if (history_lost_) {
    if (auto right = check_store(**session); !right) return right;
  }
  writer_ = std::move(*session);
  return {};
}

/// Where records are gone, it may be another store altogether, or half of one that is being copied.
Expected<void> SharedStore::check_store(Session& session) const {
  const auto found = session.describe();
  if (!found) return tl::unexpected(found.error());
  if (std::string objection = objection_to(*found); !objection.empty())
    return tl::unexpected(Fault{Trouble::refused, std::move(objection)});
  if (keeps(found->kept, rules_)) return {};
  return tl::unexpected(Fault{
      Trouble::refused, "this is not the store that this node was started on; start it again"});
}

/// Records are only ever added. A journal that ends before what was seen of it, or otherwise, is
/// not the one that outcomes were remembered from.
bool SharedStore::continues(const Head& head) const {
  if (head.seq == last_seen_.seq) return head.chain == last_seen_.chain;
  return head.seq > last_seen_.seq;
}

void SharedStore::lose_history() {
  outcomes_.clear();
  last_seen_ = {};
  history_lost_ = true;
}

StoreResult<std::unique_ptr<Unit>> SharedStore::begin(const Keys& keys) {
  if (read_only_) {
    return tl::unexpected(StoreError{Effect::none, driver_->name() + ": opened for reading only"});
  }
  auto unit = std::make_unique<SharedUnit>(*this);
  unit->wanted = wanted_by(keys);
  const auto deadline = Steady::now() + writer_patience;
  BackOff pause(milliseconds(5), milliseconds(500));
  while (true) {
    unit->wanted.time = time();
    auto loaded = load(unit->wanted);
    if (loaded) {
      unit->loaded = std::move(*loaded);
      break;
    }
    if (loaded.error().trouble == Trouble::refused || !pause.sleep(deadline)) {
      StoreError error = failed(loaded.error());
      give_up(error);
      return tl::unexpected(std::move(error));
    }
  }
  unit->open = true;
  const Head& head = unit->loaded.head;
  saw(head.now);
  for (OutcomeFound& each : unit->loaded.tokens) derive(each.record);
  for (OutcomeFound& each : unit->loaded.nonces) derive(each.record);
  fill(unit->rows, unit->wanted, unit->loaded);
  unit->due_rows = load_due(unit->loaded, keys.due_max, unit->rows);
  unit->now = head.now;
  unit->next_seq = head.seq + 1;
  unit->next_ordinal = head.counts.holds + 1;
  unit->due = unit->loaded.due;
  unit->history_lost = std::exchange(history_lost_, false);
  return unit;
}

StoreResult<void> SharedStore::commit(SharedUnit& unit, const Records& records) {
  HOLDFAST_ASSERT(records.front().seq == unit.next_seq);
  const Changes changes = changes_of(records, unit.wanted, unit.loaded, rules_);
  const auto written = writer_->write(changes);
  unit.open = false;
  if (written) {
    stop_retrying();
    last_seen_ = {changes.head.seq, changes.head.chain};
    remember(unit, records);
    const std::lock_guard lock(counts_mutex_);
    counts_ = changes.head.counts;
    failed_at_.reset();
    return {};
  }
  return tl::unexpected(not_committed(written.error()));
}

StoreResult<void> SharedStore::commit_nothing(SharedUnit& unit) {
  const auto committed = writer_->commit_nothing();
  unit.open = false;
  if (!committed) return tl::unexpected(not_committed(committed.error()));
  stop_retrying();
  remember(unit, Records());
  return {};
}

/// Says whether to try again, after a pause, or gives up.
StoreError SharedStore::not_committed(const Fault& fault) {
  abandon();
  StoreError error = failed(fault);
  const Trouble trouble = fault.trouble;
  if (!failing_since_) failing_since_ = Steady::now();
  const milliseconds patience = trouble == Trouble::again ? conflict_patience : writer_patience;
  error.again = trouble != Trouble::refused && retry_pause_.sleep(*failing_since_ + patience);
  if (!error.again) give_up(error);
  return error;
}

/// The batch at hand is done, or given up.
void SharedStore::stop_retrying() {
  failing_since_.reset();
  retry_pause_.reset();
}

void SharedStore::give_up(const StoreError& error) {
  stop_retrying();
  const std::lock_guard lock(counts_mutex_);
  failed_at_ = Steady::now();
  failure_ = error.message;
}

void SharedStore::abandon() {
  if (writer_ == nullptr) return;
  writer_->abandon();
  if (writer_->broken()) writer_.reset();
}

/// What was just recorded, and what was asked for again, is likely to be asked for once more.
void SharedStore::remember(const SharedUnit& unit, const Records& records) {
  for (const OutcomeFound& each : unit.loaded.tokens) remember(unit, each.record);
  for (const Record& each : records) {
    if (binds_token(each)) remember(unit, each);
  }
}

void SharedStore::remember(const SharedUnit& unit, const Record& outcome) {
  const OperationSpec* const spec = find_spec(outcome.operation);
  if (spec != nullptr && spec->later != nullptr) return;  // another node may settle it meanwhile
  OutcomeCache::Entry entry{outcome_of(outcome), nullptr};
  if (const HoldRow* row = unit.rows.hold(entry.token.hold_ordinal))
    entry.hold = std::make_shared<HoldFound>(HoldFound::of(*row));
  outcomes_.put(outcome.key, std::move(entry));
}

bool SharedStore::forget_expired(std::size_t limit) {
  if (read_only_ || writer_ == nullptr || writer_->broken()) return false;
  const auto forgotten = writer_->forget(time(), limit);
  if (!forgotten) {
    abandon();
    return false;
  }
  if (*forgotten == 0) return false;
  // What is forgotten stays forgotten: time does not run back behind it here either.
  if (const auto head = writer_->head(time())) saw(head->now);
  return *forgotten >= limit;
}

StoreResult<void> SharedStore::ask_whether_ready() const {
  const auto found = ask(readers_, [](Session& session) -> Expected<Description> {
    if (auto ready = session.ready(); !ready) return tl::unexpected(ready.error());
    return session.describe();
  });
  if (!found) return tl::unexpected(failed(found.error()));
  if (auto right = check_version(*driver_, *found); !right) return right;
  const auto same = check_window(found->kept.history.seq);
  return same ? StoreResult<void>() : tl::unexpected(failed(same.error()));
}

StoreResult<void> SharedStore::ready() const {
  if (read_only_) {
    return tl::unexpected(StoreError{Effect::none, driver_->name() + ": opened only to look"});
  }
  const auto found = whether_ready_.ask(probe_patience);
  if (!found) {
    return tl::unexpected(
        StoreError{Effect::none, driver_->name() + ": the database does not answer"});
  }
  if (!*found) return *found;
  const std::lock_guard lock(counts_mutex_);
  if (failed_at_ && Steady::now() - *failed_at_ < distrust)
    return tl::unexpected(StoreError{Effect::none, failure_});
  return {};
}

// The read side.

std::optional<Answer> SharedStore::replay(const Request& request, std::uint64_t* seq) const {
  if (outdated_) return std::nullopt;
  const auto entry = outcomes_.find(request.key);
  if (!entry) return std::nullopt;
  const Instant at = now();
  if (claim(&entry->token, request, rules_, at) != Claim::recorded) return std::nullopt;
  const Instant end =
      rules_.forgotten_at(entry->token.operation, entry->token.recorded_at, entry->token.ends);
  if (clock_ == nullptr && end - window_margin <= at) return std::nullopt;
  if (seq != nullptr) *seq = entry->token.seq;
  std::optional<HoldRow> hold;
  if (entry->hold != nullptr) hold = entry->hold->row();
  return answer_of(request, Decision{Claim::recorded, entry->token, true},
                   {.hold = hold ? &*hold : nullptr}, rules_);
}

StoreResult<std::optional<HoldDetails>> SharedStore::hold(std::string_view tenant,
                                                          HoldId id) const {
  if (id.ordinal == 0 || id.ordinal > INT64_MAX) return std::nullopt;
  const HoldFilter filter{.tenant = tenant, .ordinal = id.ordinal};
  const auto found = ask(readers_, [&](Session& session) { return session.holds(time(), filter); });
  if (!found) return tl::unexpected(failed(found.error()));
  if (found->holds.empty() || found->holds.front().id != id) return std::nullopt;
  return details_of(found->holds.front(), found->now);
}

StoreResult<Page<HoldDetails>> SharedStore::holds(std::string_view tenant,
                                                  const HoldQuery& query) const {
  const auto before = position_of(List::holds, query.cursor);
  if (!before) return tl::unexpected(before.error());
  const HoldFilter filter{.tenant = tenant,
                          .resource = query.resource,
                          .requester = query.requester,
                          .state = query.state,
                          .placed_after = query.placed_after,
                          .prefix = query.resource_prefix,
                          .group = query.group,
                          .before = before->value_or(INT64_MAX),
                          .limit = page_items(query.limit) + 1};
  const auto found = ask(readers_, [&](Session& session) { return session.holds(time(), filter); });
  if (!found) return tl::unexpected(failed(found.error()));
  return page_of(*found, filter.limit - 1);
}

StoreResult<std::optional<TokenResult>> SharedStore::token(std::string_view tenant,
                                                           std::string_view token) const {
  if (auto same = check_window(rules_.history.seq); !same)
    return tl::unexpected(failed(same.error()));
  if (token.size() > driver_->token_bytes_max()) return std::nullopt;
  const auto found =
      ask(readers_, [&](Session& session) { return session.outcome(time(), tenant, token); });
  if (!found) return tl::unexpected(failed(found.error()));
  if (!found->record) return std::nullopt;
  const Record& record = *found->record;
  if (!rules_.remembers(record.operation, record.at, found->now, own_end_of(record)))
    return std::nullopt;
  std::optional<HoldRow> hold;
  if (found->hold) hold = found->hold->row();
  Spoken spoken{.hold = hold ? &*hold : nullptr};
  std::vector<KeptRow> rows;
  if (const auto name = row_spoken_of(record.operation, tenant, token)) {
    const RowFilter filter{.space = name->space, .tenant = tenant, .key = name->key};
    auto kept = ask(readers_, [&](Session& session) { return session.rows(filter); });
    if (!kept) return tl::unexpected(failed(kept.error()));
    rows = std::move(*kept);
    if (!rows.empty() && rows.front().row.value != nullptr) spoken.row = &rows.front().row;
  }
  return result_of(record, spoken, rules_);
}

StoreResult<Resource> SharedStore::resource(std::string_view tenant, std::string_view name) const {
  Resource nothing_known{.name = std::string(name)};
  if (name.size() > name_bytes_max) return nothing_known;
  const ResourceFilter filter{.tenant = tenant, .name = std::string(name)};
  auto found = ask(readers_, [&](Session& session) { return session.resources(time(), filter); });
  if (!found) return tl::unexpected(failed(found.error()));
  return std::move(found->empty() ? nothing_known : found->front().resource);
}

StoreResult<Availability> SharedStore::availability(std::string_view tenant,
                                                    std::string_view name) const {
  Availability nothing_known{.resource = std::string(name)};
  if (name.size() > name_bytes_max) return nothing_known;
  auto found =
      ask(readers_, [&](Session& session) { return session.availability(time(), tenant, name); });
  if (!found) return tl::unexpected(failed(found.error()));
  return found->value_or(std::move(nothing_known));
}

StoreResult<Page<Resource>> SharedStore::resources(std::string_view tenant,
                                                   const ResourceQuery& query) const {
  const auto before = position_of(List::resources, query.cursor);
  if (!before) return tl::unexpected(before.error());
  const ResourceFilter filter{.tenant = tenant,
                              .prefix = query.prefix,
                              .before = before->value_or(INT64_MAX),
                              .limit = page_items(query.limit) + 1};
  auto found = ask(readers_, [&](Session& session) { return session.resources(time(), filter); });
  if (!found) return tl::unexpected(failed(found.error()));
  return page_of(std::move(*found), filter.limit - 1);
}

StoreResult<std::vector<Record>> SharedStore::records(std::uint64_t after,
                                                      std::size_t limit) const {
  const Links links(after);
  const std::size_t rows = after == 0 ? limit : std::max(limit, limit + 1);
  auto found =
      ask(readers_, [&](Session& session) { return session.records(links.begin(), rows); });
  if (!found) return tl::unexpected(failed(found.error()));
  return linked(*driver_, links, std::move(*found));
}

/// As last seen, if the database cannot be asked.
Counts SharedStore::counts() const {
  const auto head = ask(readers_, [&](Session& session) { return session.head(time()); });
  const std::lock_guard lock(counts_mutex_);
  if (head) counts_ = head->counts;
  return counts_;
}

}  // namespace

StoreResult<std::unique_ptr<Store>> open_shared_store(std::unique_ptr<Driver> driver,
                                                      const StoreOptions& options) {
  auto store = std::make_unique<SharedStore>(std::move(driver), options);
  if (auto ready = store->prepare(options); !ready) return tl::unexpected(ready.error());
  return store;
}

}  // namespace holdfast::shared
