// The service as its operator sees it start and end.

#include <chrono>
#include <csignal>
#include <fstream>

#include "cli/runner.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

class Serve : public CliTest {
 protected:
  static constexpr auto patience = std::chrono::seconds(30);

  void serve(const Words& more = {}) {
    Words words{HOLDFAST_CLI, "serve", "--listen", "127.0.0.1:0", "--store", store()};
    words.insert(words.end(), more.begin(), more.end());
    process_.emplace(words);
  }
  [[nodiscard]] std::string next_line() { return process_->read_line(patience).value_or(""); }

  std::optional<ChildProcess> process_;
};

TEST_F(Serve, WithoutKeysItSaysWhoMayCall) {
  serve();
  EXPECT_THAT(next_line(), HasSubstr("on http://127.0.0.1:"));
  EXPECT_THAT(next_line(), StartsWith("no keys: only this machine may call"));
}

TEST_F(Serve, WithKeysItSaysNothingOfTheKind) {
  ASSERT_EQ(run({"--store", store(), "keys", "create", "--principal", "alice"}).exit_code, 0);
  serve();
  EXPECT_THAT(next_line(), HasSubstr("on http://127.0.0.1:"));
  ::kill(process_->pid(), SIGTERM);
  EXPECT_THAT(next_line(), StartsWith("stopping"));
}

TEST_F(Serve, ReadsItsRegistryAgainWhenToldTo) {
  const std::string file = folder.file("r.toml");
  const std::string good = "[[command]]\nentity = \"order\"\naction = \"note\"\n";
  std::ofstream(file) << good;
  serve({"--registry", file});
  const std::string line = next_line();
  const std::string url = line.substr(line.find("http://"), line.find(';') - line.find("http://"));
  (void)next_line();  // no keys
  const auto submit = [&](const std::string& name, int exit_code) {
    return json({"--server", url, "command", "submit", name}, exit_code);
  };
  EXPECT_EQ(submit("order.note", 0).text("/answer/status"), "executed");
  EXPECT_EQ(submit("order.tag", 37).text("/answer/reason"), "unregistered_command");
  std::ofstream(file) << good << "[[command]]\nentity = \"order\"\naction = \"tag\"\n";
  ::kill(process_->pid(), SIGHUP);
  const auto knows_tag = [&] {
    return run({"--server", url, "command", "submit", "order.tag"}).exit_code == 0;
  };
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!knows_tag() && std::chrono::steady_clock::now() < until) {
  }
  EXPECT_TRUE(knows_tag());
  std::ofstream(file) << "nonsense";  // refused whole; the one before stays
  ::kill(process_->pid(), SIGHUP);
  EXPECT_TRUE(knows_tag());
  EXPECT_EQ(json({"--server", url, "command", "list", "--status", "executed"})
                .text("/answer/items/0/intent/action"),
            "tag");
  ::kill(process_->pid(), SIGTERM);
  EXPECT_THAT(next_line(), StartsWith("stopping"));
  EXPECT_EQ(process_->wait(), 0);
}

TEST_F(Serve, BothSignalsEndItInOrder) {
  for (const int signal : {SIGTERM, SIGINT}) {
    serve();
    ASSERT_THAT(next_line(), HasSubstr("serves"));
    (void)next_line();  // no keys
    ::kill(process_->pid(), signal);
    EXPECT_THAT(next_line(), StartsWith("stopping: finishing what was accepted"));
    EXPECT_EQ(process_->wait(), 0) << signal;
  }
}

}  // namespace
}  // namespace holdfast::test
