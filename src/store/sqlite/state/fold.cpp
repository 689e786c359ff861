#include "store/sqlite/state/fold.hpp"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "domain/apply.hpp"
#include "store/checksum.hpp"
#include "store/sqlite/file/faults.hpp"

namespace holdfast::sqlite {
namespace {

constexpr std::size_t records_per_load = 1'024;
constexpr std::uint64_t records_per_report = 16'384;

/// Records on their way from the thread that reads them to the one that applies them.
struct Load {
  struct Row {
    Record record;
    std::uint64_t checksum = 0;  ///< as stored
    std::uint64_t chain = 0;     ///< as it should be
    bool as_written = true;      ///< whether it is stored as the writer stores it
  };
  std::vector<Row> rows = std::vector<Row>(records_per_load);
  std::size_t count = 0;
  int code = SQLITE_ROW;  ///< SQLITE_ROW: there is more
};

/// Reads the journal on a thread of its own, and makes what follows from a record alone. Two loads
/// go back and forth.
class JournalStream {
 public:
  explicit JournalStream(JournalReader& journal) : journal_(journal) {
    journal_.seek(0);
    thread_ = std::thread([this] { run(); });
  }

  ~JournalStream() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  /// The next load; good until the next call.
  const Load& next() {
    std::unique_lock lock(mutex_);
    if (taken_) --full_;
    taken_ = true;
    wake_.notify_all();
    wake_.wait(lock, [&] { return full_ > 0; });
    return loads_[next_out_++ % 2];
  }

 private:
  void run() {
    for (std::size_t next_in = 0;; ++next_in) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return full_ < 2 || stopping_; });
        if (stopping_) return;
      }
      Load& load = loads_[next_in % 2];
      fill(load);
      {
        const std::lock_guard lock(mutex_);
        ++full_;
      }
      wake_.notify_all();
      if (load.code != SQLITE_ROW) return;
    }
  }

  void fill(Load& load) {
    load.count = 0;
    while (load.count < records_per_load) {
      Load::Row& row = load.rows[load.count];
      load.code = journal_.next(row.record, row.checksum);
      if (load.code != SQLITE_ROW) return;
      row.as_written = journal_.as_written();
      row.chain = chain_ = checksum(chain_, row.record);
      if (binds_token(row.record)) derive(row.record);
      ++load.count;
    }
  }

  JournalReader& journal_;   // the thread's only
  std::uint64_t chain_ = 0;  // the thread's only

  std::mutex mutex_;
  std::condition_variable wake_;
  std::array<Load, 2> loads_;  // each belongs to one side at a time
  std::size_t full_ = 0;       // guarded by mutex_, as is what follows
  std::size_t next_out_ = 0;
  bool taken_ = false;
  bool stopping_ = false;

  std::thread thread_;
};

/// The two halves of `apply`: tokens and holds do not know each other, and so can be folded side by
/// side.
struct TokenHalf {
  Resident& resident;
  void place(const Record&) {}
  void resolve(const Record&) {}
  void amend(const Record&) {}
  void gather(const Record&) {}
  void declare(const Record&) {}
  void change_rows(const Record&) {}
  void bind_token(const Record& record) { resident.bind_token(record); }
  void spend_nonce(const Record& record) { resident.spend_nonce(record); }
};

struct HoldHalf {
  Resident& resident;
  void place(const Record& record) { resident.place(record); }
  void resolve(const Record& record) { resident.resolve(record); }
  void amend(const Record& record) { resident.amend(record); }
  void gather(const Record& record) { resident.gather(record); }
  void declare(const Record& record) { resident.declare(record); }
  void change_rows(const Record& record) { resident.change_rows(record); }
  void bind_token(const Record&) {}
  void spend_nonce(const Record&) {}
};

/// Folds the tokens of one load after the other on a thread of its own.
class TokenFolder {
 public:
  TokenFolder(Resident& resident, Instant now) : resident_(resident), now_(now) {
    thread_ = std::thread([this] { run(); });
  }

  ~TokenFolder() {
    finish();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void start(const Load& load) {
    {
      const std::lock_guard lock(mutex_);
      load_ = &load;
    }
    wake_.notify_all();
  }

  void finish() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return load_ == nullptr; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return load_ != nullptr || stopping_; });
      if (load_ == nullptr) return;
      lock.unlock();
      fold(*load_);
      lock.lock();
      load_ = nullptr;
      wake_.notify_all();
    }
  }

  void fold(const Load& load) {
    TokenHalf tokens{resident_};
    for (std::size_t i = 0; i < load.count; ++i) {
      const Load::Row& row = load.rows[i];
      if (row.chain != row.checksum || row.record.operation == Operation::none) continue;
      apply(tokens, row.record);
    }
    resident_.forget(now_, SIZE_MAX);
  }

  Resident& resident_;
  const Instant now_;
  std::mutex mutex_;
  std::condition_variable wake_;
  const Load* load_ = nullptr;  // guarded by mutex_; not null: being folded
  bool stopping_ = false;       // guarded by mutex_
  std::thread thread_;
};

/// What is wrong with the next record; empty if it is whole and in its place.
std::string damage(const Load::Row& row, const Folded& folded) {
  const Record& record = row.record;
  if (record.seq != folded.last_seq + 1) return "it is missing";
  if (row.chain != row.checksum) return "its checksum does not match";
  if (!row.as_written) return "it is not stored the way it was written";
  if (record.at < folded.last_at) return "it is older than the one before";
  return {};
}

}  // namespace

StoreResult<Folded> fold_journal(const std::string& path, Connection& connection,
                                 JournalReader& journal, Instant now, Resident& resident,
                                 const Progress& progress) {
  Folded folded;
  const auto newest = connection.integer("SELECT max(seq) FROM journal");
  if (!newest) return tl::unexpected(describe(path, newest.error()));
  const auto all = static_cast<std::uint64_t>(*newest);
  const auto damaged = [&](std::string_view what) {
    return tl::unexpected(damaged_journal(path, folded.last_seq + 1, what));
  };
  JournalStream stream(journal);
  TokenFolder tokens(resident, now);
  HoldHalf holds{resident};
  while (true) {
    const Load& load = stream.next();
    tokens.start(load);
    for (std::size_t i = 0; i < load.count; ++i) {
      const Record& record = load.rows[i].record;
      if (const std::string wrong = damage(load.rows[i], folded); !wrong.empty())
        return damaged(wrong);
      if (const auto wrong = resident.contradiction(record)) return damaged(*wrong);
      apply(holds, record);
      if (!resident.objection().empty()) return damaged(resident.objection());
      folded.last_seq = record.seq;
      folded.last_at = record.at;
      folded.chain = load.rows[i].chain;
    }
    tokens.finish();
    if (progress && folded.last_seq % records_per_report < load.count && folded.last_seq < all)
      progress(folded.last_seq, all);
    if (load.code == SQLITE_ROW) continue;
    if (load.code == SQLITE_DONE) break;
    StoreError error = describe(path, connection.fault());
    error.message += fmt::format(" (while reading the journal after record {})", folded.last_seq);
    return tl::unexpected(std::move(error));
  }
  return folded;
}

}  // namespace holdfast::sqlite
