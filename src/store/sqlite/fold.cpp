#include "store/sqlite/fold.hpp"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "domain/apply.hpp"
#include "store/sqlite/file.hpp"

namespace holdfast::sqlite {
namespace {

constexpr std::size_t records_per_load = 1'024;
constexpr std::size_t forget_every = 65'536;

/// Records on their way from the thread that reads them to the one that applies them.
struct Load {
  std::vector<Record> records = std::vector<Record>(records_per_load);
  std::size_t count = 0;
  int code = SQLITE_ROW;  ///< SQLITE_ROW: there is more
  std::string damage;     ///< what is wrong with the record after these
};

/// Reads the journal on a thread of its own and checks that it is whole: numbers without a gap,
/// checksums that hold, instants in order. Two loads go back and forth.
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
  Load& next() {
    std::unique_lock lock(mutex_);
    if (taken_) --full_;
    taken_ = true;
    wake_.notify_all();
    wake_.wait(lock, [&] { return full_ > 0; });
    return loads_[next_out_++ % 2];
  }

  [[nodiscard]] std::uint64_t chain() const { return chain_; }  ///< once all was read

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
    std::uint64_t stored = 0;
    while (load.count < records_per_load) {
      Record& record = load.records[load.count];
      load.code = journal_.next(record, stored);
      if (load.code != SQLITE_ROW) return;
      load.damage = damage(record, stored);
      if (!load.damage.empty()) load.code = SQLITE_CORRUPT;
      if (!load.damage.empty()) return;
      if (binds_token(record)) derive(record);
      ++load.count;
    }
  }

  std::string damage(const Record& record, std::uint64_t stored) {
    if (record.seq != last_seq_ + 1) return "it is missing";
    chain_ = checksum(chain_, record);
    if (chain_ != stored) return "its checksum does not match";
    if (!journal_.as_written()) return "it is not stored the way it was written";
    if (record.at < last_at_) return "it is older than the one before";
    last_seq_ = record.seq;
    last_at_ = record.at;
    return {};
  }

  JournalReader& journal_;      // the thread's only
  std::uint64_t chain_ = 0;     // the thread's only, until it ends
  std::uint64_t last_seq_ = 0;  // the thread's only
  Instant last_at_ = Instant::min();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::array<Load, 2> loads_;  // each belongs to one side at a time
  std::size_t full_ = 0;       // guarded by mutex_, as is what follows
  std::size_t next_out_ = 0;
  bool taken_ = false;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace

StoreResult<Folded> fold_journal(const std::string& path, Connection& connection,
                                 JournalReader& journal, Instant now, Resident& resident) {
  Folded folded;
  const auto damaged = [&](std::string_view what) {
    return tl::unexpected(StoreError{
        Effect::none,
        fmt::format("{}: the journal is damaged at record {}: {}. Restore the store from a backup, "
                    "and keep this one for the investigation; `holdfast audit` shows more.",
                    path, folded.last_seq + 1, what)});
  };
  JournalStream stream(journal);
  while (true) {
    const Load& load = stream.next();
    for (std::size_t i = 0; i < load.count; ++i) {
      const Record& record = load.records[i];
      if (const auto wrong = resident.objection(record)) return damaged(*wrong);
      apply(resident, record);
      folded.last_seq = record.seq;
      folded.last_at = record.at;
      if (record.seq % forget_every == 0) resident.tokens().forget(now, SIZE_MAX);
    }
    if (load.code == SQLITE_ROW) continue;
    if (!load.damage.empty()) return damaged(load.damage);
    if (load.code == SQLITE_DONE) break;
    StoreError error = describe(path, connection.fault());
    error.message += fmt::format(" (while reading the journal after record {})", folded.last_seq);
    return tl::unexpected(std::move(error));
  }
  resident.tokens().forget(now, SIZE_MAX);
  folded.chain = stream.chain();
  return folded;
}

}  // namespace holdfast::sqlite
