#pragma once

#include <fmt/format.h>

#include <functional>

#include "modules/counter_calls.hpp"

namespace holdfast::test {

/// The call that a token stands for, in the process that is killed and in the one that judges it.
/// Half of the counters are kept, the others are reset within milliseconds.
[[nodiscard]] inline Call addition(const std::string& token) {
  const std::size_t drawn = std::hash<std::string>()(token);
  const bool kept = drawn % 2 == 0;
  return add(fmt::format("{}/n{}", kept ? "kept" : "brief", drawn / 2 % 3),
             static_cast<std::int64_t>(1 + drawn / 8 % 9), token, kept ? Duration(24h) : 3ms);
}

}  // namespace holdfast::test
