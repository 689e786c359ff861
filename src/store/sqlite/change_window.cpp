// Another window for a store's file: its record, and what the file keeps of its windows, in one
// transaction. Whatever ends it, the file is as it was, or has the new window.

#include <fmt/format.h>

#include <algorithm>

#include "domain/window_change.hpp"
#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/file/opening.hpp"
#include "store/sqlite/file/owner_lock.hpp"
#include "store/sqlite/file/schema.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/sqlite/state/fold.hpp"

namespace holdfast {
namespace sqlite {
namespace {

class WindowWork {
 public:
  WindowWork(const WindowOptions& options, Connection connection, const KeptRules& kept)
      : options_(options), connection_(std::move(connection)) {
    adopt(kept, rules_);
  }

  StoreResult<WindowChanged> run() {
    WindowChanged changed{
        .name = options_.store, .before = rules_.window, .window = options_.window};
    if (changed.window == changed.before) return changed;
    if (!rules_.any_follows())
      return tl::unexpected(error_about(options_.store, std::string(nobody_follows)));
    if (auto read = read_journal(); !read) return tl::unexpected(read.error());
    changed.at = folded_.last_at;
    const WindowChange change{changed.before, changed.window};
    const Record record = window_record(change, folded_.last_seq + 1, changed.at);
    count(change, record, changed);
    if (changed.shorter() && !options_.agreed) return changed;
    if (auto written = write(record); !written) return tl::unexpected(written.error());
    changed.seq = record.seq;
    return changed;
  }

 private:
  [[nodiscard]] tl::unexpected<StoreError> failed(const Fault& fault) const {
    return tl::unexpected(describe(options_.store, fault));
  }

  void tell(std::string_view step) const {
    if (options_.before_step) options_.before_step(step);
  }

  Expected<void> step(std::string_view name, const std::string& sql) {
    tell(name);
    return connection_.run(sql.c_str());
  }

  /// As opening will; what is past its window by now is left out.
  StoreResult<void> read_journal() {
    tell("check");
    auto journal = JournalReader::open(connection_);
    if (!journal) return failed(journal.error());
    const Instant now = options_.clock->now();
    const auto folded =
        fold_journal(options_.store, connection_, *journal, now, resident_, options_.progress);
    if (!folded) return tl::unexpected(folded.error());
    folded_ = *folded;
    folded_.last_at = std::max(folded_.last_at, now);
    resident_.forget(folded_.last_at, SIZE_MAX);
    return {};
  }

  /// The tokens, before the rules change and after. What is resident forgets by the rules that are
  /// changed under it.
  void count(const WindowChange& change, const Record& record, WindowChanged& changed) {
    for (const OperationRow& each : operations()) {
      changed.operations.push_back({each.id, rules_.window_of(each.id), rules_.follows(each.id),
                                    resident_.tokens().live(each.id)});
    }
    change_window(rules_, change, record);
    resident_.forget(record.at, SIZE_MAX);
    for (OperationTokens& each : changed.operations)
      each.forgotten = each.live - resident_.tokens().live(each.operation);
  }

  StoreResult<void> write(const Record& record) {
    tell("record");
    auto journal = JournalWriter::open(connection_);
    if (!journal) return failed(journal.error());
    if (journal->append(record, folded_.chain) != SQLITE_OK) return failed(connection_.fault());
    for (const KeptNumber& each : kept_numbers(rules_)) {
      const std::string put = fmt::format("INSERT OR REPLACE INTO meta VALUES('{}',{})", each.name,
                                          each.number ? std::to_string(*each.number) : "NULL");
      if (auto done = step(each.name, put); !done) return failed(done.error());
    }
    tell("seal");
    if (auto done = seal_description(connection_); !done) return failed(done.error());
    if (auto done = step("commit", "COMMIT"); !done) return failed(done.error());
    tell("log");
    if (const int moved = connection_.move_log(); moved != SQLITE_OK && !is_harmless(moved))
      return failed(connection_.fault());
    connection_.keep_log_at_close(false);
    return {};
  }

  const WindowOptions& options_;
  Connection connection_;
  Rules rules_;
  Resident resident_{rules_};
  Folded folded_;
};

}  // namespace
}  // namespace sqlite

StoreResult<WindowChanged> change_sqlite_window(const WindowOptions& options) {
  if (auto there = schema_of_sqlite(options.store); !there) return tl::unexpected(there.error());
  auto owner = sqlite::OwnerLock::take(options.store);
  if (!owner) return tl::unexpected(owner.error());
  KeptRules kept;
  auto connection = sqlite::open_alone(
      options.store, options.vfs,
      {.oldest = sqlite_schema_version,
       .why = "what has begun with the old window cannot go on with the new one"},
      kept);
  if (!connection) return tl::unexpected(connection.error());
  owner->note_store();
  const auto same = sqlite::has_these_views(*connection);
  if (!same) return tl::unexpected(sqlite::describe(options.store, same.error()));
  if (!*same) return tl::unexpected(sqlite::error_about(options.store, std::string(other_views)));
  return sqlite::WindowWork(options, std::move(*connection), kept).run();
}

}  // namespace holdfast
