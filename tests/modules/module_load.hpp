#pragma once

#include <fmt/format.h>

#include <functional>

#include "modules/module_calls.hpp"

namespace holdfast::test {

/// The call that a token stands for, in the process that is killed and in the one that judges it.
/// Half of the counters and things are kept, the others are gone within milliseconds.
[[nodiscard]] inline Call call_of(const std::string& token) {
  const std::size_t drawn = std::hash<std::string>()(token);
  const bool kept = drawn % 2 == 0;
  const std::string group = kept ? "kept" : "brief";
  const Duration lifetime = kept ? 24h : 3ms;
  const std::string name = fmt::format("{}/n{}", group, drawn / 2 % 3);
  const std::size_t what = drawn / 8 % 8;
  if (what == 0) return take(group, 2, token, 3ms);
  if (what == 1) return remove(name, token);
  if (what < 4) return put(name, token, lifetime);
  return add(name, static_cast<std::int64_t>(1 + drawn / 64 % 9), token, lifetime);
}

/// What was answered, in a line.
[[nodiscard]] inline std::string told_of(const Answer& answer) {
  return answer.ok() ? answer.document : "refused";
}

}  // namespace holdfast::test
