// The process that is killed: it opens a store, submits commands with effects, dispatches them, and
// ends once every command has. Then it says on its standard output how each ended.
//
//   effects_worker STORE PROVIDER SECRETS FIRST LAST [POINT OCCURRENCE]
//
// The keys are those of rounds FIRST to LAST: what an earlier process submitted is submitted again.
// POINT is where it kills itself, coming there for the OCCURRENCE-th time: a stage of the main
// path, or before, during or after a call to the provider.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "effects/effect_rounds.hpp"
#include "support/effects/world.hpp"

namespace holdfast::test {
namespace {

class Deadly final : public effects::Performer {
 public:
  using Reached = std::function<void(std::string_view point)>;
  Deadly(std::shared_ptr<effects::Performer> inner, Reached reached)
      : inner_(std::move(inner)), reached_(std::move(reached)) {}

  void perform(const std::shared_ptr<const effects::Job>& job, Done done) override {
    reached_("before-call");
    inner_->perform(job, [this, done = std::move(done)](effects::Finding finding) {
      reached_("after-call");
      done(std::move(finding));
    });
    reached_("during-call");
  }

 private:
  const std::shared_ptr<effects::Performer> inner_;
  const Reached reached_;
};

void say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::_Exit(EXIT_FAILURE);  // nobody listens any more
}

int run(int count, char** arguments) {
  const std::string point = count > 6 ? arguments[6] : "";
  std::atomic<int> left{count > 7 ? std::atoi(arguments[7]) : 0};
  const auto reached = [&](std::string_view here) {
    if (here != point || --left != 0) return;
    if (here == "during-call") std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::raise(SIGKILL);
  };
  Node::Options options;
  options.secrets_file = arguments[3];
  options.observer = [&](Stage stage) { reached(name(stage)); };
  options.wrap = [&](std::shared_ptr<effects::Performer> inner) {
    return std::make_shared<Deadly>(std::move(inner), reached);
  };
  Node node(
      arguments[1],
      registry_of(
          {.url = arguments[2], .attempts_max = 100, .lease = std::chrono::milliseconds(600)}),
      options);
  const auto keys = keys_of_rounds(std::atoi(arguments[4]), std::atoi(arguments[5]));
  for (const RoundKey& each : keys) {
    const Answer answer = node.submit(pay(each.shield, each.key));
    if (!answer.ok()) {
      say("refused " + answer.text() + "\n");
      return EXIT_FAILURE;
    }
  }
  for (const RoundKey& each : keys) {
    const commands::CommandRow row = node.outcome(each.key);
    say(fmt::format("{} {} {}\n", each.key, name(row.status), row.reason));
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  return holdfast::test::run(argc, argv);
}
