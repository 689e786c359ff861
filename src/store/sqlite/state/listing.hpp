#pragma once

#include <shared_mutex>
#include <vector>

#include "store/sqlite/state/resident.hpp"
#include "store/store.hpp"

/// Lists over the resident state. A long search lets the writer in between its steps, and ends
/// after a bounded number of rows with a cursor to go on from.
namespace holdfast::sqlite {

/// Holds, newest first. `placed_seqs` gets, for each, the record that placed it.
[[nodiscard]] StoreResult<Page<HoldDetails>> list_holds(const Resident& resident,
                                                        std::shared_mutex& mutex,
                                                        std::string_view tenant,
                                                        const HoldQuery& query, Instant now,
                                                        std::vector<std::uint64_t>& placed_seqs);

/// Resources, in the order they were first named.
[[nodiscard]] StoreResult<Page<Resource>> list_resources(const Resident& resident,
                                                         std::shared_mutex& mutex,
                                                         std::string_view tenant,
                                                         const ResourceQuery& query, Instant now);

/// Rows of a module.
[[nodiscard]] StoreResult<Page<RowFound>> list_rows(const Resident& resident,
                                                    std::shared_mutex& mutex,
                                                    std::string_view tenant, const RowQuery& query);
/// As they were written last: of what is counted nobody is told what it is.
[[nodiscard]] ListSizes read_list_sizes(const Resident& resident, std::shared_mutex& mutex,
                                        std::string_view tenant, RowSpace space);

/// Without a lock: of a state that nobody changes meanwhile.
[[nodiscard]] Counts counts_of(const Resident& resident, std::uint64_t records);
[[nodiscard]] Footprint footprint_of(const Resident& resident);

[[nodiscard]] Resource resource_of(const Resident& resident, const ResourceSlot& slot, Instant now);

/// What there is to be had of a resource at that instant.
[[nodiscard]] Availability availability_of(const Resident& resident, const ResourceSlot& slot,
                                           Instant now);

}  // namespace holdfast::sqlite
