#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::test {

/// Stands between a node and its database, and cuts the connection at the worst moments: when a
/// commit is asked for, before it reaches the server; or after the server has carried it out,
/// before its answer reaches the node. It may also hang.
class CuttingProxy {
 public:
  /// `commit` is how the engine's protocol spells one.
  CuttingProxy(std::uint16_t server_port, std::string commit);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// One of so many commits is cut, before and after in turn. 0: none.
  void cut_every(unsigned commits) { every_ = commits; }
  /// While it hangs, nothing is carried, and nobody is told.
  void hang(bool hangs) { hangs_ = hangs; }
  [[nodiscard]] unsigned cut_before() const { return cut_before_; }
  [[nodiscard]] unsigned cut_after() const { return cut_after_; }

 private:
  void accept_loop();
  void carry(int client);

  const std::uint16_t server_port_;
  const std::string commit_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> hangs_{false};
  std::atomic<unsigned> every_{0};
  std::atomic<unsigned> commits_{0};
  std::atomic<unsigned> cut_before_{0};
  std::atomic<unsigned> cut_after_{0};
  std::mutex mutex_;
  std::vector<std::thread> carriers_;  // guarded by mutex_
  std::thread acceptor_;
};

}  // namespace holdfast::test
