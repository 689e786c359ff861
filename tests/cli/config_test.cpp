#include <fstream>

#include "cli/runner.hpp"
#include "settings/setting.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Config : public CliTest {
 protected:
  void write(const std::string& text) const { std::ofstream(folder.file("h.toml")) << text; }
};

/// The line of one setting: value and origin, whatever the space between.
std::string line_of(const std::string& out, const std::string& name) {
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + " ")) continue;
    line.erase(
        std::unique(line.begin(), line.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
        line.end());
    return line;
  }
  return {};
}

TEST_F(Config, CheckShowsEverySettingAndWhereItCameFrom) {
  write("threads = 2\nlisten = \"a:1\"\n");
  const Ran ran = run({"config", "check", "--config", "h.toml", "--limits.json_depth_max", "9"},
                      {.environment = {{"HOLDFAST_LISTEN", "b:2"}, {"HOLDFAST_KEY", "hf_secret"}}});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(line_of(ran.out, "SETTING"), "SETTING VALUE FROM");
  EXPECT_EQ(line_of(ran.out, "threads"), "threads 2 h.toml:1:11");
  EXPECT_EQ(line_of(ran.out, "listen"), "listen b:2 HOLDFAST_LISTEN");
  EXPECT_EQ(line_of(ran.out, "limits.json_depth_max"),
            "limits.json_depth_max 9 --limits.json_depth_max");
  EXPECT_EQ(line_of(ran.out, "tls.key"), "tls.key no TLS default");
  for (const http::Setting& each : http::setting_table()) {
    EXPECT_NE(line_of(ran.out, each.name), "") << each.name;
  }
  EXPECT_THAT(ran.out, Not(HasSubstr("hf_secret")));
}

TEST_F(Config, CheckSpeaksJson) {
  const Json json = this->json({"config", "check", "--store", "rooms.db", "--log.level=info"});
  EXPECT_EQ(json.size("/answer/settings"), http::setting_table().size());
  EXPECT_EQ(json.raw("/answer/settings/1"),
            R"({"name":"store","value":"rooms.db","from":"--store"})");
  EXPECT_EQ(json.raw("/answer/settings/3"), R"({"name":"keys","value":null,"from":"default"})");
}

TEST_F(Config, TheFileMayBeNamedByTheEnvironment) {
  write("threads = 2\n");
  const Ran ran = run({"config", "check"}, {.environment = {{"HOLDFAST_CONFIG", "h.toml"}}});
  EXPECT_EQ(line_of(ran.out, "threads"), "threads 2 h.toml:1:11");
}

TEST_F(Config, FlagsOfYesAndNoNeedNoValue) {
  EXPECT_THAT(line_of(run({"config", "check", "--log.requests", "--log.level", "info"}).out,
                      "log.requests"),
              HasSubstr("true --log.requests"));
  EXPECT_THAT(line_of(run({"config", "check", "--log.requests=false"}).out, "log.requests"),
              HasSubstr("false --log.requests"));
}

TEST_F(Config, EverythingThatIsWrongIsSaidLineByLine) {
  write("lisen = \"a:1\"\nthreads = 100\n");
  const Ran ran = run({"config", "check", "--config", "h.toml", "--lsiten", "b:2"},
                      {.environment = {{"HOLDFAST_WINDO", "1h"}}});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "holdfast: h.toml:1:1: lisen is not a setting; did you mean listen?\n"
            "holdfast: h.toml:2:11: threads cannot be 100; write a whole number from 1 to 64\n"
            "holdfast: HOLDFAST_WINDO is not a variable holdfast knows; did you mean "
            "HOLDFAST_WINDOW?\n"
            "holdfast: --lsiten is not a flag; did you mean --listen?\n");
  const Json json = this->json({"config", "check", "--config", "h.toml"}, 2);
  EXPECT_THAT(json.text("/answer/detail"),
              AllOf(HasSubstr("did you mean listen?"), HasSubstr("threads cannot be 100")));
}

/// Also of those that help does not list.
TEST_F(Config, FlagsThatLackTheirValueAreNamed) {
  for (const std::string flag : {"--listen", "--threads"}) {
    const Ran missing = run({"config", "check", flag});
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_THAT(missing.err, HasSubstr(flag + ":"));
    const Ran twice = run({"config", "check", flag, "1", flag, "2"});
    EXPECT_EQ(twice.exit_code, 2);
    EXPECT_THAT(twice.err, HasSubstr(flag + ":"));
  }
  EXPECT_THAT(run({"serve", "--help"}).out,
              AllOf(HasSubstr("--listen"), Not(HasSubstr("--threads"))));
}

TEST_F(Config, StrayWordsAreRefused) {
  EXPECT_EQ(run({"config"}).exit_code, 2);
  EXPECT_EQ(run({"config", "chek"}).exit_code, 2);
  EXPECT_EQ(run({"config", "check", "again"}).err,
            "holdfast: 'again' is one word too many; see holdfast config --help\n");
  EXPECT_THAT(run({"config", "check", "--lsiten=b:2", "again"}).err,
              AllOf(HasSubstr("did you mean --listen?"), HasSubstr("'again'")));
  EXPECT_EQ(run({"config", "check", "-x"}).exit_code, 2);
  EXPECT_EQ(run({"list", "--lsiten", "b:2"}).exit_code, 2);
}

TEST_F(Config, HelpTeaches) {
  const Ran ran = run({"config", "--help"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("--config FILE"), HasSubstr("--listen HOST:PORT"),
                             HasSubstr("HOLDFAST_LOG_LEVEL"), HasSubstr("Examples:\n")));
  EXPECT_THAT(ran.out, Not(HasSubstr("--limits.tenant_burst")));
}

}  // namespace
}  // namespace holdfast::test
