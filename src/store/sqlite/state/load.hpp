#pragma once

#include "store/sqlite/state/resident.hpp"
#include "store/store.hpp"

namespace holdfast::sqlite {

/// Copies every row the keys name from the resident state into the unit.
void load(const Resident& resident, const Keys& keys, Unit& unit);

}  // namespace holdfast::sqlite
