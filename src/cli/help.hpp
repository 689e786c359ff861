#pragma once

#include <string>
#include <string_view>

#include "cli/program.hpp"

/// The texts of `--help` that are not about one command.
namespace holdfast::cli {

extern const std::string_view program_paragraph;

/// Durations, environment, and every exit code, from the rejection table.
[[nodiscard]] std::string program_footer();

/// Examples, common options and the exit codes a command can end with.
[[nodiscard]] std::string command_footer(const Lesson& lesson);

[[nodiscard]] std::string version_line();

}  // namespace holdfast::cli
