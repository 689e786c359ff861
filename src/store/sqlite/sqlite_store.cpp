#include "store/sqlite/sqlite_store.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "base/assert.hpp"
#include "domain/answer.hpp"
#include "domain/apply.hpp"
#include "store/sqlite/file/checkpointer.hpp"
#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/file/log_check.hpp"
#include "store/sqlite/file/open_file.hpp"
#include "store/sqlite/file/opening.hpp"
#include "store/sqlite/file/owner_lock.hpp"
#include "store/sqlite/file/write_health.hpp"
#include "store/sqlite/journal/journal.hpp"
#include "store/sqlite/journal/shared_reader.hpp"
#include "store/sqlite/state/durable_counts.hpp"
#include "store/sqlite/state/fold.hpp"
#include "store/sqlite/state/listing.hpp"
#include "store/sqlite/state/load.hpp"
#include "store/sqlite/state/resident.hpp"

namespace holdfast {
namespace sqlite {
namespace {

class SqliteStore final : public Store {
 public:
  static StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options);

  explicit SqliteStore(const StoreOptions& options)
      : path_(options.store),
        clock_(options.clock),
        observer_(options.observer),
        rules_(options.rules),
        health_(options.store, options.vfs),
        resident_(rules_) {}
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  StoreResult<std::unique_ptr<Unit>> begin(const Keys& keys) override;
  StoreResult<void> commit(const Records& records);
  /// The memory of one unit's rows serves the next.
  void lend(WorkingSet& rows) { std::swap(rows, spare_rows_); }
  void take_back(WorkingSet& rows);
  StoreResult<void> sync(std::uint64_t seq) override;
  StoreResult<void> ready() const override;
  bool forget_expired(std::size_t limit) override;
  Instant now() const override;
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
  StoreResult<Page<RowFound>> rows(std::string_view tenant, const RowQuery& query) const override {
    auto page = list_rows(resident_, mutex_, tenant, query);
    if (!page) return page;
    if (auto durable = make_durable(written_seq_); !durable) return tl::unexpected(durable.error());
    return page;
  }
  StoreResult<ListSizes> list_sizes(std::string_view tenant, RowSpace space) const override {
    return read_list_sizes(resident_, mutex_, tenant, space);
  }
  StoreResult<std::vector<Record>> records(std::uint64_t after, std::size_t limit) const override;
  Counts counts() const override;
  Footprint footprint() const override;
  const Rules& rules() const override { return rules_; }

 private:
  StoreResult<void> prepare(const StoreOptions& options);
  StoreResult<void> start_writing(const StoreOptions& options);
  StoreResult<void> make_log_durable();
  StoreResult<void> may_write(const Records& records);
  [[nodiscard]] bool has_its_files() const;
  [[nodiscard]] StoreError without_files() const;
  [[nodiscard]] StoreError leave_files();
  StoreResult<void> write(const Records& records);
  StoreResult<void> fail(int code, bool perhaps_written = false);
  StoreError close_for_good(StoreError error) const;
  StoreError closed() const;
  StoreResult<void> make_durable(std::uint64_t seq) const;
  int sync_log() const;
  void move_rest_of_log();
  void moving_failed(int code) const;
  /// Of everything that was applied. No lock: called where only this thread changes what it reads.
  [[nodiscard]] Counts counts_now() const { return counts_of(resident_, last_seq_); }
  /// A resource as `of` shows it; `found` if nobody has named it before.
  template <typename T>
  StoreResult<T> look_at(std::string_view tenant, std::string_view name, T found,
                         T (*of)(const Resident&, const ResourceSlot&, Instant)) const;

  // Constant once open.
  const std::string path_;
  const std::shared_ptr<Clock> clock_;
  const StageObserver observer_;
  Rules rules_;
  bool read_only_ = false;
  NamedFile file_, log_file_;

  // Closed in reverse: the writing connection after the reading one, since only it can move the log
  // into the database and leave a single file; the lock after everything.
  OwnerLock owner_;
  Connection connection_;  // the writer's thread only
  std::unique_ptr<SharedReader> reader_;

  // The writer's thread only.
  JournalWriter journal_;
  Statement begin_, commit_, rollback_;
  WorkingSet spare_rows_;
  std::uint64_t chain_ = 0;
  std::unique_ptr<Checkpointer> checkpointer_;

  // Read by anyone.
  mutable WriteHealth health_;
  mutable std::atomic<bool> failed_{false};
  std::atomic<std::int64_t> latest_us_{INT64_MIN};  ///< time acted upon; never runs back
  std::atomic<std::uint64_t> written_seq_{0};
  mutable std::atomic<std::uint64_t> durable_seq_{0};
  std::atomic<std::uint64_t> commits_{0};  ///< of the writer
  mutable std::atomic<std::uint64_t> synced_commits_{0};
  DurableCounts counts_;

  mutable std::mutex sync_mutex_;
  sqlite3_file* log_ = nullptr;  // guarded by sync_mutex_: the write-ahead log, SQLite's own handle
  mutable std::string failure_;  // guarded by sync_mutex_: why nothing more is written

  mutable std::shared_mutex mutex_;
  Resident resident_;           // guarded by mutex_; changed by the writer's thread
  std::uint64_t last_seq_ = 0;  // guarded by mutex_; changed by the writer's thread
};

class SqliteUnit final : public Unit {
 public:
  explicit SqliteUnit(SqliteStore& store) : store_(store) { store_.lend(rows); }
  ~SqliteUnit() override { store_.take_back(rows); }
  SqliteUnit(const SqliteUnit&) = delete;
  SqliteUnit& operator=(const SqliteUnit&) = delete;
  StoreResult<void> commit(const Records& records) override { return store_.commit(records); }

 private:
  SqliteStore& store_;
};

StoreResult<std::unique_ptr<Store>> SqliteStore::open(const StoreOptions& options) {
  auto store = std::make_unique<SqliteStore>(options);
  if (auto ready = store->prepare(options); !ready) return tl::unexpected(ready.error());
  return store;
}

StoreResult<void> SqliteStore::prepare(const StoreOptions& options) {
  read_only_ = options.read_only;
  if (!read_only_) {
    auto owner = OwnerLock::take(path_);
    if (!owner) return tl::unexpected(owner.error());
    owner_ = std::move(*owner);
    auto connection = open_owned(options, rules_);
    if (!connection) return tl::unexpected(connection.error());
    connection_ = std::move(*connection);
    owner_.note_store();
  }
  Rules stored = rules_;
  auto connection = read_only_ ? open_reader(path_, options.vfs, stored)
                               : open_beside_owner(path_, options.vfs, stored);
  if (!connection) return tl::unexpected(connection.error());
  if (read_only_) {
    rules_ = stored;
    if (auto sound = check_description(path_, *connection); !sound) return sound;
  }
  auto journal = JournalReader::open(*connection);
  if (!journal) return tl::unexpected(describe(path_, journal.error()));

  const Instant opened_at = clock_->now();
  auto folded = fold_journal(path_, *connection, *journal, opened_at, resident_, options.progress);
  if (!folded) return tl::unexpected(folded.error());
  if (read_only_) {  // else somebody is told of what a power failure may still undo
    if (auto synced = sync_log_of(path_); !synced) return synced;
  }
  chain_ = folded->chain;
  last_seq_ = folded->last_seq;
  written_seq_ = last_seq_;
  durable_seq_ = last_seq_;
  // The fold has forgotten what was past its window by then: time must not run back behind it.
  latest_us_ = std::max(folded->last_at, opened_at).time_since_epoch().count();
  counts_.committed(counts_now(), durable_seq_);
  reader_ = std::make_unique<SharedReader>(path_, std::move(*connection), std::move(*journal));
  return read_only_ ? StoreResult<void>() : start_writing(options);
}

StoreResult<void> SqliteStore::start_writing(const StoreOptions& options) {
  const auto failed = [&](const Fault& fault) { return tl::unexpected(describe(path_, fault)); };
  auto journal = JournalWriter::open(connection_);
  if (!journal) return failed(journal.error());
  journal_ = std::move(*journal);
  for (const auto& [statement, sql] :
       {std::pair(&begin_, "BEGIN IMMEDIATE"), std::pair(&commit_, "COMMIT"),
        std::pair(&rollback_, "ROLLBACK")}) {
    auto prepared = connection_.prepare(sql);
    if (!prepared) return failed(prepared.error());
    *statement = std::move(*prepared);
  }
  if (sqlite3_file_control(connection_.raw(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log_) !=
          SQLITE_OK ||
      log_ == nullptr || log_->pMethods == nullptr) {
    return tl::unexpected(
        StoreError{Effect::none, path_ + ": the write-ahead log cannot be reached"});
  }
  if (auto durable = make_log_durable(); !durable) return durable;
  file_ = NamedFile(path_);
  log_file_ = NamedFile(log_of(path_));
  auto side = Connection::open(path_, SQLITE_OPEN_READWRITE, options.vfs);
  if (!side) return failed(side.error());
  if (auto set = side->run("PRAGMA synchronous=FULL"); !set) return failed(set.error());
  checkpointer_ =
      std::make_unique<Checkpointer>(std::move(*side), options.log_pages, [this](int code) {
        const std::lock_guard lock(sync_mutex_);
        moving_failed(code);
      });
  sqlite3_wal_hook(
      connection_.raw(),
      [](void* checkpointer, sqlite3*, const char*, int pages) {
        static_cast<Checkpointer*>(checkpointer)->grown_to(pages);
        return SQLITE_OK;
      },
      checkpointer_.get());
  connection_.keep_log_at_close(false);
  return {};
}

/// What a killed process wrote and did not sync was just read with all the rest. Before anybody is
/// told of it, it is moved into the database and synced: written again, because after a failed sync
/// the kernel shows as written what it has given up. If there is no room, a sync has to do.
StoreResult<void> SqliteStore::make_log_durable() {
  const int moved = connection_.move_log();
  if (moved != SQLITE_OK && !is_harmless(moved)) {
    return tl::unexpected(describe(path_, connection_.fault()));
  }
  if (const int synced = sync_log(); synced != SQLITE_OK) {
    return tl::unexpected(describe(path_, {synced, "the log could not be synced to disk"}));
  }
  return {};
}

/// The thread that moves the log goes first: it may fail until it has ended, and then says so here.
/// After a failure the log is left as it is: opening again begins with it.
SqliteStore::~SqliteStore() {
  checkpointer_.reset();
  if (!failed_) return;
  connection_.keep_log_at_close(true);
}

Instant SqliteStore::now() const {
  return std::max(clock_->now(), Instant(Duration(latest_us_.load())));
}

StoreResult<std::unique_ptr<Unit>> SqliteStore::begin(const Keys& keys) {
  if (read_only_)
    return tl::unexpected(StoreError{Effect::none, path_ + ": opened for reading only"});
  if (failed_) return tl::unexpected(closed());
  auto unit = std::make_unique<SqliteUnit>(*this);
  unit->now = now();
  latest_us_ = unit->now.time_since_epoch().count();
  unit->next_seq = last_seq_ + 1;
  unit->next_ordinal = resident_.holds().last_ordinal() + 1;
  const Told told =
      load(resident_, keys, *unit);  // no lock: only this thread changes what it reads
  for (const Hash128& key : told) {
    auto outcome = reader_->read_one(unit->rows.token(key)->seq);
    if (!outcome) return tl::unexpected(outcome.error());
    derive(*outcome);
    unit->rows.load_token(key, outcome_of(*outcome));
  }
  return unit;
}

void SqliteStore::take_back(WorkingSet& rows) {
  rows.clear();
  std::swap(rows, spare_rows_);
}

StoreResult<void> SqliteStore::commit(const Records& records) {
  HOLDFAST_ASSERT(records.front().seq == last_seq_ + 1);
  if (auto may = may_write(records); !may) return may;
  if (auto written = write(records); !written) {
    health_.failed(written.error());
    return written;
  }
  health_.succeeded();
  ++commits_;
  written_seq_ = records.back().seq;  // before anybody can see them, and ask for them to be durable
  {
    const std::unique_lock lock(mutex_);
    for (const Record& record : records) apply(resident_, record);
    HOLDFAST_ASSERT(resident_.objection().empty());
    last_seq_ = records.back().seq;
  }
  counts_.committed(counts_now(), durable_seq_);
  checkpointer_->finish_round([this] {
    if (!failed_) move_rest_of_log();
  });
  return {};
}

StoreResult<void> SqliteStore::may_write(const Records& records) {
  if (failed_) return tl::unexpected(closed());
  if (!has_its_files()) return tl::unexpected(leave_files());
  if (resident_.holds().last_ordinal() + records.size() > UINT32_MAX) {
    return tl::unexpected(StoreError{
        Effect::none, path_ + ": it has as many holds as a store can have. Begin a new one."});
  }
  // After a power failure, no more than these can be missing from the log.
  if (commits_ - synced_commits_ < unsynced_commits_max) return {};
  return make_durable(written_seq_);
}

/// What is written to files that were removed or replaced is lost when they are closed.
bool SqliteStore::has_its_files() const { return file_.still_there() && log_file_.still_there(); }

StoreError SqliteStore::without_files() const {
  return {Effect::none,
          fmt::format("{}: the store's {} moved, replaced or removed since it was opened", path_,
                      file_.still_there() ? "log has been" : "file has been")};
}

/// A log without a name is gone when it is closed. What is in it was answered: it is moved into the
/// file first, if that is still there.
StoreError SqliteStore::leave_files() {
  StoreError error = without_files();
  const std::lock_guard lock(sync_mutex_);
  if (commits_ != synced_commits_) error.effect = Effect::unknown;
  if (!file_.still_there()) {
    error.message += ". Put it back beside its log; or restore a backup, and move that log away";
    return close_for_good(std::move(error));
  }
  int in_log = 0;
  int moved = 0;
  const int code = connection_.move_log(&in_log, &moved);
  error.message += code == SQLITE_OK && moved == in_log
                       ? ". What was in it is in the file now"
                       : ". What was in it could not be moved into the file: check the disk, and "
                         "restore a backup if tokens that were answered are missing";
  return close_for_good(std::move(error));
}

/// One transaction in the write-ahead log. `chain_` moves on only if it is there.
StoreResult<void> SqliteStore::write(const Records& records) {
  const int begun = begin_.step();
  begin_.reset();
  if (begun != SQLITE_DONE) return fail(begun);
  std::uint64_t chain = chain_;
  for (const Record& record : records) {
    if (const int code = journal_.append(record, chain); code != SQLITE_OK) return fail(code);
  }
  const int committed = commit_.step();
  commit_.reset();
  // Out of memory it may have failed when the transaction was already in the log.
  if (committed != SQLITE_DONE) return fail(committed, (committed & 0xff) == SQLITE_NOMEM);
  chain_ = chain;
  return {};
}

/// A full disk or a busy file changed nothing: the transaction is taken back and the next batch may
/// try again. After anything else nobody knows what the disk holds.
StoreResult<void> SqliteStore::fail(int code, bool perhaps_written) {
  StoreError error = describe(path_, connection_.fault(), Effect::none);
  if (sqlite3_get_autocommit(connection_.raw()) == 0) {
    rollback_.step();
    rollback_.reset();
  }
  if (is_harmless(code) && !perhaps_written) return tl::unexpected(std::move(error));
  error.effect = Effect::unknown;
  const std::lock_guard lock(sync_mutex_);
  return tl::unexpected(close_for_good(std::move(error)));
}

StoreResult<void> SqliteStore::sync(std::uint64_t seq) { return make_durable(seq); }

/// One sync for everything written so far. It goes through SQLite's own handle of the log, beside
/// the writer: it only asks the kernel to put on disk what was written before.
StoreResult<void> SqliteStore::make_durable(std::uint64_t seq) const {
  if (read_only_) return {};  // that is its owner's business
  if (durable_seq_ >= seq && !failed_) return {};
  const std::lock_guard lock(sync_mutex_);
  if (failed_) return tl::unexpected(StoreError{Effect::unknown, failure_});
  if (durable_seq_ >= seq) return {};
  if (observer_) observer_(Stage::sync);
  const std::uint64_t written = written_seq_;
  const std::uint64_t commits = commits_;
  const int code = sync_log();
  if (code == SQLITE_OK) {
    durable_seq_ = written;
    synced_commits_ = commits;
    return {};
  }
  const Fault fault{code, "the write-ahead log could not be synced to disk"};
  return tl::unexpected(close_for_good(describe(path_, fault, Effect::unknown)));
}

/// After a failed sync, above all, nobody knows what the disk holds: no more is written or answered
/// until the store is opened anew. Needs sync_mutex_.
StoreError SqliteStore::close_for_good(StoreError error) const {
  error.message += ". The store is closed to further work until it is opened again";
  failure_ = error.message;
  failed_ = true;
  return error;
}

/// Unknown, although nothing was tried: an earlier call with the same token may have had its
/// effect.
StoreError SqliteStore::closed() const {
  const std::lock_guard lock(sync_mutex_);
  return {Effect::unknown, failure_};
}

int SqliteStore::sync_log() const {
  return log_->pMethods->xSync(log_, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

/// Syncs the log, too, and through the same descriptor as `make_durable`: a failure is reported to
/// one of them only, so they take turns.
void SqliteStore::move_rest_of_log() {
  const std::lock_guard lock(sync_mutex_);
  const int code = connection_.move_log();
  if (code != SQLITE_OK && !is_harmless(code)) moving_failed(code);
}

/// Needs sync_mutex_.
void SqliteStore::moving_failed(int code) const {
  const Fault fault{code, "the log could not be moved into the database"};
  (void)close_for_good(describe(path_, fault, Effect::unknown));
}

StoreResult<void> SqliteStore::ready() const {
  if (failed_) return tl::unexpected(closed());
  if (read_only_) return tl::unexpected(StoreError{Effect::none, path_ + ": opened only to look"});
  if (!has_its_files()) return tl::unexpected(without_files());
  if (auto trouble = health_.trouble()) return tl::unexpected(std::move(*trouble));
  return {};
}

bool SqliteStore::forget_expired(std::size_t limit) {
  const Instant at = now();
  latest_us_ = std::max(latest_us_.load(), at.time_since_epoch().count());
  const std::size_t tokens = resident_.tokens().size();
  std::unique_lock lock(mutex_);
  const bool more = resident_.forget(at, limit);
  lock.unlock();
  counts_.forgotten(tokens - resident_.tokens().size());
  return more;
}

std::optional<Answer> SqliteStore::replay(const Request& request, std::uint64_t* seq) const {
  if (failed_ || read_only_) return std::nullopt;
  const Instant at = now();
  std::shared_lock lock(mutex_);
  auto token = resident_.tokens().find(request.key);
  if (!token || claim(&*token, request, rules_, at) != Claim::recorded) return std::nullopt;
  if (token->seq > durable_seq_) return std::nullopt;  // it will be answered with its batch
  *seq = token->seq;
  auto hold = resident_.hold(token->hold_ordinal);
  if (told_by_record(*token, hold ? &*hold : nullptr)) {
    lock.unlock();  // nobody waits for the file
    auto outcome = reader_->read_one(token->seq);
    if (!outcome) return std::nullopt;  // the main path will say what is wrong
    derive(*outcome);
    token = outcome_of(*outcome);
    lock.lock();
    hold = resident_.hold(token->hold_ordinal);
  }
  const ModuleRow* const row = resident_.row_spoken_of(*token, request.tenant(), request.token());
  if (row != nullptr && row->version > durable_seq_) return std::nullopt;
  const Spoken spoken{hold ? &*hold : nullptr, row};
  return answer_of(request, Decision{Claim::recorded, *token, true}, spoken, rules_);
}

StoreResult<std::optional<HoldDetails>> SqliteStore::hold(std::string_view tenant,
                                                          HoldId id) const {
  const Instant at = now();
  HoldDetails details;
  std::uint64_t seq = 0;
  std::uint64_t seen = 0;
  {
    const std::shared_lock lock(mutex_);
    const auto row = resident_.hold(id.ordinal);
    if (!row || row->id != id || row->tenant != tenant) return std::nullopt;
    details = {hold_of(*row), {}, row->lapsed(at)};
    seq = resident_.holds().hold(id.ordinal)->placed_seq;
    seen = last_seq_;
  }
  if (auto durable = make_durable(seen); !durable) return tl::unexpected(durable.error());
  auto record = reader_->read_one(seq);
  if (!record) return tl::unexpected(record.error());
  details.token = std::move(record->token);
  return details;
}

StoreResult<Page<HoldDetails>> SqliteStore::holds(std::string_view tenant,
                                                  const HoldQuery& query) const {
  std::vector<std::uint64_t> placed_seqs;
  auto page = list_holds(resident_, mutex_, tenant, query, now(), placed_seqs);
  if (!page) return page;
  if (auto durable = make_durable(written_seq_); !durable) return tl::unexpected(durable.error());
  for (std::size_t i = 0; i < page->items.size(); ++i) {
    auto record = reader_->read_one(placed_seqs[i]);
    if (!record) return tl::unexpected(record.error());
    page->items[i].token = std::move(record->token);
  }
  return page;
}

StoreResult<std::optional<TokenResult>> SqliteStore::token(std::string_view tenant,
                                                           std::string_view token) const {
  if (failed_) return tl::unexpected(closed());  // what became of it is not known
  const Instant at = now();
  std::optional<TokenRow> row;
  ModuleRow settled;
  {
    const std::shared_lock lock(mutex_);
    row = resident_.tokens().find(key_of(tenant, token));
    const auto* const found = row ? resident_.row_spoken_of(*row, tenant, token) : nullptr;
    if (found != nullptr) settled = *found;
  }
  if (!row || !remembers(rules_, *row, at)) return std::nullopt;
  if (auto durable = make_durable(std::max(row->seq, settled.version)); !durable)
    return tl::unexpected(durable.error());
  auto record = reader_->read_one(row->seq);
  if (!record) return tl::unexpected(record.error());
  const std::shared_lock lock(mutex_);
  const auto hold = resident_.hold(row->hold_ordinal);
  const Spoken spoken{hold ? &*hold : nullptr, settled.value ? &settled : nullptr};
  return result_of(*record, spoken, rules_);
}

template <typename T>
StoreResult<T> SqliteStore::look_at(std::string_view tenant, std::string_view name, T found,
                                    T (*of)(const Resident&, const ResourceSlot&, Instant)) const {
  const Instant at = now();
  std::uint64_t seen = 0;
  {
    const std::shared_lock lock(mutex_);
    const ResourceSlot* slot = resident_.resource(tenant, name);
    if (slot != nullptr) found = of(resident_, *slot, at);
    seen = last_seq_;
  }
  if (auto durable = make_durable(seen); !durable) return tl::unexpected(durable.error());
  return found;
}

StoreResult<Resource> SqliteStore::resource(std::string_view tenant, std::string_view name) const {
  return look_at(tenant, name, Resource{.name = std::string(name)}, resource_of);
}

StoreResult<Availability> SqliteStore::availability(std::string_view tenant,
                                                    std::string_view name) const {
  return look_at(tenant, name, Availability{.resource = std::string(name)}, availability_of);
}

StoreResult<Page<Resource>> SqliteStore::resources(std::string_view tenant,
                                                   const ResourceQuery& query) const {
  auto page = list_resources(resident_, mutex_, tenant, query, now());
  if (!page) return page;
  if (auto durable = make_durable(written_seq_); !durable) return tl::unexpected(durable.error());
  return page;
}

StoreResult<std::vector<Record>> SqliteStore::records(std::uint64_t after,
                                                      std::size_t limit) const {
  auto records = reader_->read_checked(after, limit);
  if (!records || records->empty()) return records;
  if (auto made = make_durable(records->back().seq); !made) return tl::unexpected(made.error());
  return records;
}

Counts SqliteStore::counts() const { return counts_.at(durable_seq_); }

Footprint SqliteStore::footprint() const {
  const std::shared_lock lock(mutex_);
  return footprint_of(resident_);
}

}  // namespace
}  // namespace sqlite

StoreResult<std::unique_ptr<Store>> open_sqlite_store(const StoreOptions& options) {
  return sqlite::SqliteStore::open(options);
}

}  // namespace holdfast
