// A module's command, of a program with another list of modules.

#include <gmock/gmock.h>

#include "support/command.hpp"
#include "support/json.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class ModuleCommand : public testing::Test {
 protected:
  [[nodiscard]] CommandOutput run(const std::string& arguments) const {
    return run_command("cd '" + dir_.path().string() +
                       "' && env -i PATH=/usr/bin:/bin '" HOLDFAST_WITH_MODULES "' " + arguments +
                       " 2>&1 </dev/null");
  }
  const TempDir dir_;
};

TEST_F(ModuleCommand, runs_its_operation_and_prints_the_answer) {
  const CommandOutput first = run("count doors/left 3 --lifetime 15m --token t");
  EXPECT_EQ(first.exit_code, 0) << first.text;
  EXPECT_THAT(first.text, HasSubstr("Done."));
  EXPECT_THAT(first.text, HasSubstr("doors/left"));
  EXPECT_THAT(run("count doors/left 4").text, HasSubstr("value       7"));
  const Json again(run("count doors/left 3 --lifetime 15m --token t --json").text);
  EXPECT_TRUE(again.truth("/replayed"));
  EXPECT_EQ(again.number("/answer/value"), 3);
  EXPECT_THAT(run("token t").text, HasSubstr("counter.add"));
  EXPECT_THAT(run("token t").text, HasSubstr("doors/left"));
  EXPECT_THAT(run("audit").text, HasSubstr("CNT-1"));
  EXPECT_EQ(run("audit").exit_code, 0);
}

TEST_F(ModuleCommand, is_in_the_help_and_refuses_what_is_out_of_bounds) {
  EXPECT_THAT(run("--help").text, HasSubstr("Add to a counter"));
  EXPECT_THAT(run("count --help").text, HasSubstr("what stands before a / is its group"));
  EXPECT_NE(run("count doors 0").exit_code, 0);
  EXPECT_NE(run("count doors").exit_code, 0);
}

}  // namespace
}  // namespace holdfast::test
