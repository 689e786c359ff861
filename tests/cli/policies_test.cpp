// Policies that ask something of the caller: a code, no token, windows that were chosen at the
// making of a store.

#include <csignal>
#include <regex>

#include "cli/runner.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Words = std::vector<std::string>;

class PolicyTest : public CliTest {
 protected:
  void serve(const Words& settings) {
    Words words{HOLDFAST_CLI, "serve", "--json", "--listen", "127.0.0.1:0", "--store", store()};
    words.insert(words.end(), settings.begin(), settings.end());
    process_.emplace(words);
    const auto line = process_->read_line();
    ASSERT_TRUE(line) << "the server did not start";
    url_ = Json(*line).text("/listening");
  }
  void stop() {
    ::kill(process_->pid(), SIGTERM);
    (void)process_->wait();
    process_.reset();
  }
  Ran ask(Words arguments) const {
    arguments.insert(arguments.begin(), {"--server", url_});
    return run(arguments);
  }

  std::optional<ChildProcess> process_;
  std::string url_;
};

TEST_F(PolicyTest, ACodeThatIsAskedForIsShownAndCanBeSent) {
  serve({"--policies.hold_place.confirmation", "required"});
  const Words hold{"hold", "room_307", "guest_g91", "24h", "--token", "order-1"};
  const Ran asked = ask(hold);
  EXPECT_EQ(asked.exit_code, 19);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      asked.err, found,
      std::regex(
          R"(\nconfirmation (\S+) is good until .*; repeat with --token order-1 --confirmation \1\n)")))
      << asked.err;
  Words again = hold;
  again.insert(again.end(), {"--confirmation", found[1].str()});
  const Ran held = ask(again);
  EXPECT_EQ(held.exit_code, 0) << held.err;
  EXPECT_THAT(held.out, HasSubstr("room_307 is held"));
}

TEST_F(PolicyTest, AServerThatDerivesTokensIsSentNone) {
  serve({"--policies.hold_place.key_mode", "derived"});
  const Words hold{"hold", "room_307", "guest_g91", "24h"};
  const Ran held = ask(hold);
  EXPECT_EQ(held.exit_code, 0) << held.err;
  const Ran again = ask(hold);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("This is a replay"));
  EXPECT_THAT(again.out, testing::Not(testing::EndsWith("\n\n")));
  Words as_json = hold;
  as_json.emplace_back("--json");
  EXPECT_THAT(ask(as_json).out, HasSubstr(R"("token":null)"));
  Words with_token = hold;
  with_token.insert(with_token.end(), {"--token", "mine"});
  const Ran refused = ask(with_token);
  EXPECT_EQ(refused.exit_code, 25);
  EXPECT_THAT(refused.err, HasSubstr("derives its token"));
}

TEST_F(PolicyTest, AStoreIsOpenedWithTheWindowsItWasMadeWith) {
  serve({"--policies.hold_place.class", "strict", "--policies.hold_confirm.window", "2h"});
  ASSERT_EQ(ask({"hold", "room_307", "guest_g91", "24h", "--token", "t"}).exit_code, 0);
  stop();
  const Ran again = run({"hold", "room_307", "guest_g91", "24h", "--token", "t"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("This is a replay"));
  const Ran other = run({"hold", "room_308", "guest_g91", "24h", "--window", "3h"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("a window of 1d"), HasSubstr("3h was asked for")));
}

}  // namespace
}  // namespace holdfast::test
