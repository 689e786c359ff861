#pragma once

#include <optional>
#include <string>

#include "cli/change.hpp"
#include "holdfast/commands.hpp"

namespace holdfast::cli {

struct SubmitAsked {
  Submitting what;
  ChangeOptions change;
  std::string registry;  ///< the file, for a store; empty: a server has its own
};

/// Submits a command to a server, or to a store by the registry in a file.
int submit_command(Context& context, SubmitAsked asked);

}  // namespace holdfast::cli
