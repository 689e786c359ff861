// The process that is killed: it opens a store, puts it under a mixed load, and says on its
// standard output what it is about to ask (`sent`) and what it was told (`told`, after the answer
// was received). Whoever kills it so knows which calls were acknowledged.
//
//   crash_worker STORE SEED CALLS LOG_PAGES [POINT OCCURRENCE]
//
// POINT is where it kills itself with SIGKILL, on entering it for the OCCURRENCE-th time: a stage
// of the main path (load, decide, write, sync, answer, done), or a call to the disk below SQLite:
// log-write, log-sync, database-write, database-sync. Without, it goes on until its calls are made,
// or somebody else kills it. The log is moved into the database when it has LOG_PAGES.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <span>

#include "crash/load.hpp"
#include "crash/wire.hpp"
#include "support/disks/faulty_vfs.hpp"

namespace holdfast::test {
namespace {

/// Ends the process on entering a place for the n-th time. Called by any thread.
class Trap {
 public:
  Trap() = default;
  Trap(std::string point, std::uint64_t occurrence) : point_(std::move(point)), left_(occurrence) {}

  void enter(std::string_view point) {
    if (point != point_ || --left_ != 0) return;
    ::raise(SIGKILL);
  }

 private:
  const std::string point_{};
  std::atomic<std::uint64_t> left_{0};
};

void say(const std::string& line) {
  // Straight to the pipe: what was said before the kill was heard.
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    std::_Exit(EXIT_FAILURE);  // nobody listens any more
  }
}

class Reporter final : public Listener {
 public:
  std::uint64_t sent(const Call& call) override {
    const std::uint64_t number = ++numbers_;
    say(wire::sent_line(number, call));
    return number;
  }
  void told(std::uint64_t number, const Answer& answer) override {
    say(wire::told_line(number, told_of(answer)));
  }

 private:
  std::atomic<std::uint64_t> numbers_{0};
};

FaultyDisk::Fault disk_trap(Trap& trap) {
  return [&trap](const DiskCall& call) {
    if (call.file == DiskFile::other) return 0;
    const bool log = call.file == DiskFile::log;
    if (call.action == DiskAction::write) trap.enter(log ? "log-write" : "database-write");
    if (call.action == DiskAction::sync) trap.enter(log ? "log-sync" : "database-sync");
    return 0;
  };
}

int run(std::span<char*> arguments) {
  const LoadOptions load{.seed = std::strtoull(arguments[2], nullptr, 10),
                         .clients = 4,
                         .calls_each = std::strtoull(arguments[3], nullptr, 10)};
  const bool trapped = arguments.size() > 6;
  Trap trap(trapped ? arguments[5] : "", trapped ? std::strtoull(arguments[6], nullptr, 10) : 0);
  FaultyDisk disk;
  disk.set_fault(disk_trap(trap));
  Opening opening;
  opening.store = arguments[1];
  opening.vfs = disk.vfs();
  opening.log_pages = std::atoi(arguments[4]);
  opening.sweep_every = std::chrono::milliseconds(5);
  opening.observer = [&trap](Stage stage) { trap.enter(name(stage)); };
  auto service = open_service(opening);
  if (!service) {
    std::cerr << service.error().message << '\n';
    return EXIT_FAILURE;
  }
  Reporter reporter;
  Load(**service, load, reporter).run();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::test

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  return holdfast::test::run({argv, static_cast<std::size_t>(argc)});
}
