#include "http/monitoring/background_sink.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::http {
namespace {

/// As much is kept for whoever reads the log.
constexpr std::size_t kept_bytes_max = std::size_t{1024} * 1024;
constexpr std::chrono::seconds last_words_max{1};

/// Waits for the reader. A reader that is gone misses it.
void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

std::string dropped_text(std::size_t count) {
  return fmt::format(
      "{{\"level\":\"warning\",\"message\":\"lines of the log were dropped, since nobody read "
      "it\",\"lines\":\"{}\"}}\n",
      count);
}

}  // namespace

struct BackgroundSink::Lines {
  std::mutex mutex;
  std::condition_variable wake;
  std::string waiting;      // guarded by mutex, as all of these
  std::size_t dropped = 0;  // since the last one that was kept
  bool closing = false;
  bool ended = false;

  void run(int descriptor) {
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return closing || !waiting.empty(); });
      if (waiting.empty()) break;
      std::string bytes = std::exchange(waiting, {});
      if (dropped > 0) bytes += dropped_text(std::exchange(dropped, 0));
      lock.unlock();
      write_all(descriptor, bytes);
      lock.lock();
    }
    ended = true;
    wake.notify_all();
  }
};

BackgroundSink::BackgroundSink(int descriptor)
    : lines_(std::make_shared<Lines>()), writer_([lines = lines_, descriptor] {
        ::pthread_setname_np(::pthread_self(), "hf-log");
        lines->run(descriptor);
      }) {}

BackgroundSink::~BackgroundSink() {
  std::unique_lock lock(lines_->mutex);
  lines_->closing = true;
  lines_->wake.notify_all();
  const bool ended = lines_->wake.wait_for(lock, last_words_max, [&] { return lines_->ended; });
  lock.unlock();
  if (ended) {
    writer_.join();
  } else {
    writer_.detach();
  }
}

void BackgroundSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  const std::lock_guard lock(lines_->mutex);
  if (lines_->waiting.size() + line.size() > kept_bytes_max) {
    ++lines_->dropped;
    return;
  }
  lines_->waiting.append(line.data(), line.size());
  lines_->wake.notify_one();
}

}  // namespace holdfast::http
