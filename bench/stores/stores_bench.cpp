// Shared stores on real servers that this program starts, beside what people write today on the
// same servers.
//
//   holdfast_stores_bench [--engines postgres,mariadb] [--in-flight 1,16,64,256,1024]
//                         [--seconds 3] [--json FILE]
//
// For each engine and number in flight: durable places per second from one node and from two, and
// the peers' (see peer.hpp), one right after the other. Only ratios within one run mean anything.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "load.hpp"
#include "peer.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::bench {
namespace {

struct Settings {
  std::vector<std::string> engines{"postgres", "mariadb"};
  std::vector<std::size_t> in_flight{1, 16, 64, 256, 1024};
  double seconds = 3;
  std::string json = "build/bench/stores.json";
};

std::unique_ptr<test::OwnedServer> start(const std::string& engine) {
  if (engine == "postgres") {
    return std::make_unique<test::PostgresServer>(test::ServerOptions{
        .durable = true,
        .settings = {"max_connections=1100", "shared_buffers=1GB", "max_wal_size=8GB"}});
  }
  return std::make_unique<test::MariadbServer>(
      test::ServerOptions{.durable = true,
                          .settings = {"max-connections=1100", "innodb-buffer-pool-size=1G",
                                       "innodb-log-file-size=2G"}});
}

/// Both nodes at once, each with half of what is in flight.
double run_two(Bed& one, Bed& other, std::uint64_t& next, std::size_t in_flight, double seconds) {
  std::uint64_t first = next;
  std::uint64_t second = next + 100'000'000;
  Run half;
  std::thread thread(
      [&] { half = run_places(one, first, (in_flight + 1) / 2, UINT64_MAX, seconds); });
  const Run rest =
      run_places(other, second, std::max<std::size_t>(1, in_flight / 2), UINT64_MAX, seconds);
  thread.join();
  next = second;
  return half.per_second() + rest.per_second();
}

class StoresBench {
 public:
  explicit StoresBench(Settings settings) : settings_(std::move(settings)) {}

  void run() {
    fmt::print("{:>9} {:>9} {:>10} {:>8} {:>8} {:>10} {:>10} {:>9} {:>6}\n", "engine", "in flight",
               "places/s", "p50 ms", "p99 ms", "two nodes", "peers/s", "peers ms", "ratio");
    for (const std::string& each : settings_.engines) run_engine(each);
    std::filesystem::create_directories(std::filesystem::path(settings_.json).parent_path());
    std::ofstream out(settings_.json);
    out << "[\n";
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out << rows_[i] << (i + 1 < rows_.size() ? ",\n" : "\n");
    out << "]\n";
    fmt::print("figures saved in {}\n", settings_.json);
  }

 private:
  void run_engine(const std::string& engine) {
    const auto server = start(engine);
    const test::TestDatabase database = server->create_database();
    Peer peer(*server);
    Bed one(database.url());
    Bed other(database.url());
    one.declare_resources();
    std::uint64_t next = 0;
    for (const std::size_t in_flight : settings_.in_flight) {
      const Run ours = run_places(one, next, in_flight, UINT64_MAX, settings_.seconds);
      const double two = run_two(one, other, next, in_flight, settings_.seconds);
      const PeerRun theirs = peer.run(in_flight, settings_.seconds);
      const double ratio = theirs.per_second == 0 ? 0 : ours.per_second() / theirs.per_second;
      fmt::print("{:>9} {:>9} {:>10.0f} {:>8.2f} {:>8.2f} {:>10.0f} {:>10.0f} {:>9.2f} {:>6.2f}\n",
                 engine, in_flight, ours.per_second(), ours.p50_us / 1000, ours.p99_us / 1000, two,
                 theirs.per_second, theirs.mean_ms, ratio);
      std::fflush(stdout);
      if (ours.failed != 0) fmt::print("  {} calls failed\n", ours.failed);
      rows_.push_back(fmt::format(
          R"({{"engine":"{}","in_flight":{},"places_per_second":{:.0f},"p50_us":{:.0f},)"
          R"("p99_us":{:.0f},"two_nodes_per_second":{:.0f},"peers_per_second":{:.0f},)"
          R"("peers_mean_us":{:.0f},"ratio":{:.2f}}})",
          engine, in_flight, ours.per_second(), ours.p50_us, ours.p99_us, two, theirs.per_second,
          theirs.mean_ms * 1000, ratio));
    }
  }

  const Settings settings_;
  std::vector<std::string> rows_;
};

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  holdfast::bench::Settings settings;
  CLI::App app("Shared stores beside what people write today on the same servers.");
  app.add_option("--engines", settings.engines, "postgres, mariadb")->delimiter(',');
  app.add_option("--in-flight", settings.in_flight, "calls in flight")->delimiter(',');
  app.add_option("--seconds", settings.seconds, "for each figure");
  app.add_option("--json", settings.json, "where the figures go");
  CLI11_PARSE(app, count, arguments);
  holdfast::bench::StoresBench(settings).run();
  return 0;
}
