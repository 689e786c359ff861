#include "store/row_lists.hpp"

#include <algorithm>

namespace holdfast {

void merge(std::vector<WantedList>& lists) {
  std::sort(lists.begin(), lists.end(), [](const WantedList& a, const WantedList& b) {
    return RowName(a.name) < RowName(b.name);
  });
  std::vector<WantedList> merged;
  for (WantedList& each : lists) {
    if (each.limit == 0) continue;
    each.limit = std::min(each.limit, listed_rows_max);
    if (merged.empty() || RowName(merged.back().name) != RowName(each.name)) {
      merged.push_back(std::move(each));
    } else {
      std::size_t& limit = merged.back().limit;
      limit = std::min(limit + each.limit, listed_rows_max);
    }
  }
  lists = std::move(merged);
}

void load_lists(std::vector<WantedList> lists, const ModuleStates& from, Instant now,
                WorkingSet& rows) {
  merge(lists);
  for (const WantedList& each : lists) {
    const OwnedRowName& list = each.name;
    const auto found = from.list({.space = list.space,
                                  .tenant = list.tenant,
                                  .parent = list.key,
                                  .last_position = now.time_since_epoch().count(),
                                  .limit = each.limit});
    for (const RowFound& row : found)
      rows.load_list(list, {list.space, list.tenant, row.place.key}, row.row);
  }
}

}  // namespace holdfast
