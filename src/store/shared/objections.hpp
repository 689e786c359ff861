#pragma once

#include <string>
#include <vector>

#include "store/checksum.hpp"
#include "store/shared/driver.hpp"
#include "store/store.hpp"

/// What is said of a shared store that cannot be used.
namespace holdfast::shared {

inline constexpr std::string_view half_copy =
    "a copy into this store has begun and not ended. `holdfast store copy` goes on where it was "
    "interrupted; until then, tokens that are still to come would be taken for unused.";

inline constexpr std::string_view other_window =
    "the window of the store was changed after this node was started; start it again";

/// An error of the port, with the name of the store in front.
[[nodiscard]] StoreError to_error(const Driver& driver, const Fault& fault);

/// What is wrong with a database that has no store in it, one of another version, or half of one,
/// and what to do. Empty: nothing.
[[nodiscard]] std::string objection_to(const Description& found);
/// Why a store cannot be upgraded by this program, whatever else there is to say of it.
[[nodiscard]] std::string objection_to_upgrade(const Description& found);
inline constexpr std::string_view outdated_schema =
    "what is of the older version cannot go on with the new schema";
inline constexpr std::string_view outdated_window =
    "what has begun with the old window cannot go on with the new one";

/// What is said while others are at work on it, who are named, and why they must not be.
[[nodiscard]] std::string at_work(const std::vector<std::string>& others,
                                  std::string_view why = outdated_schema);
/// Refuses such a database.
[[nodiscard]] StoreResult<void> check_version(const Driver& driver, const Description& found);

/// The records that were asked for, unless one of them does not follow from the one before it.
[[nodiscard]] StoreResult<std::vector<Record>> linked(const Driver& driver, Links links,
                                                      std::vector<StoredRecord> found);

}  // namespace holdfast::shared
