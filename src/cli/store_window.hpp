#pragma once

#include <optional>
#include <string>

#include "cli/context.hpp"

namespace holdfast::cli {

/// What `store window` is asked for.
struct WindowAsked {
  std::string store;
  std::optional<std::string> window{};  ///< none: only say which is in force
  bool yes = false;                     ///< to what a shorter one forgets
};

int store_window(Context& context, const WindowAsked& asked);

}  // namespace holdfast::cli
