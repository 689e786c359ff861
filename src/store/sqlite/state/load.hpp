#pragma once

#include <vector>

#include "store/sqlite/state/resident.hpp"
#include "store/store.hpp"

namespace holdfast::sqlite {

/// The tokens whose outcomes can be answered only with their records, which are in the file.
using Told = std::vector<Hash128>;

/// Copies every row the keys name from the resident state into the unit.
[[nodiscard]] Told load(const Resident& resident, const Keys& keys, Unit& unit);

}  // namespace holdfast::sqlite
