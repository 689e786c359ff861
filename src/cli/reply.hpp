#pragma once

#include "cli/context.hpp"
#include "cli/table.hpp"

/// The engine's answers, in words or as JSON.
namespace holdfast::cli {

/// Prints the answer to a state change, with its token so that it can be repeated, and returns
/// the exit code.
int reply(Context& context, const Answer& answer);

/// A group, hold by hold.
void print_group(Context& context, const Group& group);

/// A hold, one line a member. A resolved hold's last line is how it ended.
void print_hold(Context& context, const Hold& hold, bool lapsed = false);

/// The state in its colour; `held, lapsed` for a hold past its instant.
[[nodiscard]] Cell state_cell(HoldState state, bool lapsed);

/// A table of names and values without titles, for one thing.
[[nodiscard]] Table facts();

}  // namespace holdfast::cli
