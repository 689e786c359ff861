#pragma once

#include <optional>
#include <string_view>

#include "cli/failure.hpp"
#include "cli/options.hpp"

namespace holdfast::cli {

/// `--server` and what goes with it.
void add_server_options(Options& options, Settings& settings);

/// Why the options about servers make no sense for this command; nothing when they do. `remote`:
/// the command works on servers, too.
[[nodiscard]] std::optional<Failure> server_misuse(const Context& context, std::string_view command,
                                                   bool remote);

}  // namespace holdfast::cli
