#pragma once

#include <atomic>

#include "support/servers/loopback_listener.hpp"

namespace holdfast::test {

/// A network between browser and service that can lose answers: a POST arrives and is acted on, and
/// its answer never comes back.
class LosingProxy {
 public:
  explicit LosingProxy(std::uint16_t to_port)
      : to_port_(to_port), listener_([this](int client) { forward(client); }) {}

  void lose_answers(bool lose) { losing_ = lose; }
  /// Answers that were given and lost.
  [[nodiscard]] std::size_t lost() const { return lost_; }
  [[nodiscard]] std::string url() const { return listener_.url() + "/"; }

 private:
  void forward(int client) {
    bool lose = false;
    forward_to(to_port_, client, [&](bool from_client, std::string_view bytes) {
      if (from_client && losing_ && bytes.starts_with("POST ")) lose = true;
      if (from_client || !lose) return bytes.size();
      ++lost_;
      return std::size_t{0};
    });
  }

  const std::uint16_t to_port_;
  std::atomic<bool> losing_{false};
  std::atomic<std::size_t> lost_{0};
  LoopbackListener listener_;  // last: its threads use the others
};

}  // namespace holdfast::test
