#pragma once

#include "domain/request.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::shared {

/// What a batch names, sorted and each once. The views are of the requests' own bytes.
[[nodiscard]] Wanted wanted_by(const Keys& keys);

/// Copies what was loaded into the rows a decision looks at; they keep views of both.
void fill(WorkingSet& rows, const Wanted& wanted, const Loaded& loaded);

/// What the records of a batch do to the tables: `apply`, in rows.
[[nodiscard]] Changes changes_of(const Records& records, const Wanted& wanted, const Loaded& loaded,
                                 const Rules& rules);

}  // namespace holdfast::shared
