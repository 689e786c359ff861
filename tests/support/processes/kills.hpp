#pragma once

#include <algorithm>
#include <cstdlib>

namespace holdfast::test {

/// How often a test kills what works at effects, webhooks and deliveries, on the embedded store; on
/// the others it is a fifth of that. 50, or as many as HOLDFAST_EFFECT_KILLS says: 500 is the long
/// form.
[[nodiscard]] inline int kills_wanted(bool shared) {
  static const int kills = [] {
    const char* const given = std::getenv("HOLDFAST_EFFECT_KILLS");
    const int wanted = given == nullptr ? 50 : std::max(1, std::atoi(given));
    ::unsetenv("HOLDFAST_EFFECT_KILLS");  // the real program refuses variables it does not know
    return wanted;
  }();
  return shared ? std::max(1, kills / 5) : kills;
}

}  // namespace holdfast::test
