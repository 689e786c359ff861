// The process that is killed: it opens a store, adds to counters, takes and removes things, and
// says on its standard output which token it is about to use (`sent`) and which was answered
// (`told`).
//
//   modules_worker STORE SEED [POINT OCCURRENCE]
//
// POINT is the stage of the main path where it kills itself, on entering it for the OCCURRENCE-th
// time. Without, it goes on until somebody else kills it.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "crash/opening.hpp"
#include "modules/module_load.hpp"

namespace holdfast::test {
namespace {

void say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::_Exit(EXIT_FAILURE);  // nobody listens any more
}

int run(int count, char** arguments) {
  const std::string point = count > 3 ? arguments[3] : "";
  std::atomic<int> left{count > 4 ? std::atoi(arguments[4]) : 0};
  Opening opening;
  opening.store = arguments[1];
  opening.sweep_every = 5ms;
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
        const std::string token = fmt::format("{}-{}-{}", arguments[2], client, i);
        say(fmt::format("sent {}\n", token));
        const Answer answer = submit(**service, call_of(token));
        if (!answer.recorded) return;
        say(fmt::format("told {} {}\n", token, told_of(answer)));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  return holdfast::test::run(argc, argv);
}
