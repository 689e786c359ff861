#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.hpp"

namespace holdfast {

/// The lists that are read page by page. A cursor of one means nothing in another.
enum class List : char { holds = 'h', resources = 'r' };

/// Where a list goes on. What a position counts is the store's own affair; none is 0.
[[nodiscard]] std::string cursor_at(List list, std::uint64_t position);

/// The position a cursor stands for; nothing of an empty one. Refused if no list like this one gave
/// it out.
[[nodiscard]] StoreResult<std::optional<std::uint64_t>> position_of(List list,
                                                                    std::string_view cursor);

/// The same of lists of a module's rows; `cursor_at` of a place is the port's.
[[nodiscard]] StoreResult<std::optional<RowPlace>> place_of(std::string_view cursor);

/// A page of a list of rows, of which one more than its limit was read if there is one.
[[nodiscard]] Page<RowFound> page_of(std::vector<RowFound> found, std::size_t limit);

/// What a store that has its rows in memory answers.
[[nodiscard]] StoreResult<Page<RowFound>> read_rows(const ModuleStates& rows,
                                                    std::string_view tenant, const RowQuery& query);

}  // namespace holdfast
