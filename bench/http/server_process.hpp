#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::bench {

/// A server in a process of its own, found by the address in the first line it prints.
class ServerProcess {
 public:
  explicit ServerProcess(const std::vector<std::string>& command);
  /// Asks it to stop, and waits.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] double cpu_seconds() const;
  [[nodiscard]] std::uint64_t resident_bytes() const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string address_;
};

/// Runs a command and gives what it printed. Throws if it fails.
[[nodiscard]] std::string output_of(const std::vector<std::string>& command);

}  // namespace holdfast::bench
