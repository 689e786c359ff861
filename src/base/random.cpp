#include <pthread.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/assert.hpp"
#include "holdfast/clock.hpp"

namespace holdfast {
namespace {

void fill_from_system(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    HOLDFAST_ASSERT(got > 0);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

/// How often this process is a child of itself.
std::atomic<std::uint64_t> forks{0};

/// Asks the system for a page at a time: a hold needs eight bytes, a system call costs more. Each
/// thread has its own, and a forked process draws none of what its parent had.
class SystemRandom final : public Random {
 public:
  SystemRandom() {
    const int failed = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
    HOLDFAST_ASSERT(failed == 0);
  }

  void fill(std::span<std::uint8_t> out) override {
    thread_local Pool pool;
    if (out.size() > pool.bytes.size()) return fill_from_system(out);
    if (pool.bytes.size() - pool.used < out.size() || pool.forks != forks) {
      fill_from_system(pool.bytes);
      pool.used = 0;
      pool.forks = forks;
    }
    std::memcpy(out.data(), pool.bytes.data() + pool.used, out.size());
    std::memset(pool.bytes.data() + pool.used, 0, out.size());
    pool.used += out.size();
  }

 private:
  struct Pool {
    std::array<std::uint8_t, 1024> bytes{};
    std::size_t used = bytes.size();
    std::uint64_t forks = 0;
  };
};

/// splitmix64.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  void fill(std::span<std::uint8_t> out) override {
    const std::lock_guard lock(mutex_);
    while (!out.empty()) {
      const std::uint64_t word = next();
      const std::size_t size = std::min<std::size_t>(out.size(), sizeof word);
      std::memcpy(out.data(), &word, size);
      out = out.subspan(size);
    }
  }

 private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::mutex mutex_;
  std::uint64_t state_;
};

}  // namespace

std::shared_ptr<Random> system_random() {
  static const std::shared_ptr<Random> random = std::make_shared<SystemRandom>();
  return random;
}

std::shared_ptr<Random> seeded_random(std::uint64_t seed) {
  return std::make_shared<SeededRandom>(seed);
}

}  // namespace holdfast
