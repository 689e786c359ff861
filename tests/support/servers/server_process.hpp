#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::test {

/// A TCP port of the loopback interface that nobody listens on. Below the ports the system hands
/// out by itself, so that it is still free when a server comes back to it after a restart.
[[nodiscard]] std::uint16_t free_port();

/// The file of a program: looked for in `PATH`, then in these folders. Empty if there is none.
[[nodiscard]] std::string find_program(const std::string& name,
                                       const std::vector<std::filesystem::path>& folders);

/// Whom a server runs as. Database servers do not care for root: as root we run them as the user
/// they have on Debian, or as `nobody`, and otherwise as ourselves.
class HumbleUser {
 public:
  explicit HumbleUser(const char* preferred);
  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> arguments) const;
  void give(const std::filesystem::path& file) const;

 private:
  uid_t user_ = 0;  ///< 0: we are not root, and everything is as it is
  gid_t group_ = 0;
};

/// Runs a program to its end, in that folder. Throws what it wrote if it did not succeed.
void run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// A server that lives no longer than this process, however this process ends. One thread at a
/// time.
///
/// A parent-death signal would not do: it comes when the thread that started the server ends, and
/// it cannot clean up. Instead a shell outside our family waits at the end of a pipe. When the pipe
/// closes, by our hand or because we died, it ends the server and removes the server's folder.
class ServerProcess {
 public:
  /// What the shell sends a server whose tests have died; SIGKILL follows if that does not help.
  enum class Farewell : std::uint8_t { quit, kill };

  /// `home` is the folder to remove; the server runs in it and logs to `home/log`.
  ServerProcess(std::filesystem::path home, Farewell farewell);
  /// Kills it if it still runs.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// The first argument is the program's file. It is in a session of its own.
  void start(const std::vector<std::string>& arguments);
  /// Whether it was started and has not ended.
  [[nodiscard]] bool running();
  /// Asks it to end, with that signal, and waits. Throws if it takes a minute.
  void stop(int signal);
  /// Ends it and every process it started, at once: SIGKILL, no warning.
  void kill();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// The end of its log, for saying why it did not start.
  [[nodiscard]] std::string last_words() const;

 private:
  void bury();
  void tell_keeper(pid_t pid) const;

  std::filesystem::path home_;
  pid_t pid_ = 0;  ///< 0: does not run
  int keeper_ = -1;
};

}  // namespace holdfast::test
