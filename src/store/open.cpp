#include "store/open.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/shown_store.hpp"
#include "domain/confirmation.hpp"
#include "domain/window_change.hpp"
#include "store/checksum.hpp"
#include "store/kept_rules.hpp"
#include "store/mariadb/mariadb_driver.hpp"
#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_driver.hpp"
#include "store/shared/objections.hpp"
#include "store/shared/shared_store.hpp"
#include "store/shared/window.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace holdfast {
namespace {

using MadeDriver = tl::expected<std::unique_ptr<shared::Driver>, std::string>;

/// Which engine an address asks for; none for the name of a file.
struct Scheme {
  std::string_view prefix;
  MadeDriver (*make)(const std::string& url, bool read_only);
};

/// A server of MariaDB is the same for whoever only looks.
MadeDriver make_mariadb(const std::string& url, bool) { return make_mariadb_driver(url); }

constexpr std::array schemes{Scheme{"mariadb://", make_mariadb}, Scheme{"mysql://", make_mariadb},
                             Scheme{"postgres://", make_postgres_driver},
                             Scheme{"postgresql://", make_postgres_driver}};

const Scheme* scheme_of(std::string_view store) {
  for (const Scheme& each : schemes) {
    if (store.starts_with(each.prefix)) return &each;
  }
  return nullptr;
}

StoreResult<std::unique_ptr<shared::Driver>> make_driver(const std::string& store, bool read_only) {
  const Scheme* const scheme = scheme_of(store);
  if (scheme == nullptr)
    return tl::unexpected(
        StoreError{.message = shown_store(store) + ": this is not the address of a database"});
  auto driver = scheme->make(store, read_only);
  if (!driver)
    return tl::unexpected(StoreError{.message = shown_store(store) + ": " + driver.error()});
  return std::move(*driver);
}

}  // namespace

bool is_shared(std::string_view store) { return scheme_of(store) != nullptr; }

/// With slashes, or without those that one of ours needs.
bool is_foreign(std::string_view store) {
  if (is_shared(store)) return false;
  const auto begins_like = [&](const Scheme& each) {
    return store.starts_with(each.prefix.substr(0, each.prefix.find('/')));
  };
  return store.find("://") != std::string_view::npos ||
         std::any_of(schemes.begin(), schemes.end(), begins_like);
}

std::string foreign_store(std::string_view store) {
  return shown_store(store) +
         " is an address of a kind that is not known here; write postgres://… or mariadb://…, or "
         "name a file, as in rooms.db";
}

StoreResult<std::unique_ptr<Store>> open_store(StoreOptions options) {
  if (options.store.empty()) {
    return tl::unexpected(StoreError{
        Effect::none, "no store was named: give a file, the address of a database, or :memory:"});
  }
  if (options.store == ":memory:") {
    if (options.window) options.rules.window = *options.window;
    return open_memory_store(options.rules, options.clock);
  }
  if (is_foreign(options.store)) {
    return tl::unexpected(StoreError{.message = foreign_store(options.store)});
  }
  if (!is_shared(options.store)) return open_sqlite_store(options);
  auto driver = make_driver(options.store, options.read_only);
  if (!driver) return tl::unexpected(driver.error());
  return shared::open_shared_store(std::move(*driver), options);
}

namespace {

/// A session on a database, for what is not the store's daily work.
struct Visit {
  std::unique_ptr<shared::Driver> driver;
  std::unique_ptr<shared::Session> session;

  static StoreResult<Visit> pay(const std::string& store, bool read_only, bool upgrades = false) {
    auto driver = make_driver(store, read_only);
    if (!driver) return tl::unexpected(driver.error());
    auto session = upgrades ? (*driver)->connect_for_upgrade() : (*driver)->connect();
    if (!session) return tl::unexpected(shared::to_error(**driver, session.error()));
    return Visit{std::move(*driver), std::move(*session)};
  }

  [[nodiscard]] StoreError error(const shared::Fault& fault) const {
    return shared::to_error(*driver, fault);
  }
};

StoreResult<StoreStatus> database_status(const std::string& store) {
  const auto visit = Visit::pay(store, true);
  if (!visit) return tl::unexpected(visit.error());
  const auto found = visit->session->describe();
  if (!found) return tl::unexpected(visit->error(found.error()));
  StoreStatus status{.name = visit->driver->name(),
                     .engine = found->server,
                     .schema = found->schema_version,
                     .schema_newest = shared::schema_version,
                     .caution = found->caution};
  if (status.schema == 0) return status;
  if (found->kept.window) adopt(found->kept, status.rules.emplace());
  if (auto right = shared::check_version(*visit->driver, *found); !right) {
    status.trouble = right.error().message;
    return status;
  }
  const auto head = visit->session->head({});
  if (!head) return tl::unexpected(visit->error(head.error()));
  status.counts = head->counts;
  if (const auto ready = visit->session->ready(); !ready) status.trouble = ready.error().message;
  return status;
}

StoreResult<StoreStatus> file_status(const std::string& store) {
  StoreStatus status{.name = store,
                     .engine = "SQLite file",
                     .schema = sqlite_schema_version,
                     .schema_newest = sqlite_schema_version};
  const auto schema = schema_of_sqlite(store);
  if (!schema) return tl::unexpected(schema.error());
  if (auto opened = open_store({.store = store, .read_only = true})) {
    status.rules = (*opened)->rules();
    status.counts = (*opened)->counts();
    status.trouble = why_not_written_sqlite(store);
  } else if (*schema != sqlite_schema_version) {
    status.schema = *schema;
    status.trouble = opened.error().message;
  } else {
    return tl::unexpected(opened.error());
  }
  return status;
}

}  // namespace

StoreResult<StoreStatus> store_status(const std::string& store) {
  return is_shared(store) ? database_status(store) : file_status(store);
}

StoreResult<int> make_store(const std::string& store, const Rules& rules) {
  if (!is_shared(store)) {
    std::error_code ignored;
    const bool there = std::filesystem::exists(store, ignored);
    auto opened = open_store({.store = store, .rules = rules});
    if (!opened) return tl::unexpected(opened.error());
    return there ? sqlite_schema_version : 0;
  }
  const auto visit = Visit::pay(store, false);
  if (!visit) return tl::unexpected(visit.error());
  Rules made = rules;
  made.confirmation_secret = fresh_secret(*system_random());
  const auto found = visit->session->make(made);
  if (!found) return tl::unexpected(visit->error(found.error()));
  shared::Description there;
  there.schema_version = *found == 0 ? shared::schema_version : *found;
  if (auto right = shared::check_version(*visit->driver, there); !right)
    return tl::unexpected(right.error());
  return *found;
}

StoreResult<Upgraded> upgrade_store(const UpgradeOptions& options) {
  if (!is_shared(options.store)) return upgrade_sqlite_store(options);
  const auto visit = Visit::pay(options.store, false, true);
  if (!visit) return tl::unexpected(visit.error());
  auto upgraded = visit->session->upgrade(options.before_step);
  if (!upgraded) return tl::unexpected(visit->error(upgraded.error()));
  return std::move(*upgraded);
}

std::uint64_t WindowChanged::forgotten() const {
  std::uint64_t sum = 0;
  for (const OperationTokens& each : operations) sum += each.forgotten;
  return sum;
}

StoreResult<WindowInForce> window_in_force(const std::string& store) {
  const auto reader = read_records(store);
  if (!reader) return tl::unexpected(reader.error());
  WindowInForce found{.name = shown_store(store), .rules = (*reader)->rules()};
  const std::uint64_t seq = found.rules.history.seq;
  if (seq == 0) return found;
  std::vector<Record> records;
  if (auto read = (*reader)->read(seq - 1, 1, records); !read) return tl::unexpected(read.error());
  if (records.size() != 1 || records[0].seq != seq || !window_change_in(records[0]))
    return tl::unexpected(damaged_journal(found.name, seq, "it is not the change of the window"));
  found.change = std::move(records[0]);
  return found;
}

StoreResult<WindowChanged> change_store_window(const WindowOptions& options) {
  if (options.window < Duration(1))
    return tl::unexpected(StoreError{.message = "the window must be longer than zero"});
  if (!is_shared(options.store)) return change_sqlite_window(options);
  const auto visit = Visit::pay(options.store, false, true);
  if (!visit) return tl::unexpected(visit.error());
  return shared::change_window(*visit->driver, *visit->session, options);
}

StoreResult<void> mark_copy(const std::string& store, bool under_way) {
  if (!is_shared(store)) return {};
  const auto visit = Visit::pay(store, false);
  if (!visit) return tl::unexpected(visit.error());
  const auto marked = visit->session->mark_copy(under_way);
  if (!marked) return tl::unexpected(visit->error(marked.error()));
  return {};
}

/// Each has a secret of its own, from the day it was made.
StoreResult<bool> same_store(const std::string& one, const std::string& other) {
  std::array<std::optional<HashKey>, 2> secrets;
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    const std::string& store = i == 0 ? one : other;
    if (!is_shared(store)) return false;
    const auto visit = Visit::pay(store, true);
    if (!visit) return tl::unexpected(visit.error());
    const auto found = visit->session->describe();
    if (!found) return tl::unexpected(visit->error(found.error()));
    secrets.at(i) = found->kept.confirmation_secret;
  }
  return secrets[0] && secrets[0] == secrets[1];
}

StoreResult<void> grant_store(const std::string& store, const std::string& service,
                              const std::string& auditor) {
  const auto visit = Visit::pay(store, false);
  if (!visit) return tl::unexpected(visit.error());
  const auto granted = visit->session->grant(service, auditor);
  if (!granted) return tl::unexpected(visit->error(granted.error()));
  return {};
}

StoreResult<std::unique_ptr<RecordReader>> read_records(const std::string& store) {
  if (!is_shared(store)) return read_sqlite_records(store);
  auto driver = make_driver(store, true);
  if (!driver) return tl::unexpected(driver.error());
  return shared::read_shared_records(std::move(*driver));
}

}  // namespace holdfast
