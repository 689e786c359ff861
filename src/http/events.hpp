#pragma once

#include <string_view>
#include <vector>

#include "store/store.hpp"

namespace holdfast::http {

/// Records of one tenant that changed something.
struct EventPage {
  std::vector<Record> events;
  std::uint64_t last_seq = 0;  ///< everything up to here was looked at
  bool at_end = false;         ///< there was nothing after it
};

/// The events after a sequence number, in commit order, at most so many. A page may be shorter
/// than asked for and not be the end: a long search is cut into steps.
[[nodiscard]] StoreResult<EventPage> read_events(const Store& store, std::string_view tenant,
                                                 std::uint64_t after, std::size_t limit);

}  // namespace holdfast::http
