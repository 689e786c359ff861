// Runs a PostgreSQL and a MariaDB for many short test processes, which find them through the
// variable TEST_DATABASE_SERVERS (see `shared_server`):
//
//   database_servers start FOLDER [--with-parent]   returns when they take connections
//   database_servers stop FOLDER                    returns when nothing of them is left
//
// FOLDER/postgres and FOLDER/mariadb say where they are: a port, an address, a process id. With
// --with-parent they also end when the process that called this program does, so that an
// interrupted test run leaves nothing behind.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>

#include "base/assert.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

/// A descriptor that becomes readable when that process ends; negative if there is none.
int watch(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

void describe(const OwnedServer& server, const fs::path& folder) {
  std::ofstream(folder / file_name(server.engine()))
      << "port " << server.port() << "\nurl " << server.url("") << "\npid " << server.pid() << "\n";
}

void remove_descriptions(const fs::path& folder) {
  for (const auto engine : {DatabaseServer::Engine::postgres, DatabaseServer::Engine::mariadb}) {
    fs::remove(folder / file_name(engine));
  }
  fs::remove(folder / "keeper");
}

/// Nothing of ours stays open for whoever waits for the end of our output.
void leave_the_terminal(const fs::path& folder) {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  HOLDFAST_ASSERT(nothing >= 0 && log >= 0);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
}

/// Until we are asked to end, or that process has ended.
void wait_for_the_end(int parent) {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::array<pollfd, 2> waiting{
      pollfd{.fd = ::signalfd(-1, &signals, SFD_CLOEXEC), .events = POLLIN, .revents = 0},
      pollfd{.fd = parent, .events = POLLIN, .revents = 0}};  // not looked at if negative
  while (::poll(waiting.data(), waiting.size(), -1) < 0 && errno == EINTR) {
  }
}

/// What stays behind when `start` returns: it has the servers, and writes to `ready` once they run.
void keep_servers(const fs::path& folder, int parent, int ready) {
  leave_the_terminal(folder);
  const PostgresServer postgres({.settings = {"max_connections=300"}});
  const MariadbServer mariadb({.settings = {"max-connections=300"}});
  describe(postgres, folder);
  describe(mariadb, folder);
  HOLDFAST_ASSERT(::write(ready, "!", 1) == 1);
  ::close(ready);
  wait_for_the_end(parent);
  remove_descriptions(folder);
}

/// Whether that process runs this program, and has not merely got the number of one that did.
bool is_one_of_us(pid_t pid) {
  std::error_code gone;
  const auto program = [&](const std::string& process) {
    return fs::read_symlink("/proc/" + process + "/exe", gone).string();
  };
  return pid > 0 && program(std::to_string(pid)).starts_with(program("self"));
}

void stop(const fs::path& folder) {
  pid_t keeper = 0;
  std::ifstream(folder / "keeper") >> keeper;
  pollfd waiting{.fd = is_one_of_us(keeper) ? watch(keeper) : -1, .events = POLLIN, .revents = 0};
  if (waiting.fd >= 0) {
    ::kill(keeper, SIGTERM);
    ::poll(&waiting, 1, -1);
    ::close(waiting.fd);
  }
  remove_descriptions(folder);
}

int start(const fs::path& folder, bool with_parent) {
  fs::create_directories(folder);
  stop(folder);  // what an earlier run may have left
  const int parent = with_parent ? watch(::getppid()) : -1;
  std::array<int, 2> ready{};
  HOLDFAST_ASSERT(::pipe2(ready.data(), O_CLOEXEC) == 0);
  const pid_t keeper = ::fork();
  HOLDFAST_ASSERT(keeper >= 0);
  if (keeper == 0) {
    ::close(ready[0]);
    try {
      keep_servers(folder, parent, ready[1]);
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
      return 1;
    }
    return 0;
  }
  ::close(ready[1]);
  std::ofstream(folder / "keeper") << keeper << "\n";
  char sign = 0;
  if (::read(ready[0], &sign, 1) == 1) return 0;
  std::cerr << "the servers did not start:\n" << std::ifstream(folder / "log").rdbuf();
  return 1;
}

}  // namespace
}  // namespace holdfast::test

int main(int count, char** arguments) {
  const std::string_view command = count > 2 ? arguments[1] : "";
  const bool with_parent = count > 3 && std::string_view(arguments[3]) == "--with-parent";
  if (command == "start") return holdfast::test::start(arguments[2], with_parent);
  if (command == "stop") {
    holdfast::test::stop(arguments[2]);
    return 0;
  }
  std::cerr << "usage: database_servers start FOLDER [--with-parent] | stop FOLDER\n";
  return 2;
}
