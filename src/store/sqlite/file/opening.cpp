#include "store/sqlite/file/opening.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/percent.hpp"
#include "base/real_path.hpp"
#include "domain/confirmation.hpp"
#include "domain/digest.hpp"
#include "store/kept_rules.hpp"
#include "store/sqlite/file/description.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/file/log_check.hpp"
#include "store/sqlite/file/schema.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/views.hpp"

namespace holdfast::sqlite {
namespace {

constexpr int application_id = 0x484f4c44;  // "HOLD"

/// Whether there is nothing in the file but perhaps SQLite's own beginning. SQLite takes a few
/// bytes of anything for an empty database.
bool is_blank(const std::string& path) {
  constexpr std::string_view beginning("SQLite format 3\0", 16);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char begin[beginning.size()];
  const ssize_t size = ::pread(fd, begin, sizeof begin, 0);
  ::close(fd);
  return size == 0 ||
         (size > 0 && std::string_view(begin, static_cast<std::size_t>(size)) == beginning);
}

Expected<void> put(Connection& connection, std::string_view key, std::optional<std::int64_t> number,
                   std::string_view text = {}) {
  auto insert = connection.prepare("INSERT INTO meta(key,value) VALUES(?,?)");
  if (!insert) return tl::unexpected(insert.error());
  insert->bind_text(1, key);
  if (!text.empty()) insert->bind_text(2, text);
  if (number) insert->bind(2, *number);
  if (insert->step() != SQLITE_DONE) return tl::unexpected(connection.fault());
  return {};
}

Expected<void> create(Connection& connection, const Rules& rules) {
  const std::string tables =
      fmt::format("BEGIN IMMEDIATE; PRAGMA application_id={}; PRAGMA user_version={}; {} {}",
                  application_id, schema_version, tables_sql(), views_sql(Dialect::sqlite));
  auto made = connection.run(tables.c_str());
  if (made) made = put(connection, "digest_function", std::nullopt, digest_function);
  if (made) made = put(connection, views_name, std::nullopt, views_mark(Dialect::sqlite));
  std::vector<KeptNumber> numbers = kept_numbers(rules);
  const bool brought = rules.confirmation_secret != HashKey{};
  for (KeptNumber& each :
       secret_numbers(brought ? rules.confirmation_secret : fresh_secret(*system_random())))
    numbers.push_back(std::move(each));
  for (const KeptNumber& each : numbers) {
    if (made) made = put(connection, each.name, each.number);
  }
  if (made) made = seal_description(connection);
  if (made) made = connection.run("COMMIT");
  return made;
}

Expected<KeptRules> read_meta(Connection& connection) {
  KeptRules kept;
  auto select = connection.prepare("SELECT key, value FROM meta");
  if (!select) return tl::unexpected(select.error());
  int code = SQLITE_ROW;
  while ((code = select->step()) == SQLITE_ROW) {
    const std::string key(select->bytes(0));
    std::optional<std::int64_t> number;
    if (!select->is_null(1)) number = select->integer(1);
    if (key == "digest_function") kept.digest_function = select->bytes(1);
    keep_number(kept, key, number);
  }
  if (code != SQLITE_DONE) return tl::unexpected(connection.fault());
  return kept;
}

StoreError no_store(const std::string& path) {
  return error_about(
      path,
      "it is not a store, or what is left of one that was cut off. Give the name of a "
      "store, or restore it from a backup.");
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(behind_links(path)).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Whether nothing can be put beside the file, and nothing is there that belongs to it. SQLite
/// needs to put its index of the log there, unless it is told that the file does not change.
bool is_immutable(const std::string& path) {
  return ::faccessat(AT_FDCWD, folder_of(path).c_str(), W_OK, AT_EACCESS) != 0 &&
         ::access(log_of(path).c_str(), F_OK) != 0;
}

std::string immutable_address(const std::string& path) {
  return fmt::format("file:{}?immutable=1", percent_encoded(path));
}

/// The file must be ours. Returns its schema.
StoreResult<int> schema_in(const std::string& path, Connection& connection) {
  const auto id = connection.integer("PRAGMA application_id");
  if (!id) return tl::unexpected(describe(path, id.error()));
  if (*id != application_id && !is_blank(path)) return tl::unexpected(no_store(path));
  if (*id != application_id) {
    return tl::unexpected(
        error_about(path,
                    "this is an SQLite database, but not a Holdfast store. Give "
                    "the name of a store, or of a file that does not exist yet."));
  }
  const auto version = connection.integer("PRAGMA user_version");
  if (!version) return tl::unexpected(describe(path, version.error()));
  return static_cast<int>(*version);
}

StoreResult<void> check_schema(const std::string& path, int version, int oldest) {
  if (version >= oldest && version <= schema_version) return {};
  if (version >= sqlite_schema_oldest && version < schema_version) {
    return tl::unexpected(error_about(
        path, fmt::format("the store has schema {}, this program needs schema {}. Make a backup, "
                          "and run `holdfast store upgrade {}`.",
                          version, schema_version, path)));
  }
  return tl::unexpected(error_about(
      path, fmt::format("the store has schema {}, this program writes schema {}. Use the version "
                        "of Holdfast that made it.",
                        version, schema_version)));
}

/// The file must be ours, of a schema that may be no older, and made with the same digest function.
StoreResult<KeptRules> identify(const std::string& path, Connection& connection,
                                int oldest = schema_version) {
  const auto version = schema_in(path, connection);
  if (!version) return tl::unexpected(version.error());
  if (auto right = check_schema(path, *version, oldest); !right)
    return tl::unexpected(right.error());
  auto stored = read_meta(connection);
  if (!stored) return tl::unexpected(describe(path, stored.error()));
  if (auto sound = check_kept(path, *stored); !sound) return tl::unexpected(sound.error());
  if (oldest == schema_version) {
    if (auto all = check_operations(path, *stored); !all) return tl::unexpected(all.error());
  }
  return *stored;
}

}  // namespace

namespace {

StoreResult<void> check_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return tl::unexpected(
        error_about(path, fmt::format("there is no store here: {}.", std::strerror(errno))));
  }
  if (S_ISDIR(info.st_mode))
    return tl::unexpected(error_about(path, "this is a folder, not a store."));
  if (info.st_nlink > 1) return tl::unexpected(second_name(path));
  if (auto there = check_file_of_log(path); !there) return there;
  if (info.st_size == 0) return tl::unexpected(no_store(path));
  return check_log(path);
}

Expected<Connection> open_to_read(const std::string& path, const std::string& vfs) {
  if (!is_immutable(path)) return Connection::open(path, SQLITE_OPEN_READONLY, vfs);
  return Connection::open(immutable_address(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs);
}

}  // namespace

StoreResult<Connection> open_owned(const StoreOptions& options, Rules& rules) {
  const auto failed = [&](const Fault& fault) {
    return tl::unexpected(describe(options.store, fault));
  };
  if (auto whole = check_log(options.store); !whole) return tl::unexpected(whole.error());
  auto connection =
      Connection::open(options.store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options.vfs);
  if (!connection) return failed(connection.error());
  connection->keep_log_at_close(true);  // what is refused is left as it is
  const auto tables = connection->integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return failed(tables.error());
  const auto id = connection->integer("PRAGMA application_id");
  if (!id) return failed(id.error());
  if (sqlite3_db_readonly(connection->raw(), "main") ==
      1) {  // else it would not be said until later
    return tl::unexpected(error_about(options.store,
                                      "the file may only be read. Check that it may be "
                                      "written, or only read the store."));
  }
  const bool is_new = *tables == 0 && *id == 0;
  if (is_new && !is_blank(options.store)) {
    return tl::unexpected(no_store(options.store));
  }
  if (is_new || *id == application_id) {  // another program's database is not touched
    const auto set = connection->run(
        "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY;");
    if (!set) return failed(set.error());
  }
  if (is_new) {
    rules.window = options.window.value_or(options.rules.window);
    if (auto made = create(*connection, rules); !made) return failed(made.error());
    if (!sync_folder_of(options.store)) {
      return tl::unexpected(
          error_about(options.store, "the folder could not be synced to disk. Check the disk."));
    }
  }
  const auto stored = identify(options.store, *connection);
  if (!stored) return tl::unexpected(stored.error());
  if (auto sound = check_description(options.store, *connection); !sound) {
    return tl::unexpected(sound.error());
  }
  if (auto agreed = reconcile(options, *stored, rules); !agreed) {
    return tl::unexpected(agreed.error());
  }
  return std::move(*connection);
}

StoreResult<Connection> open_reader(const std::string& path, const std::string& vfs, Rules& rules) {
  if (auto there = check_file(path); !there) return tl::unexpected(there.error());
  return open_beside_owner(path, vfs, rules);
}

StoreResult<Connection> open_beside_owner(const std::string& path, const std::string& vfs,
                                          Rules& rules) {
  auto connection = open_to_read(path, vfs);
  if (!connection) return tl::unexpected(describe(path, connection.error()));
  const auto stored = identify(path, *connection);
  if (!stored) return tl::unexpected(stored.error());
  adopt(*stored, rules);
  return std::move(*connection);
}

/// Whoever has the file open to read or to write has a lock on it that this one does not go with:
/// another version may not be surprised by what is done.
StoreResult<Connection> open_alone(const std::string& path, const std::string& vfs,
                                   const Alone& alone, KeptRules& kept) {
  if (auto there = check_file(path); !there) return tl::unexpected(there.error());
  auto connection = Connection::open(path, SQLITE_OPEN_READWRITE, vfs);
  if (!connection) return tl::unexpected(describe(path, connection.error()));
  connection->keep_log_at_close(true);  // what is refused is left as it is
  auto set = connection->run(
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"
      "PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY; BEGIN IMMEDIATE");
  if (!set && (set.error().code & 0xff) == SQLITE_BUSY) {
    return tl::unexpected(
        error_about(path, fmt::format("somebody is reading the store. Stop whatever has it open: "
                                      "{}.",
                                      alone.why)));
  }
  if (!set) return tl::unexpected(describe(path, set.error()));
  const auto stored = identify(path, *connection, alone.oldest);
  if (!stored) return tl::unexpected(stored.error());
  kept = *stored;
  if (auto sound = check_description(path, *connection); !sound)
    return tl::unexpected(sound.error());
  return std::move(*connection);
}

Expected<bool> has_these_views(Connection& connection) {
  auto mark = connection.prepare("SELECT value FROM meta WHERE key=?");
  if (!mark) return tl::unexpected(mark.error());
  mark->bind_text(1, views_name);
  const int code = mark->step();
  if (code != SQLITE_ROW && code != SQLITE_DONE) return tl::unexpected(connection.fault());
  return code == SQLITE_ROW && mark->bytes(0) == views_mark(Dialect::sqlite);
}

}  // namespace holdfast::sqlite

namespace holdfast {

StoreResult<int> schema_of_sqlite(const std::string& path) {
  if (auto there = sqlite::check_file(path); !there) return tl::unexpected(there.error());
  auto connection = sqlite::open_to_read(path, {});
  if (!connection) return tl::unexpected(sqlite::describe(path, connection.error()));
  return sqlite::schema_in(path, *connection);
}

std::string why_not_written_sqlite(const std::string& path) {
  const std::string file = behind_links(path);
  const std::string folder = sqlite::folder_of(path);
  for (const std::string& each : {file, folder, file + "-lock", file + "-wal", file + "-shm"}) {
    const int mode = each == folder ? W_OK | X_OK : W_OK;
    if (::faccessat(AT_FDCWD, each.c_str(), mode, AT_EACCESS) == 0 || errno == ENOENT) continue;
    return fmt::format("{} may not be written: {}", each, std::strerror(errno));
  }
  return {};
}

}  // namespace holdfast
