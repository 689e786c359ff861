#pragma once

#include "store/sqlite/journal/journal.hpp"
#include "store/sqlite/state/resident.hpp"
#include "store/store.hpp"

namespace holdfast::sqlite {

/// Where a fold ended.
struct Folded {
  std::uint64_t last_seq = 0;
  std::uint64_t chain = 0;
  Instant last_at = Instant::min();
};

/// Builds the resident state from the journal. Damage is named, never passed over: a missing or
/// changed record, or one that cannot follow from those before it. Tokens whose window is over at
/// `now` are left out. `progress` is told how many records of how many were read, now and then.
[[nodiscard]] StoreResult<Folded> fold_journal(const std::string& path, Connection& connection,
                                               JournalReader& journal, Instant now,
                                               Resident& resident, const Progress& progress);

}  // namespace holdfast::sqlite
