#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace holdfast::test {

/// The keys that a process which is killed and the test that kills it agree on.
struct RoundKey {
  std::string shield;
  std::string key;
};

/// A few commands behind each shield, for each of these rounds.
[[nodiscard]] inline std::vector<RoundKey> keys_of_rounds(int first, int last) {
  std::vector<RoundKey> keys;
  for (int round = first; round <= last; ++round) {
    for (int i = 0; i < 3; ++i) {
      for (const char* const shield : {"s1", "s2", "s3", "s4"})
        keys.push_back({shield, fmt::format("{}_r{}_{}", shield, round, i)});
    }
  }
  return keys;
}

}  // namespace holdfast::test
