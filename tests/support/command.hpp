#pragma once

#include <string>

namespace holdfast::test {

struct CommandOutput {
  int exit_code = -1;  ///< or that of a shell whose command was ended by a signal
  std::string text;    ///< of the standard output
};

/// Runs a line of shell to its end.
[[nodiscard]] CommandOutput run_command(const std::string& line);
/// The same, if it succeeds. Throws if not.
[[nodiscard]] std::string output_of(const std::string& line);

/// The program under test with these arguments, in that folder and with nothing in its environment:
/// both its streams.
[[nodiscard]] CommandOutput run_holdfast(const std::string& arguments,
                                         const std::string& folder = ".");

}  // namespace holdfast::test
