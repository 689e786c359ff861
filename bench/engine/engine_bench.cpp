// The engine in its own process, durable: what it does per second, and what it costs.
//
//   holdfast_bench [--records 0,1000000,10000000] [--in-flight 1,16,64,256,1024,8192]
//                  [--seconds 2] [--dir DIR] [--json FILE] [--counts-every US | --changes]
//
// For each number of records already in the journal: places at each number in flight, beside two
// limits measured right after it, with the same bytes in the same batches (a plain file with
// fdatasync; the same, and the least state that an operation needs); replays; and the time to open.
// Only ratios within one run mean anything.
//
// With --counts-every, only places, in turns without and with a thread beside them that asks for
// the store's counts at that interval (0: all the time), as metrics, status and console do.
//
// With --changes, only changes of holds, in turns: extend and cancel beside confirm, and a group of
// five beside five places that are sent together.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "changes.hpp"
#include "limit.hpp"
#include "report.hpp"

namespace holdfast::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::vector<std::uint64_t> records{0, 1'000'000, 10'000'000};
  std::vector<std::size_t> in_flight{1, 16, 64, 256, 1024, 8192};
  double seconds = 2;
  std::string dir = "build/bench";
  std::string json = "build/bench/engine.json";
  std::optional<std::int64_t> counts_every_us;
  bool changes = false;
};

constexpr std::size_t turns = 9;

std::uint64_t file_bytes(const fs::path& path) {
  std::error_code none;
  const auto size = fs::file_size(path, none);
  return none ? 0 : size;
}

class EngineBench {
 public:
  explicit EngineBench(Settings settings) : settings_(std::move(settings)) {
    fs::create_directories(settings_.dir);
  }

  void run() {
    if (settings_.counts_every_us) {
      run_beside_counts();
    } else if (settings_.changes) {
      run_changes();
    } else {
      run_all();
    }
    report_.save(settings_.json);
    fmt::print("figures saved in {}\n", settings_.json);
  }

 private:
  void run_all() {
    fmt::print("{:>9} {:>9} {:>10} {:>9} {:>9} {:>7} {:>7} {:>11} {:>6} {:>13} {:>6}\n", "records",
               "in flight", "places/s", "p50 µs", "p99 µs", "batch", "CPU µs", "file/s", "ratio",
               "file+state/s", "ratio");
    for (const std::uint64_t records : settings_.records) {
      records == 0 ? run_empty() : run_filled(records);
    }
  }

  /// A new store that is filled first, so that its log has its full length.
  std::uint64_t start_filled() {
    const std::uint64_t records = settings_.records.front();
    remove_store();
    bed_ = std::make_unique<Bed>(store_path());
    bed_->declare_resources();
    if (records > 0) fill(records);
    return records;
  }

  void run_changes() {
    const std::uint64_t records = start_filled();
    Changes changes(*bed_, first_, records, settings_.seconds, report_);
    Changes::print_head();
    for (const std::size_t in_flight : settings_.in_flight) changes.run(in_flight, turns);
    bed_.reset();
  }

  void run_beside_counts() {
    start_filled();
    fmt::print("{:>9} {:>12} {:>10} {:>9} {:>9} {:>9}\n", "in flight", "counts", "places/s",
               "p50 µs", "p99 µs", "asked/s");
    for (const std::size_t in_flight : settings_.in_flight) {
      std::vector<Run> quiet;
      std::vector<Run> watched;
      std::uint64_t asked = 0;
      for (std::size_t i = 0; i < turns; ++i) {
        quiet.push_back(run_places(*bed_, first_, in_flight, UINT64_MAX, settings_.seconds));
        const CountsReader reader(*bed_, std::chrono::microseconds(*settings_.counts_every_us));
        watched.push_back(run_places(*bed_, first_, in_flight, UINT64_MAX, settings_.seconds));
        asked += reader.asked();
      }
      beside_counts("unasked", in_flight, quiet, 0);
      beside_counts("asked for", in_flight, watched, asked);
    }
    bed_.reset();
  }

  /// The middle of the turns.
  void beside_counts(std::string_view counts, std::size_t in_flight, const std::vector<Run>& runs,
                     std::uint64_t asked) {
    double seconds = 0;
    std::uint64_t failed = 0;
    for (const Run& run : runs) {
      seconds += run.seconds;
      failed += run.failed;
    }
    const double places = middle(runs, [](const Run& run) { return run.per_second(); });
    const double p50 = middle(runs, [](const Run& run) { return run.p50_us; });
    const double p99 = middle(runs, [](const Run& run) { return run.p99_us; });
    const double asked_per_second = static_cast<double>(asked) / seconds;
    fmt::print("{:>9} {:>12} {:>10.0f} {:>9.0f} {:>9.0f} {:>9.0f}{}\n", in_flight, counts, places,
               p50, p99, asked_per_second, failed == 0 ? "" : "  FAILED CALLS");
    std::fflush(stdout);
    report_.line("place_beside_counts", settings_.records.front(),
                 fmt::format(R"(,"counts":"{}","in_flight":{},"per_second":{:.0f},"p50_us":{:.1f},)"
                             R"("p99_us":{:.1f},"asked_per_second":{:.0f},"failed":{})",
                             counts, in_flight, places, p50, p99, asked_per_second, failed));
  }

  std::string store_path() const { return (fs::path(settings_.dir) / "bench.db").string(); }

  void remove_store() const {
    for (const char* suffix : {"", "-wal", "-shm", "-lock"}) fs::remove(store_path() + suffix);
  }

  /// Each number in flight on a store of its own: it stays as good as empty.
  void run_empty() {
    for (const std::size_t in_flight : settings_.in_flight) {
      remove_store();
      Bed bed(store_path());
      bed.declare_resources();
      std::uint64_t first = 0;
      places(bed, first, in_flight, 0);
    }
  }

  void run_filled(std::uint64_t records) {
    if (!bed_) {
      remove_store();
      bed_ = std::make_unique<Bed>(store_path());
      bed_->declare_resources();
      first_ = 0;
    }
    fill(records);
    for (const std::size_t in_flight : settings_.in_flight)
      places(*bed_, first_, in_flight, records);
    replays(records);
    memory(records);
    reopen(records);
  }

  void fill(std::uint64_t records) {
    const std::uint64_t missing = records > first_ ? records - first_ : 0;
    const std::uint64_t resident = resident_bytes();
    const std::uint64_t written = written_bytes();
    const std::uint64_t bytes = file_bytes(store_path());
    const Run run = run_places(*bed_, first_, 8192, missing, 1e9);
    const auto per = [&](std::uint64_t now, std::uint64_t before) {
      return static_cast<double>(now - before) / static_cast<double>(missing);
    };
    disk_per_op_ = per(file_bytes(store_path()), bytes);
    fmt::print(
        "filled to {} records at {:.0f}/s: {:.0f} bytes of file, {:.0f} bytes written, {:.0f} "
        "bytes of memory per place\n",
        records, run.per_second(), disk_per_op_, per(written_bytes(), written),
        per(resident_bytes(), resident));
    report_.line("fill", records,
                 fmt::format(R"(,"per_second":{:.0f},"file_bytes":{:.1f},"written_bytes":{:.1f})",
                             run.per_second(), disk_per_op_, per(written_bytes(), written)));
  }

  void places(Bed& bed, std::uint64_t& first, std::size_t in_flight, std::uint64_t records) {
    const Run run = run_places(bed, first, in_flight, UINT64_MAX, settings_.seconds);
    const Run limit = run_limit(settings_.dir, disk_per_op_, run.batch, settings_.seconds / 2);
    const Run logged =
        LoggedState(records).run(settings_.dir, disk_per_op_, run.batch, settings_.seconds / 2);
    fmt::print(
        "{:>9} {:>9} {:>10.0f} {:>9.0f} {:>9.0f} {:>7.0f} {:>7.2f} {:>11.0f} {:>6.2f} {:>13.0f} "
        "{:>6.2f}{}\n",
        records, in_flight, run.per_second(), run.p50_us, run.p99_us, run.batch, run.cpu_us,
        limit.per_second(), run.per_second() / limit.per_second(), logged.per_second(),
        run.per_second() / logged.per_second(), run.failed == 0 ? "" : "  FAILED CALLS");
    std::fflush(stdout);
    report_.line(
        "place", records,
        fmt::format(R"(,"in_flight":{},"per_second":{:.0f},"p50_us":{:.1f},"p99_us":{:.1f},)"
                    R"("batch":{:.1f},"cpu_us":{:.2f},"file_per_second":{:.0f},)"
                    R"("file_and_state_per_second":{:.0f},"failed":{})",
                    in_flight, run.per_second(), run.p50_us, run.p99_us, run.batch, run.cpu_us,
                    limit.per_second(), logged.per_second(), run.failed));
  }

  void replays(std::uint64_t records) {
    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
      const Run run = run_replays(*bed_, first_, threads, settings_.seconds);
      fmt::print(
          "{:>9} replays from {} thread{}: {:.0f}/s, p50 {:.2f} µs, p99 {:.2f} µs, CPU {:.2f} "
          "µs{}\n",
          records, threads, threads == 1 ? "" : "s", run.per_second(), run.p50_us, run.p99_us,
          run.cpu_us, run.failed == 0 ? "" : "  FAILED CALLS");
      report_.line(
          "replay", records,
          fmt::format(R"(,"threads":{},"per_second":{:.0f},"p50_us":{:.2f},"p99_us":{:.2f},)"
                      R"("cpu_us":{:.2f},"failed":{})",
                      threads, run.per_second(), run.p50_us, run.p99_us, run.cpu_us, run.failed));
    }
  }

  void memory(std::uint64_t records) {
    const Footprint memory = bed_->service().store().footprint();
    const Counts counts = bed_->service().store().counts();
    const double token =
        static_cast<double>(memory.token_bytes) / static_cast<double>(counts.live_tokens);
    const double hold = static_cast<double>(memory.hold_bytes) / static_cast<double>(counts.holds);
    const double live =
        hold + static_cast<double>(memory.live_hold_bytes) / static_cast<double>(counts.live_holds);
    fmt::print(
        "{:>9} memory per live token {:.1f}, per resolved hold {:.1f}, per live hold {:.1f} bytes; "
        "resident in all {} MB\n",
        records, token, hold, live, resident_bytes() >> 20U);
    report_.line("memory", records,
                 fmt::format(R"(,"live_token":{:.1f},"resolved_hold":{:.1f},"live_hold":{:.1f})",
                             token, hold, live));
  }

  void reopen(std::uint64_t records) {
    const Counts counts = bed_->service().store().counts();
    bed_.reset();
    bed_ = std::make_unique<Bed>(store_path());
    const double seconds = bed_->open_seconds();
    fmt::print("{:>9} opened {} records in {:.2f} s, {:.0f} a second\n", records, counts.records,
               seconds, static_cast<double>(counts.records) / seconds);
    report_.line("open", records,
                 fmt::format(R"(,"opened":{},"seconds":{:.3f})", counts.records, seconds));
  }

  const Settings settings_;
  Report report_;
  std::unique_ptr<Bed> bed_;
  std::uint64_t first_ = 0;
  double disk_per_op_ = 220;  ///< of a place, until it is measured
};

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Settings settings;
  CLI::App app{"Benchmarks of the engine in its own process, on a real disk"};
  app.add_option("--records", settings.records, "records already in the journal")->delimiter(',');
  app.add_option("--in-flight", settings.in_flight, "calls in flight")->delimiter(',');
  app.add_option("--seconds", settings.seconds, "time for each measurement");
  app.add_option("--dir", settings.dir, "where the store is made: use a real disk");
  app.add_option("--json", settings.json, "where the figures go");
  app.add_option("--counts-every", settings.counts_every_us,
                 "measure places beside a thread that asks for counts: µs between, 0 for none");
  app.add_flag("--changes", settings.changes,
               "measure extend and cancel beside confirm, and groups of 5 beside 5 places")
      ->excludes("--counts-every");
  CLI11_PARSE(app, argc, argv);
  holdfast::bench::EngineBench(settings).run();
  return 0;
}
