#include "load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "window.hpp"

namespace holdfast::bench {

double seconds_since(Steady::time_point start) {
  return std::chrono::duration<double>(Steady::now() - start).count();
}

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

double percentile(std::vector<float>& samples, double share) {
  if (samples.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[static_cast<std::size_t>(at)];
}

double middle(const std::vector<Run>& runs, double (*figure)(const Run&)) {
  std::vector<float> all;
  for (const Run& run : runs) all.push_back(static_cast<float>(figure(run)));
  return percentile(all, 0.5);
}

namespace {

void append_hex(std::string& text, std::uint64_t word) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += digits[(word >> static_cast<unsigned>(shift)) & 15U];
  }
}

}  // namespace

Token token_numbered(std::uint64_t i) {
  std::string token;
  append_hex(token, mix(i + 0x9e3779b97f4a7c15ULL));
  append_hex(token, mix(i ^ 0x5851f42d4c957f2dULL));
  return Token(std::move(token));
}

Call call_numbered(std::uint64_t i) {
  Placing what{.resource = "room_" + std::to_string(mix(i) % resource_count),
               .requester = "guest_" + std::to_string(mix(i ^ 77) % resource_count),
               .duration = std::chrono::hours(24)};
  return {.command = Command::place(std::move(what)), .token = token_numbered(i)};
}

Bed::Bed(std::string name, ServiceOptions serving) {
  StoreOptions options;
  options.store = std::move(name);
  options.window = std::chrono::hours(24);
  options.observer = [this](Stage) { ++commits_; };
  const auto start = Steady::now();
  auto store = open_store(options);
  open_seconds_ = seconds_since(start);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    std::exit(1);
  }
  service_ = std::make_unique<Service>(std::move(*store), system_random(), std::move(serving));
}

void Bed::declare_resources() {
  Window window(1024);
  for (std::uint64_t i = 0; i < resource_count; ++i) {
    const std::size_t slot = window.take();
    Call call{.command = Command::declare("room_" + std::to_string(i), quantity_max),
              .token = Token("declare " + std::to_string(i))};
    service_->submit(std::move(call), [&window, slot](const Answer& answer) {
      window.give_back(slot, answer.ok());
    });
  }
  window.drain();
}

Run run_places(Bed& bed, std::uint64_t& first, std::size_t in_flight, std::uint64_t count,
               double seconds) {
  const auto send = [&](Window& window, std::size_t slot, std::uint64_t) {
    bed.service().submit(call_numbered(first++), [&window, slot](const Answer& answer) {
      window.give_back(slot, answer.ok());
    });
  };
  return run_in_flight(bed, in_flight, count, seconds, send);
}

CountsReader::CountsReader(Bed& bed, std::chrono::microseconds pause)
    : thread_([this, &bed, pause] {
        while (!stopping_) {
          (void)bed.service().store().counts();
          ++asked_;
          if (pause > pause.zero()) std::this_thread::sleep_for(pause);
        }
      }) {}

CountsReader::~CountsReader() {
  stopping_ = true;
  thread_.join();
}

Run run_replays(Bed& bed, std::uint64_t known, std::size_t threads, double seconds) {
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> failed{0};
  std::vector<std::vector<float>> samples(threads);
  const double cpu = cpu_seconds();
  const auto start = Steady::now();
  const auto repeat = [&](std::size_t thread) {
    std::uint64_t draw = thread * 1'000'003;
    std::uint64_t done = 0;
    while (seconds_since(start) < seconds) {
      const auto sent = Steady::now();
      bed.service().submit(call_numbered(mix(++draw) % known), [&](const Answer& answer) {
        if (!answer.ok() || !answer.replayed) ++failed;
      });
      const std::chrono::duration<float, std::micro> took = Steady::now() - sent;
      samples[thread].push_back(took.count());
      ++done;
    }
    operations += done;
  };
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < threads; ++i) pool.emplace_back(repeat, i);
  for (std::thread& thread : pool) thread.join();
  Run run;
  run.seconds = seconds_since(start);
  run.operations = operations;
  run.failed = failed;
  run.cpu_us = (cpu_seconds() - cpu) * 1e6 / static_cast<double>(run.operations);
  for (std::size_t i = 1; i < threads; ++i) {
    samples[0].insert(samples[0].end(), samples[i].begin(), samples[i].end());
  }
  run.p50_us = percentile(samples[0], 0.5);
  run.p99_us = percentile(samples[0], 0.99);
  return run;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t written_bytes() {
  std::ifstream file("/proc/self/io");
  std::string key;
  std::uint64_t value = 0;
  while (file >> key >> value) {
    if (key == "write_bytes:") return value;
  }
  return 0;
}

}  // namespace holdfast::bench
