#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace holdfast::test {

/// Listens on a free port of this machine, with a thread for each connection. Connections are
/// closed at the end, so that no number is used twice; what serves them must end when they do.
class LoopbackListener {
 public:
  explicit LoopbackListener(std::function<void(int socket)> serve);
  ~LoopbackListener();
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const;
  /// Connections there were.
  [[nodiscard]] std::size_t connections() const;

 private:
  void accept_loop();

  const std::function<void(int socket)> serve_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<int> sockets_;  // guarded by mutex_, like the threads
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// Passes on what both sides send, and ends both when one ends or `pass` has had enough: it is
/// shown every piece before it goes, and says how much of it may go.
using Pass = std::function<std::size_t(bool from_client, std::string_view bytes)>;
void forward_to(std::uint16_t port, int client, const Pass& pass);

}  // namespace holdfast::test
