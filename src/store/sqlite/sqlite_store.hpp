#pragma once

#include "store/open.hpp"

namespace holdfast {

/// The only schema of a store's file this program reads and writes, and the oldest that it can
/// bring there.
inline constexpr int sqlite_schema_version = 3;
inline constexpr int sqlite_schema_oldest = 2;

/// The embedded store: the journal in one SQLite file, the state it folds to in memory.
[[nodiscard]] StoreResult<std::unique_ptr<Store>> open_sqlite_store(const StoreOptions& options);

[[nodiscard]] StoreResult<std::unique_ptr<RecordReader>> read_sqlite_records(
    const std::string& path);

/// See `upgrade_store`.
[[nodiscard]] StoreResult<Upgraded> upgrade_sqlite_store(const UpgradeOptions& options);
/// See `change_store_window`.
[[nodiscard]] StoreResult<WindowChanged> change_sqlite_window(const WindowOptions& options);
/// What schema the store in a file has, of this program's or not.
[[nodiscard]] StoreResult<int> schema_of_sqlite(const std::string& path);

/// Why this process may not write to a store that is there; empty if nothing forbids it.
[[nodiscard]] std::string why_not_written_sqlite(const std::string& path);

}  // namespace holdfast
