#pragma once

#include <vector>

#include "domain/module_state.hpp"
#include "domain/rows.hpp"

/// Lists of modules' rows that a batch wants the first rows of.
namespace holdfast {

/// How many rows a batch is given of one list, however many its requests want.
inline constexpr std::size_t listed_rows_max = 4096;

/// A list that owns the parts of its name; the key of that is the parent.
struct WantedList {
  OwnedRowName name;
  std::size_t limit = 1;

  explicit WantedList(const RowList& list)
      : name(RowName{list.space, list.tenant, list.parent}), limit(list.limit) {}
};

/// Each list once, in byte order, with as many rows as are wanted of it together: at least one.
void merge(std::vector<WantedList>& lists);

/// Merges the lists, and loads what is ready of them from rows that are in memory.
void load_lists(std::vector<WantedList> lists, const ModuleStates& from, Instant now,
                WorkingSet& rows);

}  // namespace holdfast
