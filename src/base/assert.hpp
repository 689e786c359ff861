#pragma once

namespace holdfast {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}

/// On in every build. For what only a bug in Holdfast can make false, never for input.
#define HOLDFAST_ASSERT(condition)        \
  (static_cast<bool>(condition) ? void(0) \
                                : ::holdfast::assertion_failed(#condition, __FILE__, __LINE__))
