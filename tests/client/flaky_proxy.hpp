#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/clock.hpp"

namespace holdfast::test {

/// A network between client and server in which every connection breaks after some bytes, in the
/// middle of a request or of an answer, as it happens.
class FlakyProxy {
 public:
  /// Breaks a connection after at most so many bytes, both ways taken together.
  FlakyProxy(std::uint16_t to_port, std::size_t bytes_max, std::uint64_t seed);
  ~FlakyProxy();
  FlakyProxy(const FlakyProxy&) = delete;
  FlakyProxy& operator=(const FlakyProxy&) = delete;

  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::size_t connections() const;

 private:
  void accept_loop();
  void forward(int client, std::size_t bytes) const;
  [[nodiscard]] std::size_t random_bytes() const;

  const std::uint16_t to_port_;
  const std::size_t bytes_max_;
  const std::shared_ptr<Random> random_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<int> clients_;  // guarded by mutex_, like the threads; closed at the end
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace holdfast::test
