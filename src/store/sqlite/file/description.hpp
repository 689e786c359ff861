#pragma once

#include <string>
#include <vector>

#include "store/sqlite/file/connection.hpp"
#include "store/store.hpp"

/// What a store's file says about itself: its tables and views, and what `meta` holds. The journal
/// has its chain of checksums; this part has one checksum of its own, in `meta`. It guards against
/// damage, not against forgers. Views that somebody adds are not covered, and do no harm.
namespace holdfast::sqlite {

/// The last step of making a store or changing what it says about itself, inside its transaction:
/// seals the tables and this program's views, which are all there.
[[nodiscard]] Expected<void> seal_description(Connection& connection);

/// The views that were sealed, of whatever version they are.
[[nodiscard]] Expected<std::vector<std::string>> sealed_views(Connection& connection);

/// Refuses a file whose description is not the one it was sealed with.
[[nodiscard]] StoreResult<void> check_description(const std::string& path, Connection& connection);

}  // namespace holdfast::sqlite
