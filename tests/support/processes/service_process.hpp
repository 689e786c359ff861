#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/processes/child_process.hpp"

namespace holdfast::test {

/// The real service as a process, always on the same port once it has one.
class ServiceProcess {
 public:
  explicit ServiceProcess(std::string store, std::vector<std::string> arguments = {});

  /// Throws what it said if it does not start.
  void start();
  /// SIGKILL.
  void kill();
  /// SIGSTOP, until every thread stands still; and SIGCONT.
  void freeze() const;
  void thaw() const;
  /// SIGTERM; its exit code.
  int terminate();
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] pid_t pid() const { return process_->pid(); }

 private:
  const std::string store_;
  const std::vector<std::string> arguments_;
  std::optional<ChildProcess> process_;
  std::uint16_t port_ = 0;
};

}  // namespace holdfast::test
