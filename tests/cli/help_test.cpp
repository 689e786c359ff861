#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <set>

#include "cli/runner.hpp"
#include "holdfast/rejections.hpp"
#include "holdfast/version.hpp"
#include "support/paths.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> commands{"hold",    "confirm", "release",  "expire",  "show",
                                        "list",    "token",   "resource", "audit",   "demo",
                                        "serve",   "config",  "keys",     "store",   "evidence",
                                        "command", "effects", "inbox",    "registry"};

class Help : public CliTest {};

std::string reference() {
  std::ifstream file(HOLDFAST_SOURCE_DIR "/docs/cli.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Help, ListsCommandsAndEveryExitCode) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  for (const std::string& command : commands) EXPECT_THAT(ran.out, HasSubstr("\n  " + command));
  for (const RejectionRow& each : rejection_table) {
    EXPECT_THAT(ran.out, HasSubstr(fmt::format("  {}  {} ", exit_code(each.id), each.name)));
    EXPECT_THAT(ran.out, HasSubstr(each.title));
  }
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("PT15M"), HasSubstr("HOLDFAST_STORE"), HasSubstr("NO_COLOR")));
}

TEST_F(Help, TeachesEachCommand) {
  for (const std::string& command : commands) {
    const Ran ran = run({command, "--help"});
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("Usage: holdfast " + command),
                               HasSubstr("Examples:\n  holdfast " + command),
                               HasSubstr("Exit codes:\n   0  success")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Help, FitsInAHundredColumns) {
  std::vector<std::vector<std::string>> calls{{"--help"}};
  for (const std::string& command : commands) calls.push_back({command, "--help"});
  for (const std::vector<std::string>& call : calls) {
    std::istringstream lines(run(call).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST_F(Help, KnowsItsVersion) {
  EXPECT_EQ(run({"--version"}).out, fmt::format("holdfast {}\n", version));
}

TEST_F(Help, IsInTheReference) {
  const std::string text = reference();
  const std::regex option(R"(--[a-z]+(\.[a-z_]+)*)");
  for (const std::string& command : commands) {
    EXPECT_THAT(text, HasSubstr("holdfast " + command));
    const std::string help = run({command, "--help"}).out;
    for (std::sregex_iterator each(help.begin(), help.end(), option), end; each != end; ++each) {
      EXPECT_THAT(text, HasSubstr(each->str())) << command;
    }
  }
}

TEST(Reference, HasTheRejectionTable) {
  std::string wanted;
  for (const RejectionRow& each : rejection_table) {
    wanted += fmt::format("| {} | `{}` | {} | {} |\n", exit_code(each.id), each.name,
                          each.http_status, each.title);
  }
  std::string found;
  std::istringstream lines(reference());
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, std::regex(R"(\| [1-9][0-9]+ \| `.*)"))) found += line + "\n";
  }
  EXPECT_EQ(found, wanted) << "the table in docs/cli.md should be:\n" << wanted;
}

}  // namespace
}  // namespace holdfast::test
