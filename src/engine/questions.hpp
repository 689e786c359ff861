#pragma once

#include "store/store.hpp"

/// What can be asked of a store besides what stands in it: answers that are put together of several
/// rows.
namespace holdfast {

/// Every hold of a group as it is now, in the order they were placed.
[[nodiscard]] StoreResult<std::optional<Group>> read_group(const Store& store,
                                                           std::string_view tenant, GroupId id);

/// What a place would be answered now, without its id and its token. Nothing is changed.
[[nodiscard]] StoreResult<Answer> try_to_place(const Store& store, std::string_view tenant,
                                               const Placing& what);

}  // namespace holdfast
