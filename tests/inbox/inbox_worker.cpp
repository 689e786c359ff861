// The process that is killed: it opens a store, takes webhooks in, sees to what follows from them,
// and ends once every one is done. Then it says on its standard output how each ended.
//
//   inbox_worker STORE RECEIVER FIRST LAST [POINT OCCURRENCE]
//
// The events are those of rounds FIRST to LAST: a sender that was not answered sends them again.
// POINT is the stage of the main path where it kills itself, coming there for the OCCURRENCE-th
// time.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "inbox/inbox_node.hpp"
#include "inbox/inbox_rounds.hpp"
#include "support/json.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

void say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::_Exit(EXIT_FAILURE);  // nobody listens any more
}

/// Does what is pulled: entries of the inbox, and the effects of commands.
class Puller {
 public:
  explicit Puller(InboxNode& node) : thread_([this, &node] { run(node); }) {}
  ~Puller() {
    enough_ = true;
    thread_.join();
  }
  Puller(const Puller&) = delete;
  Puller& operator=(const Puller&) = delete;

 private:
  void run(InboxNode& node) {
    while (!enough_) {
      const Json entries(
          node.run(InboxLeasing{.kinds = {"invoices"}, .max = 5, .lease = milliseconds(300)})
              .document);
      for (std::size_t i = 0; i < entries.size("/entries"); ++i) {
        const std::string at = fmt::format("/entries/{}", i);
        (void)node.run(InboxCompleting{.id = entries.text(at + "/id"),
                                       .fence = entries.number(at + "/fence")});
      }
      const Json effects(
          node.run(Leasing{.kinds = {"warehouse"}, .max = 5, .lease = milliseconds(300)}).document);
      for (std::size_t i = 0; i < effects.size("/effects"); ++i) {
        const std::string at = fmt::format("/effects/{}", i);
        (void)node.run(
            Completing{.id = effects.text(at + "/id"), .fence = effects.number(at + "/fence")});
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  std::atomic<bool> enough_{false};
  std::thread thread_;
};

int run(int count, char** arguments) {
  const std::string point = count > 5 ? arguments[5] : "";
  std::atomic<int> left{count > 6 ? std::atoi(arguments[6]) : 0};
  InboxNode::Options options;
  options.observer = [&](Stage stage) {
    if (name(stage) == point && --left == 0) ::raise(SIGKILL);
  };
  InboxNode node(arguments[1], inbox_registry(arguments[2], 1000, commands::Shield::s1), options);
  const Puller puller(node);
  std::vector<std::pair<RoundEvent, std::string>> taken;
  for (const RoundEvent& each : events_of_rounds(std::atoi(arguments[3]), std::atoi(arguments[4])))
    taken.emplace_back(each, node.take(each.source, each.event));
  for (const auto& [event, id] : taken) {
    webhooks::Status status = node.status(id);
    for (; status != webhooks::Status::done; status = node.status(id)) {
      if (status == webhooks::Status::dead) return EXIT_FAILURE;
      std::this_thread::sleep_for(milliseconds(2));
    }
    say(fmt::format("{} {} {}\n", event.source, event.event, id));
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  return holdfast::test::run(argc, argv);
}
