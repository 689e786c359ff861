#pragma once

#include <optional>
#include <string>

#include "cli/context.hpp"
#include "cli/program.hpp"

/// What the commands that change something have in common.
namespace holdfast::cli {

struct ChangeOptions {
  std::optional<std::string> token;  ///< unset: a fresh one
  std::string window;
  std::string confirmation;
};

void add_change_options(Options& options, ChangeOptions& change);

/// Opens the store as its owner, or asks the server; prints the answer.
int run_change(Context& context, const ChangeOptions& options, Command command);

/// The refusals a command that is this operation can end in, in order of their exit codes.
[[nodiscard]] std::span<const Rejection> refusals_of(Operation operation);

/// Says what the command would be answered. Nothing is changed, and a store that is not there yet
/// is not made.
[[nodiscard]] int run_dry(Context& context, const ChangeOptions& options, const Command& command);

}  // namespace holdfast::cli
