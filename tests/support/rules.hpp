#pragma once

#include "domain/rules.hpp"

namespace holdfast::test {

/// Tokens are kept for ten minutes, unless something else is asked for: many tests wait until they
/// are forgotten.
[[nodiscard]] inline Rules short_rules(Rules rules = {}) {
  if (rules.window == Rules{}.window) rules.window = std::chrono::minutes(10);
  return rules;
}

}  // namespace holdfast::test
