#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace holdfast::test {

/// The webhooks that a process which is killed and the test that kills it agree on.
struct RoundEvent {
  std::string source;
  std::string event;
};

/// A few events of each source, for each of these rounds.
[[nodiscard]] inline std::vector<RoundEvent> events_of_rounds(int first, int last) {
  std::vector<RoundEvent> events;
  for (int round = first; round <= last; ++round) {
    for (int i = 0; i < 3; ++i) {
      for (const char* const source : {"bank", "shop", "mirror", "desk"})
        events.push_back({source, fmt::format("evt_{}_{}", round, i)});
    }
  }
  return events;
}

}  // namespace holdfast::test
