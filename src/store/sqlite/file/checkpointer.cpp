#include "store/sqlite/file/checkpointer.hpp"

namespace holdfast::sqlite {
namespace {

/// Passes over a log that grows meanwhile; each leaves less than the one before.
constexpr int passes_max = 4;
constexpr int few_pages = 256;

}  // namespace

Checkpointer::Checkpointer(Connection connection, int pages_before, Failed failed)
    : pages_before_(pages_before), failed_(std::move(failed)), connection_(std::move(connection)) {
  thread_ = std::thread([this] { loop(); });
}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Checkpointer::grown_to(int pages) {
  if (pages < pages_before_) return;
  {
    const std::lock_guard lock(mutex_);
    if (wanted_) return;
    wanted_ = true;
  }
  wake_.notify_one();
}

void Checkpointer::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return wanted_ || stopping_; });
    if (stopping_) return;
    lock.unlock();
    {
      const std::lock_guard moving(moving_);
      move_pages();
    }
    nearly_done_ = true;
    lock.lock();
    wanted_ = false;
  }
}

/// No room, or a reader in the way, loses nothing: the pages stay in the log. After any other
/// failure SQLite would go on from the pages it believes it has moved, and overwrite the log in the
/// end.
void Checkpointer::move_pages() {
  int moved_before = 0;
  for (int pass = 0; pass < passes_max; ++pass) {
    int in_log = 0;
    int moved = 0;
    const int code = connection_.move_log(&in_log, &moved);
    if (code != SQLITE_OK && !is_harmless(code)) return failed_(code);
    if (code != SQLITE_OK || moved - moved_before < few_pages) return;
    moved_before = moved;
  }
}

}  // namespace holdfast::sqlite
