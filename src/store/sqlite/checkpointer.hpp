#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "store/sqlite/connection.hpp"

namespace holdfast::sqlite {

/// Moves pages from the write-ahead log into the database on a thread of its own, so that the
/// writer does not. The log can start over only when nothing in it is left to move and nobody
/// appends meanwhile; the last few pages are therefore the writer's, when `nearly_done` says so.
class Checkpointer {
 public:
  /// Called on the thread when moving fails for good. What the database then holds is unknown.
  using Failed = std::function<void(int code)>;

  Checkpointer(Connection connection, int pages_before, Failed failed);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// The log has this many pages; called by the writer after each commit.
  void grown_to(int pages);
  /// Whether the writer should now move the rest. True once per round.
  [[nodiscard]] bool nearly_done();

 private:
  void loop();
  void move_pages();

  const int pages_before_;
  const Failed failed_;
  std::atomic<bool> nearly_done_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false;    // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  Connection connection_;  // the thread's only
  std::thread thread_;
};

}  // namespace holdfast::sqlite
