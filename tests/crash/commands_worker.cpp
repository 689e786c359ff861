// The process that is killed: it opens a store, submits commands, leases their effects and sees to
// them, and says on its standard output which token it is about to use (`sent`) and which was
// answered (`told`).
//
//   commands_worker STORE SEED POINT OCCURRENCE
//
// POINT is the stage of the main path where it kills itself, on entering it for the OCCURRENCE-th
// time.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "crash/commands_load.hpp"
#include "crash/opening.hpp"

namespace holdfast::test {
namespace {

void say_line(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::_Exit(EXIT_FAILURE);  // nobody listens any more
}

Answer call_and_tell(Service& service, const std::string& token) {
  say_line(fmt::format("sent {}\n", token));
  const Answer answer = submit(service, command_call_of(token));
  // Of a command the id is told: what became of it may change. A line is shorter than a pipe's
  // atomic write, so a lease's document is told as its hash.
  say_line(fmt::format("told {} {} {}\n", token, answer.recorded ? 1 : 0,
                       token.starts_with("submit")
                           ? id_of(answer)
                           : std::to_string(std::hash<std::string>()(answer.document))));
  return answer;
}

int run(char** arguments) {
  const std::string point = arguments[3];
  std::atomic<int> left{std::atoi(arguments[4])};
  Opening opening;
  opening.store = arguments[1];
  opening.sweep_every = 5ms;
  opening.prepare = preparing_for_crashes();
  opening.observer = [&](Stage stage) {
    if (name(stage) == point && --left == 0) ::raise(SIGKILL);
  };
  auto service = open_service(opening);
  if (!service) {
    std::cerr << service.error().message << '\n';
    return EXIT_FAILURE;
  }
  std::vector<std::thread> threads;
  for (int client = 0; client < 3; ++client) {
    threads.emplace_back([&, client] {
      for (int i = 0;; ++i) {
        const std::string turn = fmt::format("{}-{}-{}", arguments[2], client, i);
        (void)call_and_tell(**service, "submit-" + turn);
        if (i % 3 == 0) (void)call_and_tell(**service, "submit-" + turn);
        const Answer leased = call_and_tell(**service, (i % 4 == 3 ? "probe-" : "lease-") + turn);
        for (const std::string& each : words_on(leased, false))
          (void)call_and_tell(**service, each);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  return holdfast::test::run(argv);
}
