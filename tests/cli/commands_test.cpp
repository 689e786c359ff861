// holdfast command, effects and registry: on a store, and what they say to mistakes.

#include <fstream>

#include "cli/runner.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class CommandsCommand : public CliTest {
 protected:
  CommandsCommand() {
    std::ofstream(folder.file("r.toml")) << R"(
[[command]]
entity = "order"
action = "note"
args = '{"type": "object", "properties": {"note": {"type": "string"}}}'
[[command]]
entity = "order"
action = "tag"
key_mode = "derived"
[[command]]
entity = "account"
action = "close"
confirmation = "required"
[[command]]
entity = "parcel"
action = "ship"
class = "I3"
[command.args]
type = "object"
[command.args.properties]
door = { type = "string", secret = true }
[command.effect]
kind = "pull"
shield = "S2"
provider = "warehouse"
)";
  }

  [[nodiscard]] Json submit(std::vector<std::string> more, int exit_code = 0) const {
    more.insert(more.begin(), {"command", "submit"});
    more.insert(more.end(), {"--registry", "r.toml"});
    return json(std::move(more), exit_code);
  }
};

TEST_F(CommandsCommand, SubmitsOnceAndReplays) {
  const Json first = submit({"order.note", "--args", R"({"note":"a"})", "--token", "k-1"});
  EXPECT_EQ(first.number("/status"), 200);
  EXPECT_EQ(first.text("/answer/status"), "executed");
  EXPECT_FALSE(first.truth("/replayed"));
  const Json again = submit({"order.note", "--args", R"({ "note": "a" })", "--token", "k-1"});
  EXPECT_TRUE(again.truth("/replayed"));
  EXPECT_EQ(again.raw("/answer"), first.raw("/answer"));
  const Json other = submit({"order.note", "--token", "k-1"}, 36);
  EXPECT_EQ(other.text("/answer/reason"), "idempotency_conflict");
  const Json misfit = submit({"order.note", "--args", R"({"note":7})", "--token", "k-2"}, 36);
  EXPECT_EQ(misfit.text("/answer/execution/errors/0/pointer"), "/args/note");
  EXPECT_EQ(submit({"order.burn"}, 37).text("/answer/reason"), "unregistered_command");
}

TEST_F(CommandsCommand, DerivesKeysAndConfirms) {
  const Json derived = submit({"order.tag", "--target", R"("o-1")"});
  EXPECT_THAT(derived.text("/token"), StartsWith("ik1-"));
  EXPECT_TRUE(submit({"order.tag", "--target", R"("o-1")"}).truth("/replayed"));
  const Json asked = submit({"account.close", "--token", "k-1"}, 37);
  EXPECT_EQ(asked.text("/answer/reason"), "confirmation_required");
  const std::string token = asked.text("/answer/execution/confirmation_token");
  EXPECT_EQ(
      submit({"account.close", "--token", "k-1", "--confirmation", token}).text("/answer/status"),
      "executed");
}

TEST_F(CommandsCommand, ShowsAndListsAndSeesToEffects) {
  const Json sent = submit({"parcel.ship", "--args", R"({"door":"4711"})", "--token", "k-1"});
  EXPECT_EQ(sent.number("/status"), 202);
  const std::string id = sent.text("/answer/command_id");
  EXPECT_EQ(json({"command", "show", id}).text("/answer/status"), "in_progress");
  EXPECT_EQ(json({"command", "show", "--key", "k-1"}).raw("/answer"), sent.raw("/answer"));
  EXPECT_EQ(json({"command", "show", "--key", "nobody"}, 39).text("/answer/code"),
            "command-not-known");
  EXPECT_EQ(json({"command", "show", "nonsense"}, 39).text("/answer/code"), "command-not-known");
  EXPECT_EQ(json({"command", "list", "--status", "in_progress"}).size("/answer/items"), 1U);
  EXPECT_EQ(json({"command", "list", "--status", "failed"}).size("/answer/items"), 0U);
  EXPECT_THAT(run({"command", "list"}).out, HasSubstr("in_progress"));
  EXPECT_EQ(json({"effects", "list"}).text("/answer/items/0/status"), "waiting");
  EXPECT_EQ(json({"effects", "show", id}).text("/answer/provider"), "warehouse");
  EXPECT_EQ(json({"effects", "retry", id}).text("/answer/id"), id);
  EXPECT_EQ(json({"effects", "cancel", id}).text("/answer/ended"), "failed");
  EXPECT_EQ(json({"effects", "list", "--status", "dead"}).size("/answer/items"), 1U);
  EXPECT_EQ(json({"effects", "resolve", id, "--status", "executed", "--result", R"({"l":1})"})
                .text("/answer/ended"),
            "executed");
  EXPECT_EQ(json({"effects", "retry", id}, 40).text("/answer/code"), "effect-not-open");
  EXPECT_EQ(json({"effects", "show", id}, 39).text("/answer/code"), "command-not-known");
  EXPECT_EQ(json({"command", "show", id}).number("/answer/outcome/l"), 1);
  for (const std::vector<std::string>& each :
       std::vector<std::vector<std::string>>{{"command", "show", id}, {"command", "list"}})
    EXPECT_THAT(run(each).out, testing::Not(HasSubstr("4711")));
}

TEST_F(CommandsCommand, ChecksRegistries) {
  EXPECT_EQ(json({"registry", "check", "r.toml"}).text("/answer/digest").size(), 64U);
  EXPECT_EQ(json({"registry", "check", "r.toml"}).number("/answer/commands"), 4);
  std::ofstream(folder.file("bad.toml")) << "[[command]]\nentity = \"order\"\naktion = \"a\"\n";
  const Ran bad = run({"registry", "check", "bad.toml"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.toml:3:1: "));
  EXPECT_THAT(run({"serve", "--listen", "127.0.0.1:0", "--registry", "bad.toml"}).err,
              HasSubstr("bad.toml:3:1: "));
  EXPECT_EQ(run({"registry", "check", "nowhere.toml"}).exit_code, 2);
}

TEST_F(CommandsCommand, SaysWhatIsMissing) {
  for (const auto& [arguments, words] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"command", "submit"}, "which command?"},
           {{"command", "submit", "order"}, "which command?"},
           {{"command", "submit", "order.note"}, "--registry"},
           {{"command", "submit", "order.note", "--args", "{", "--registry", "r.toml"}, "args"},
           {{"command", "shwo"}, "try submit, show, list or approve"},
           {{"command", "show"}, "--key"},
           {{"command", "list", "--status", "lost"}, "in_progress, executed"},
           {{"command", "approve", "c-1"}, "--confirmation"},
           {{"effects", "retry"}, "which effect?"},
           {{"effects", "list", "--status", "lost"}, "waiting, leased"},
           {{"effects", "burn"}, "try list, show, retry"},
           {{"effects", "resolve", "c-1"}, "--status"},
           {{"registry", "check"}, "which file?"},
           {{"registry", "mend", "r.toml"}, "try check"},
           {{"--server", "http://127.0.0.1:1", "command", "submit", "order.note", "--registry",
             "r.toml"},
            "goes with a store"}}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.exit_code, 2) << words;
    EXPECT_THAT(ran.err, HasSubstr(words));
    EXPECT_THAT(ran.out, IsEmpty());
  }
}

}  // namespace
}  // namespace holdfast::test
