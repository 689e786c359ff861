#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "holdfast/clock.hpp"
#include "support/servers/loopback_listener.hpp"

namespace holdfast::test {

/// A network between client and server in which every connection breaks after some bytes, in the
/// middle of a request or of an answer, as it happens.
class FlakyProxy {
 public:
  /// Breaks a connection after at most so many bytes, both ways taken together.
  FlakyProxy(std::uint16_t to_port, std::size_t bytes_max, std::uint64_t seed)
      : to_port_(to_port),
        bytes_max_(bytes_max),
        random_(seeded_random(seed)),
        listener_([this](int client) { forward(client); }) {}

  [[nodiscard]] std::string url() const { return listener_.url(); }
  [[nodiscard]] std::size_t connections() const { return listener_.connections(); }

 private:
  void forward(int client) {
    std::size_t left = random_bytes();
    forward_to(to_port_, client, [&](bool /*from_client*/, std::string_view bytes) {
      const std::size_t passed = std::min(left, bytes.size());
      left -= passed;
      return passed;
    });
  }

  [[nodiscard]] std::size_t random_bytes() {
    const std::lock_guard lock(mutex_);
    std::array<std::uint8_t, 2> bytes{};
    random_->fill(bytes);
    return (std::size_t{bytes[0]} << 8U | bytes[1]) % bytes_max_;
  }

  const std::uint16_t to_port_;
  const std::size_t bytes_max_;
  std::mutex mutex_;
  const std::shared_ptr<Random> random_;  // guarded by mutex_
  LoopbackListener listener_;             // last: its threads use the others
};

}  // namespace holdfast::test
