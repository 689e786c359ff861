#define XXH_INLINE_ALL
#include "limit.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>

namespace holdfast::bench {
namespace {

constexpr std::int64_t capacity = 1'000'000'000;

/// Makes and appends batches until the time is up.
Run append_batches(const std::filesystem::path& folder, double batch, double seconds,
                   const std::function<const std::vector<char>&(std::uint64_t)>& make) {
  const auto per_batch = static_cast<std::uint64_t>(std::max(1.0, std::round(batch)));
  const PlainFile file(folder);
  std::vector<float> samples;
  Run run;
  const double cpu = cpu_seconds();
  const auto start = Steady::now();
  while (run.failed == 0 && seconds_since(start) < seconds) {
    const auto sent = Steady::now();
    if (!file.append(make(per_batch))) ++run.failed;
    const std::chrono::duration<float, std::micro> took = Steady::now() - sent;
    samples.push_back(took.count());
    run.operations += per_batch;
  }
  run.seconds = seconds_since(start);
  run.cpu_us = (cpu_seconds() - cpu) * 1e6 / static_cast<double>(run.operations);
  run.batch = static_cast<double>(per_batch);
  run.p50_us = percentile(samples, 0.5);
  run.p99_us = percentile(samples, 0.99);
  return run;
}

}  // namespace

PlainFile::PlainFile(const std::filesystem::path& folder)
    : path_(folder / "limit.log"),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600)) {}

PlainFile::~PlainFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::filesystem::remove(path_);
}

bool PlainFile::append(const std::vector<char>& bytes) const {
  return ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
         ::fdatasync(descriptor_) == 0;
}

Run run_limit(const std::filesystem::path& folder, double bytes, double batch, double seconds) {
  std::vector<char> block;
  return append_batches(
      folder, batch, seconds, [&](std::uint64_t operations) -> const std::vector<char>& {
        block.resize(static_cast<std::size_t>(bytes * static_cast<double>(operations)), 'h');
        return block;
      });
}

LoggedState::LoggedState(std::uint64_t operations) {
  constexpr std::uint64_t room = 8'000'000;  // so that no operation waits for a table to grow
  tokens_.reserve(operations + room);
  holds_.reserve(operations + room);
  for (std::uint64_t i = 0; i < operations; ++i) operate(nullptr, 0);
}

void LoggedState::operate(char* record, std::size_t size) {
  const std::array<std::uint64_t, 4> token{mix(next_), mix(~next_), next_, 0};
  const XXH128_hash_t hash = XXH3_128bits(token.data(), sizeof token);
  const Hash128 key{hash.low64, hash.high64};
  const std::uint64_t resource = mix(next_ * 3) % resource_count;
  const bool fresh = tokens_.find(key) == tokens_.end();
  if (!fresh || occupied_[resource] + 1 > capacity) return;
  occupied_[resource] += 1;
  const auto now_us = static_cast<std::int64_t>(next_++);
  holds_.push_back({resource, key.high, 1, now_us, now_us + 1'000'000, key.low});
  tokens_.emplace(key, holds_.size());
  if (record == nullptr) return;
  std::memset(record, 'h', size);
  std::memcpy(record, token.data(), std::min(size, sizeof token));
  chain_ = XXH3_64bits_withSeed(record, size, chain_);
  std::memcpy(record + size - sizeof chain_, &chain_, sizeof chain_);
}

Run LoggedState::run(const std::filesystem::path& folder, double bytes, double batch,
                     double seconds) {
  const auto size = std::max(sizeof chain_, static_cast<std::size_t>(bytes));
  std::vector<char> block;
  return append_batches(folder, batch, seconds,
                        [&](std::uint64_t operations) -> const std::vector<char>& {
                          block.resize(size * operations);
                          for (std::uint64_t i = 0; i < operations; ++i)
                            operate(block.data() + i * size, size);
                          return block;
                        });
}

}  // namespace holdfast::bench
