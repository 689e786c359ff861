#include <fstream>

#include "cli/runner.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Usage : public CliTest {
 protected:
  /// The command line is refused with a message that holds these words, and nothing is made.
  void expect_usage(const std::vector<std::string>& arguments, const std::string& words) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(words));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
};

TEST_F(Usage, MistakesAreNamedWithAnExample) {
  expect_usage({}, "holdfast --help");
  expect_usage({"frobnicate"}, "'frobnicate' is not a command");
  expect_usage({"hold", "room", "guest"}, "DURATION");
  expect_usage({"hold", "room", "guest", "soon"}, "'soon' is not a duration; write 90s");
  expect_usage({"hold", "room", "guest", "15"}, "write 90s, 15m, 24h, 7d");
  expect_usage({"hold", "room", "guest", "1h", "--quantity", "two"}, "'two' is not a quantity");
  expect_usage({"hold", "room", "guest", "1h", "--frob"}, "--frob");
  expect_usage({"hold", "room", "guest", "1h", "--window", "0s"}, "--window 24h");
  expect_usage({"hold", "room", "guest", "1h", "--window", "-1h"}, "--window 24h");
  expect_usage({"list", "--limit", "0"}, "--limit 50");
  expect_usage({"list", "--limit", "99999999999999999999"}, "--limit 50");
  expect_usage({"list", "--limit", "-1"}, "--limit 50");
  expect_usage({"list", "--state", "gone"}, "confirmed, released or expired");
  expect_usage({"resource", "--capacity", "3"}, "name of a resource");
  expect_usage({"resource", "room", "--token", "t"}, "--token");
  expect_usage({"resource", "room", "--capacity", "lots"}, "--capacity 2");
  expect_usage({"demo", "--clients", "0"}, "1 to 5000");
  expect_usage({"demo", "--seed", "-1"}, "--seed 7");
  expect_usage({"demo", "--seed", "99999999999999999999"}, "--seed 7");
  expect_usage({"resource", "room", "--capacity", "5", "--limit", "3"}, "leave the name out");
  expect_usage({"resource", "room", "--all"}, "leave the name out");
  expect_usage({"audit", "--tenant", "x"}, "--tenant does not go with holdfast audit");
  expect_usage({"serve", "--tenant", "x"}, "--tenant does not go with holdfast serve");
}

TEST_F(Usage, AForgottenValueDoesNotEatTheNextOption) {
  const Ran ran = run({"hold", "room", "guest", "1h", "--token", "--json"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.out, HasSubstr("--token needs a value"));
  EXPECT_EQ(run({"hold", "room", "guest", "1h", "--token=--json"}).exit_code, 0);
}

TEST_F(Usage, MistakesAreJsonToo) {
  const Json json = this->json({"hold", "room", "guest", "soon"}, 2);
  EXPECT_EQ(json.number("/status"), 400);
  EXPECT_EQ(json.text("/answer/code"), "malformed-request");
  EXPECT_EQ(json.text("/answer/token_action"), "reuse");
  EXPECT_EQ(this->json({"frobnicate"}, 2).number("/status"), 400);
  EXPECT_EQ(this->json({"hold"}, 2).number("/status"), 400);
}

TEST_F(Usage, CommonOptionsMayComeBeforeAndAfter) {
  EXPECT_EQ(run({"--json", "--store", "a.db", "--tenant", "x", "hold", "r", "q", "1h"}).exit_code,
            0);
  EXPECT_EQ(run({"hold", "--store", "a.db", "r2", "--json", "q", "1h", "--tenant", "x"}).exit_code,
            0);
  EXPECT_EQ(
      Json(run({"list", "--store", "a.db", "--tenant", "x", "--json"}).out).size("/answer/items"),
      2U);
}

TEST_F(Usage, NamesMayLookLikeAnything) {
  for (const char* name :
       {"list", "hold", "--", "{}", "[a,b]", "a=b", "%s", "r\u00f6\u00f6m", "'"}) {
    EXPECT_EQ(json({"hold", "--", name, "q", "1h"}).text("/answer/resource"), name);
  }
  EXPECT_EQ(json({"hold", "list", "show", "1h", "--tenant", "t"}).text("/answer/resource"), "list");
  EXPECT_EQ(json({"hold", "--token=-t", "--", "-r", "--json", "1h"}).text("/token"), "-t");
}

TEST_F(Usage, NamesThatAreNotTextAreRefused) {
  const Json json = this->json({"hold", "room\xff", "guest", "1h"}, 10);
  EXPECT_EQ(json.text("/answer/errors/0/pointer"), "/resource");
}

TEST_F(Usage, TokensAreAnyBytes) {
  const std::string token = "\xff\x01'x";
  const Json json = this->json({"hold", "room", "guest", "1h", "--token", token});
  EXPECT_EQ(json.text("/token"), "\uFFFD\u0001'x");
  EXPECT_EQ(json.text("/token_hex"), "ff012778");
  EXPECT_THAT(run({"hold", "room", "guest", "1h", "--token", token}).out,
              AllOf(HasSubstr("replay"), HasSubstr("--token $'\\xff\\x01\\'x'")));
  EXPECT_EQ(this->json({"token", token}).text("/answer/token_hex"), "ff012778");
}

TEST_F(Usage, NothingPrintedCanDriveTheTerminal) {
  const std::string name = "a\x1b[31mb\u202ec\u009bd";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"hold", name, "g\rx", "1h", "--token", "t\x07"},
                                             {"list"},
                                             {"resource"},
                                             {"resource", name},
                                             {"token", "t\x07"},
                                             {"show", name},
                                             {"list", "--state", name},
                                             {"hold", "r", "q", name},
                                             {name}}) {
    const Ran ran = run(command);
    const std::string text = ran.out + ran.err;
    for (const char* danger : {"\x1b", "\r", "\x07", "\u202e", "\u009b"}) {
      EXPECT_THAT(text, Not(HasSubstr(danger))) << command.front();
    }
  }
  EXPECT_THAT(run({"list"}).out, HasSubstr("a\\x1b[31mb\\u{202e}c\\u{009b}d"));
}

TEST_F(Usage, ColourIsForTerminals) {
  placed("room");
  const std::string escape = "\x1b[";
  const auto listed = [&](std::map<std::string, std::string> environment) {
    return run({"list"}, {.environment = std::move(environment), .terminal = true}).out;
  };
  EXPECT_THAT(listed({{"TERM", "xterm"}}), HasSubstr(escape));
  EXPECT_THAT(listed({{"TERM", "xterm"}, {"NO_COLOR", "1"}}), Not(HasSubstr(escape)));
  EXPECT_THAT(listed({{"TERM", "dumb"}}), Not(HasSubstr(escape)));
  EXPECT_THAT(run({"list"}, {.environment = {{"TERM", "xterm"}}}).out, Not(HasSubstr(escape)));
}

TEST_F(Usage, AReaderThatGoesAwayIsNoError) {
  placed("room");
  const Ran ran = run({"list"}, {.deaf = true});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(run({"hold", "room", "other", "1h"}, {.deaf = true}).exit_code, 11);
}

TEST_F(Usage, AnAnswerThatCannotBeWrittenIsAnError) {
  const Ran ran = run({"hold", "room", "guest", "1h", "--token", "t"}, {.out_to = "/dev/full"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("No space left"), HasSubstr("--token t")));
  EXPECT_TRUE(json({"hold", "room", "guest", "1h", "--token", "t"}).truth("/replayed"));
  EXPECT_EQ(run({"--help"}, {.out_to = "/dev/full"}).exit_code, 1);
}

TEST_F(Usage, OtherFilesAreNotTouched) {
  std::ofstream(store()) << "not a store";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"list"}, {"hold", "room", "guest", "1h"}, {"audit"}}) {
    EXPECT_EQ(run(command).exit_code, 1);
  }
  std::string text;
  std::getline(std::ifstream(store()), text);
  EXPECT_EQ(text, "not a store");
}

TEST_F(Usage, StoresThatAreNotFilesAreExplained) {
  EXPECT_THAT(run({"list", "--store", "oracle://db/x"}).err,
              HasSubstr("write postgres://… or mariadb://…"));
  const auto away = run({"list", "--store", "postgres://ada:s3cret@127.0.0.1:1/x"});
  EXPECT_EQ(away.exit_code, 1);
  EXPECT_THAT(away.err, HasSubstr("postgres://ada@127.0.0.1:1/x"));
  EXPECT_THAT(away.err, Not(HasSubstr("s3cret")));
  EXPECT_THAT(run({"hold", "r", "q", "1h", "--store", ":memory:"}).err, HasSubstr("name a file"));
  EXPECT_EQ(run({"hold", "r", "q", "1h", "--store", "no/such/folder.db"}).exit_code, 1);
}

}  // namespace
}  // namespace holdfast::test
