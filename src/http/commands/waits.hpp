#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/clock.hpp"
#include "http/transport/exchange.hpp"
#include "store/store.hpp"

namespace holdfast::commands {
struct CommandRow;
}

namespace holdfast::http {

/// Those that wait for commands to settle (`?wait=`). One thread looks after all of them: whenever
/// records became durable here, and now and then, since another node may have settled a command.
/// All members may be called from any thread.
class CommandWaits {
 public:
  /// Told of the command once it is no longer in progress, or as it stands when the time is over;
  /// null if it could not be read, or its key has another command by then. On any thread.
  using Tell = std::function<void(const commands::CommandRow* row)>;

  /// The store must outlive it.
  explicit CommandWaits(const Store& store);
  ~CommandWaits();
  CommandWaits(const CommandWaits&) = delete;
  CommandWaits& operator=(const CommandWaits&) = delete;

  void add(std::string tenant, std::string id, Duration wait, Tell tell);
  /// Of an answer that is to settle: sends it when it has.
  void add(const Reply& reply, std::string tenant, Answer answer, Duration wait);

  /// Records became durable. Does not block.
  void look();
  /// Nobody waits any longer: all are told how things stand, and whoever comes later at once.
  void drain();
  /// The same, and returns when all are told.
  void stop();

 private:
  struct Wait {
    std::string tenant;
    std::string id;
    std::chrono::steady_clock::time_point until;
    Tell tell;
  };

  void run();
  [[nodiscard]] bool told(const Wait& wait, bool last) const;
  [[nodiscard]] std::chrono::steady_clock::time_point next_look() const;

  const Store& store_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Wait> waits_;  // guarded by mutex_
  bool looks_ = false;       // guarded by mutex_
  bool draining_ = false;    // guarded by mutex_
  std::atomic<bool> anybody_{false};
  std::thread thread_;
};

}  // namespace holdfast::http
