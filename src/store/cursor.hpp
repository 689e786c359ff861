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

}  // namespace holdfast
