// Brings a store's file to the schema of this program, in one transaction: whatever ends it, the
// file is as it was, or upgraded.

#include <fmt/format.h>

#include <algorithm>

#include "domain/confirmation.hpp"
#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/file/opening.hpp"
#include "store/sqlite/file/owner_lock.hpp"
#include "store/sqlite/file/schema.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/sqlite/state/fold.hpp"
#include "store/views.hpp"

namespace holdfast {
namespace sqlite {
namespace {

class Upgrade {
 public:
  Upgrade(const UpgradeOptions& options, Connection connection, KeptRules kept)
      : options_(options), connection_(std::move(connection)), kept_(std::move(kept)) {}

  StoreResult<Upgraded> run() {
    Upgraded upgraded{.schema = schema_version};
    const auto version = connection_.integer("PRAGMA user_version");
    if (!version) return failed(version.error());
    upgraded.schema_before = static_cast<int>(*version);
    const bool older = *version < schema_version;
    const auto same = has_these_views(connection_);
    if (!same) return failed(same.error());
    if (!older && *same && new_numbers().empty()) return upgraded;
    if (older) {
      if (auto done = step("columns", upgrading_sql()); !done) return failed(done.error());
    }
    if (auto done = replace_views(); !done) return tl::unexpected(done.error());
    if (auto done = seal(); !done) return failed(done.error());
    if (auto sound = check_journal(); !sound) return tl::unexpected(sound.error());
    if (auto done = step("commit", "COMMIT"); !done) return failed(done.error());
    tell("log");
    if (const int moved = connection_.move_log(); moved != SQLITE_OK && !is_harmless(moved))
      return failed(connection_.fault());
    connection_.keep_log_at_close(false);
    upgraded.views_refreshed = !older;
    return upgraded;
  }

 private:
  [[nodiscard]] StoreResult<Upgraded> failed(const Fault& fault) const {
    return tl::unexpected(describe(options_.store, fault));
  }

  void tell(std::string_view step) const {
    if (options_.before_step) options_.before_step(step);
  }

  Expected<void> step(std::string_view name, const std::string& sql) {
    tell(name);
    return connection_.run(sql.c_str());
  }

  /// Views that somebody added stay, unless they have taken a name that is ours now.
  StoreResult<void> replace_views() {
    const auto wrong = [&](const Fault& fault) {
      return tl::unexpected(describe(options_.store, fault));
    };
    auto views = sealed_views(connection_);
    if (!views) return wrong(views.error());
    for (const std::string& each : *views) {
      if (auto done = step("drop " + each, fmt::format("DROP VIEW \"{}\"", each)); !done)
        return wrong(done.error());
    }
    for (const std::string& each : view_names()) {
      const auto taken = connection_.integer(
          fmt::format("SELECT count(*) FROM sqlite_schema WHERE name='{}'", each).c_str());
      if (!taken) return wrong(taken.error());
      if (*taken == 0) continue;
      return tl::unexpected(error_about(
          options_.store, fmt::format("somebody has added {} to it, and the new version has a view "
                                      "of this name. Give it another name first.",
                                      each)));
    }
    if (auto done = step("views", views_sql(Dialect::sqlite)); !done) return wrong(done.error());
    return {};
  }

  /// What the store has to keep from now on: windows of new operations, and a secret.
  [[nodiscard]] std::vector<KeptNumber> new_numbers() const {
    std::vector<KeptNumber> all = new_windows(kept_);
    if (kept_.confirmation_secret) return all;
    for (KeptNumber& each : secret_numbers(fresh_secret(*system_random())))
      all.push_back(std::move(each));
    return all;
  }

  Expected<void> seal() {
    const std::string mark =
        fmt::format("INSERT OR REPLACE INTO meta VALUES('{}','{}'); PRAGMA user_version={}",
                    views_name, views_mark(Dialect::sqlite), schema_version);
    if (auto done = step("mark", mark); !done) return done;
    for (const KeptNumber& each : new_numbers()) {
      const std::string number = fmt::format("INSERT INTO meta VALUES('{}',{})", each.name,
                                             each.number ? std::to_string(*each.number) : "NULL");
      if (auto done = step("windows", number); !done) return done;
    }
    tell("seal");
    return seal_description(connection_);
  }

  /// As opening will: an upgrade is no way to lose what damage there was.
  StoreResult<void> check_journal() {
    tell("check");
    auto journal = JournalReader::open(connection_);
    if (!journal) return tl::unexpected(describe(options_.store, journal.error()));
    Rules rules;
    adopt(kept_, rules);
    Resident resident(rules);
    const auto folded = fold_journal(options_.store, connection_, *journal, system_clock()->now(),
                                     resident, options_.progress);
    if (!folded) return tl::unexpected(folded.error());
    return {};
  }

  const UpgradeOptions& options_;
  Connection connection_;
  const KeptRules kept_;
};

}  // namespace
}  // namespace sqlite

StoreResult<Upgraded> upgrade_sqlite_store(const UpgradeOptions& options) {
  if (auto there = schema_of_sqlite(options.store); !there) return tl::unexpected(there.error());
  auto owner = sqlite::OwnerLock::take(options.store);
  if (!owner) return tl::unexpected(owner.error());
  KeptRules kept;
  auto connection =
      sqlite::open_alone(options.store, options.vfs,
                         {.oldest = sqlite_schema_oldest,
                          .why = "what is of the older version cannot go on with the new schema"},
                         kept);
  if (!connection) return tl::unexpected(connection.error());
  owner->note_store();
  return sqlite::Upgrade(options, std::move(*connection), std::move(kept)).run();
}

}  // namespace holdfast
