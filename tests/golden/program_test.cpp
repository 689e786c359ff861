// What the program says of itself is what it was, byte for byte.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "golden/kept.hpp"
#include "support/command.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

/// In an empty folder, of which nothing is said.
std::string said_to(const std::string& arguments) {
  const TempDir folder;
  const CommandOutput said = run_holdfast(arguments, folder.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << arguments;
  return fmt::format("$ holdfast {}\n{}exit code {}\n\n", arguments, said.text, said.exit_code);
}

/// The first words of the lines below `Commands:`.
std::vector<std::string> commands() {
  std::vector<std::string> names;
  std::istringstream lines(said_to("--help"));
  bool below = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ' && below)
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (!line.starts_with(' ')) below = line.find("ommands:") != std::string::npos;
  }
  return names;
}

TEST(GoldenProgram, explains_itself_as_it_did) {
  std::string text = said_to("--help");
  EXPECT_GE(commands().size(), 15U);
  for (const std::string& each : commands()) text += said_to(each + " --help");
  expect_as_kept("help.txt", text);
}

TEST(GoldenProgram, has_the_settings_it_had) {
  expect_as_kept("settings.txt", said_to("config check") + said_to("config check --json"));
}

/// Mistakes on the command line, none of which makes a store.
TEST(GoldenProgram, refuses_what_it_did) {
  std::string text;
  for (const char* arguments : {"",
                                "extend",
                                "hold",
                                "hold room",
                                "hold room guest",
                                "hold room guest later",
                                "hold room guest 15m --quantity x",
                                "hold room guest 15m --quantity 1 --quantity 2",
                                "hold room guest 15m --tokens t",
                                "confirm",
                                "confirm nothing --tenant ''",
                                "release",
                                "expire",
                                "resource",
                                "resource row --capacity x",
                                "show",
                                "show nothing",
                                "list --state x",
                                "list --limit 0",
                                "token",
                                "token t",
                                "audit",
                                "config check --policies.hold_place.class x",
                                "config check --policies.hold_extend.class strict",
                                "config check --policies.resource_declare.window 0s",
                                "serve --lisen x",
                                "--json hold",
                                "--json show nothing",
                                "--json confirm"})
    text += said_to(arguments);
  expect_as_kept("mistakes.txt", text);
}

}  // namespace
}  // namespace holdfast::test
