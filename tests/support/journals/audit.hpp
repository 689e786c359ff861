#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace holdfast::test {

/// Every record there is.
[[nodiscard]] std::vector<Record> all_records(const Store& store);

/// What the invariants have to say of a history, a line for each breach; empty when all is well.
[[nodiscard]] std::vector<std::string> violations(const std::vector<Record>& records,
                                                  const Rules& rules);

/// The same of everything in the store. Besides, what the store shows must be what its records
/// say: holds, resources, counts and the rows of modules are compared with a fold of the records
/// made here.
[[nodiscard]] std::vector<std::string> violations(const Store& store);

}  // namespace holdfast::test
