#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::test {

/// A network between browser and service that can lose answers: a POST arrives and is acted on, and
/// its answer never comes back.
class LosingProxy {
 public:
  explicit LosingProxy(std::uint16_t to_port);
  ~LosingProxy();
  LosingProxy(const LosingProxy&) = delete;
  LosingProxy& operator=(const LosingProxy&) = delete;

  void lose_answers(bool lose) { losing_ = lose; }
  /// Answers that were given and lost.
  [[nodiscard]] std::size_t lost() const { return lost_; }
  [[nodiscard]] std::string url() const;

 private:
  void accept_loop();
  void forward(int client);

  const std::uint16_t to_port_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> losing_{false};
  std::atomic<std::size_t> lost_{0};
  std::mutex mutex_;
  std::vector<int> sockets_;  // guarded by mutex_, like the threads; closed at the end
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace holdfast::test
