#include "support/servers/server_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/assert.hpp"

extern char** environ;

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

/// Called as: sh -c keeper sh HOME SIGNAL, with the pipe as descriptor 3. Each line is the server's
/// process id, 0 when it does not run. The loop is begun in the background so that it is nobody's
/// child: whoever ends us with all our children does not find it.
constexpr const char* keeper_script = R"sh(
server=0
gone() { ! kill -0 "$server" 2>/dev/null; }
end_session() {  # what the server started: the sixth field of a stat is the session
  for stat in /proc/[0-9]*/stat; do
    { read -r pid _ _ _ _ session _ <"$stat"; } 2>/dev/null || continue
    [ "$session" = "$server" ] && kill -KILL "$pid" 2>/dev/null
  done
}
keep() {
  while read -r line; do server=$line; done
  if [ "$server" != 0 ]; then
    kill -"$2" "$server" 2>/dev/null
    for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
      gone && break
      sleep 0.1
    done
    end_session
  fi
  # A PostgreSQL that was killed leaves the segment by which it knows that it runs only once.
  segment=$(sed -n '7s/.* //p' "$1/data/postmaster.pid" 2>/dev/null)
  [ -n "$segment" ] && ipcrm -m "$segment"
  rm -rf "$1"
}
keep "$@" <&3 >/dev/null 2>&1 &
)sh";

std::system_error failed(const std::string& what, int code = errno) {
  return {code, std::generic_category(), what};
}

/// How a program is started: in that folder, with nothing of ours open.
class Spawning {
 public:
  Spawning() {
    HOLDFAST_ASSERT(::posix_spawn_file_actions_init(&actions_) == 0);
    HOLDFAST_ASSERT(::posix_spawnattr_init(&attributes_) == 0);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    // A session of its own, so that a Ctrl-C is for us and we decide.
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~Spawning() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  void in_folder(const std::filesystem::path& folder) {
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  void log_to(const std::filesystem::path& file) {
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, file.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  void pass(int descriptor, int as) {
    ::posix_spawn_file_actions_adddup2(&actions_, descriptor, as);
    first_closed_ = as + 1;
  }

  pid_t run(std::vector<std::string> arguments) {
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, first_closed_);
    std::vector<char*> pointers;
    for (std::string& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    pid_t pid = 0;
    const int code =
        ::posix_spawn(&pid, pointers[0], &actions_, &attributes_, pointers.data(), environ);
    if (code != 0) throw failed("cannot start " + arguments.front(), code);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int first_closed_ = STDERR_FILENO + 1;
};

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Process {
  char state = 0;
  pid_t parent = 0;
  pid_t session = 0;
};

/// Nothing once it is gone.
Process look_up(pid_t pid) {
  const std::string stat = file_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  Process process;
  if (name_end == std::string::npos) return process;
  pid_t group = 0;
  std::istringstream(stat.substr(name_end + 1)) >> process.state >> process.parent >> group >>
      process.session;
  return process;
}

std::map<pid_t, Process> all_processes() {
  std::map<pid_t, Process> processes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0) processes[pid] = look_up(pid);
  }
  return processes;
}

/// What a server started, directly or not: its descendants and the members of its session.
std::vector<pid_t> family_of(pid_t server) {
  const auto processes = all_processes();
  const auto belongs = [&](pid_t pid) {
    if (processes.at(pid).session == server) return true;
    for (auto at = processes.find(pid); at != processes.end();) {
      if (at->second.parent == server) return true;
      at = processes.find(at->second.parent);
    }
    return false;
  };
  std::vector<pid_t> family;
  for (const auto& [pid, process] : processes) {
    if (pid != server && belongs(pid)) family.push_back(pid);
  }
  return family;
}

std::vector<pid_t> session_of(pid_t server) {
  std::vector<pid_t> members;
  for (const auto& [pid, process] : all_processes()) {
    if (process.session == server) members.push_back(pid);
  }
  return members;
}

bool is_gone(pid_t pid) {
  const char state = look_up(pid).state;
  return state == 0 || state == 'Z' || state == 'X';
}

bool is_free(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  HOLDFAST_ASSERT(fd >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return bound;
}

}  // namespace

std::uint16_t free_port() {
  // Tests run side by side: each process begins somewhere else, and no port is given twice.
  constexpr unsigned first = 10'000;
  constexpr unsigned count = 22'000;
  static std::atomic<unsigned> next{static_cast<unsigned>(::getpid()) * 61};
  for (unsigned tries = 0; tries < count; ++tries) {
    const auto port = static_cast<std::uint16_t>(first + next++ % count);
    if (is_free(port)) return port;
  }
  throw std::runtime_error("every port is taken");
}

std::string find_program(const std::string& name,
                         const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> places;
  const char* path = std::getenv("PATH");
  std::istringstream entries(path == nullptr ? "" : path);
  for (std::string each; std::getline(entries, each, ':');) places.emplace_back(each);
  places.insert(places.end(), folders.begin(), folders.end());
  for (const auto& place : places) {
    const std::filesystem::path file = place / name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

HumbleUser::HumbleUser(const char* preferred) {
  if (::geteuid() != 0) return;
  const passwd* user = ::getpwnam(preferred);
  if (user == nullptr) user = ::getpwnam("nobody");
  if (user == nullptr) throw std::runtime_error("there is no user but root");
  user_ = user->pw_uid;
  group_ = user->pw_gid;
}

std::vector<std::string> HumbleUser::command(std::vector<std::string> arguments) const {
  if (user_ == 0) return arguments;
  std::vector<std::string> all{find_program("setpriv", {"/usr/bin"}),
                               fmt::format("--reuid={}", user_), fmt::format("--regid={}", group_),
                               "--clear-groups"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

void HumbleUser::give(const std::filesystem::path& file) const {
  if (user_ == 0) return;
  if (::chown(file.c_str(), user_, group_) != 0) throw failed("cannot give away " + file.string());
}

void run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  const std::filesystem::path output = folder / "output";
  Spawning spawning;
  spawning.in_folder(folder);
  spawning.log_to(output);
  const bool well = wait_for(spawning.run(arguments)) == 0;
  const std::string said = file_text(output);
  std::filesystem::remove(output);
  if (!well) throw std::runtime_error(arguments.front() + " failed:\n" + said);
}

ServerProcess::ServerProcess(std::filesystem::path home, Farewell farewell)
    : home_(std::move(home)) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failed("cannot make a pipe");
  keeper_ = ends[1];
  Spawning spawning;
  spawning.pass(ends[0], 3);
  wait_for(spawning.run({"/bin/sh", "-c", keeper_script, "sh", home_.string(),
                         farewell == Farewell::quit ? "QUIT" : "KILL"}));
  ::close(ends[0]);
}

ServerProcess::~ServerProcess() {
  kill();
  ::close(keeper_);
}

/// What it started does not outlive it.
void ServerProcess::bury() {
  for (const pid_t each : session_of(pid_)) ::kill(each, SIGKILL);
  pid_ = 0;
  tell_keeper(0);
}

void ServerProcess::tell_keeper(pid_t pid) const {
  const std::string line = fmt::format("{}\n", pid);
  HOLDFAST_ASSERT(::write(keeper_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

void ServerProcess::start(const std::vector<std::string>& arguments) {
  HOLDFAST_ASSERT(pid_ == 0);
  Spawning spawning;
  spawning.in_folder(home_);
  spawning.log_to(home_ / "log");
  pid_ = spawning.run(arguments);
  tell_keeper(pid_);
}

bool ServerProcess::running() {
  if (pid_ == 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
  bury();
  return false;
}

void ServerProcess::stop(int signal) {
  if (!running()) return;
  ::kill(pid_, signal);
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (running()) {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error("does not stop");
    std::this_thread::sleep_for(5ms);
  }
}

void ServerProcess::kill() {
  if (!running()) return;
  ::kill(pid_, SIGSTOP);  // starts nothing more while we look
  const std::vector<pid_t> family = family_of(pid_);
  ::kill(pid_, SIGKILL);
  for (const pid_t each : family) ::kill(each, SIGKILL);
  wait_for(pid_);
  bury();
  for (const pid_t each : family) {
    while (!is_gone(each)) std::this_thread::sleep_for(1ms);
  }
}

std::string ServerProcess::last_words() const {
  constexpr std::size_t bytes = 3000;
  const std::string log = file_text(home_ / "log");
  return log.size() > bytes ? log.substr(log.size() - bytes) : log;
}

}  // namespace holdfast::test
