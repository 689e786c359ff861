#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "store/sqlite/file/connection.hpp"

namespace holdfast::sqlite {

/// Moves pages from the write-ahead log into the database on a thread of its own, so that the
/// writer does not. The log can start over only when nothing in it is left to move and nobody
/// appends meanwhile; the last few pages are therefore the writer's, see `finish_round`.
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
  /// The writer, after a commit: moves the rest once per round, with `move`. Never while pages are
  /// being moved here, nor between a failure of that and `Failed`: it would go on from pages that
  /// may not have reached the disk, and the log that has them could start over.
  template <typename Move>
  void finish_round(const Move& move) {
    if (!nearly_done_) return;
    const std::unique_lock moving(moving_, std::try_to_lock);
    if (!moving) return;  // after the next commit, then
    nearly_done_ = false;
    move();
  }

 private:
  void loop();
  void move_pages();

  const int pages_before_;
  const Failed failed_;
  std::atomic<bool> nearly_done_{false};
  std::mutex moving_;  ///< held while pages are moved, and until a failure of that is told
  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false;    // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  Connection connection_;  // the thread's only
  std::thread thread_;
};

}  // namespace holdfast::sqlite
