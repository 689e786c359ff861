#pragma once

#include <cstdint>
#include <string>

#include "store/store.hpp"

/// A store's write-ahead log, before SQLite reads it.
namespace holdfast::sqlite {

/// The name of a store's log.
[[nodiscard]] std::string log_of(const std::string& path);

/// How many transactions may be in the log and not yet synced.
inline constexpr std::uint64_t unsynced_commits_max = 12;

/// Refuses a log that has lost what was answered.
///
/// SQLite takes the first frame that does not follow from the ones before for the end of the log.
/// After a power failure that is right: what is behind it was never synced. But of that there are
/// never more than a few transactions. If there are more, the log is damaged in the middle, and
/// opening the store would drop them without a word.
[[nodiscard]] StoreResult<void> check_log(const std::string& path);

/// Refuses a missing or an empty file beside a log that is not: SQLite would make a new database
/// and remove the log.
[[nodiscard]] StoreResult<void> check_file_of_log(const std::string& path);

/// Syncs what was just read of a log that may be another process's.
[[nodiscard]] StoreResult<void> sync_log_of(const std::string& path);

}  // namespace holdfast::sqlite
