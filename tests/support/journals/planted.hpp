#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "support/journals/history.hpp"

namespace holdfast::test {

/// A history with something wrong in it. The first of `broken` is what it is an example of; the
/// rest are what that breaks besides, and there is nothing else.
struct Planted {
  std::string name;
  std::vector<std::string> broken;
  History history;
};

inline void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

/// At least one for each invariant.
[[nodiscard]] std::vector<Planted> planted_violations();

}  // namespace holdfast::test
