#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

/// Another program, and what it writes to its standard output, line by line. One thread at a time.
class ChildProcess {
 public:
  /// Starts it. The first argument is the program's file.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The next whole line. Nothing at the end of the output, or when so much time has passed.
  [[nodiscard]] std::optional<std::string> read_line(
      std::optional<std::chrono::microseconds> patience = std::nullopt);

  void kill() const;
  /// Waits for its end: the number of the signal that ended it, or minus its exit code.
  int wait();

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string read_;  ///< read, but not yet a whole line
  std::size_t at_ = 0;
  std::optional<int> ended_;
};

}  // namespace holdfast::test
