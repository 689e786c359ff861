// The service over HTTP on loopback, durable, beside a bare server that only reads and answers.
//
//   holdfast_http_bench [--rounds 9] [--seconds 1] [--connections 1,64,256] [--dir DIR]
//                       [--json FILE]
//
// wrk makes the load, on the same two cores. The limit and ours are measured in turns, and the
// figures are medians over the rounds: a machine that others use, too, is quick in one second and
// slow in the next. Only ratios within one run mean anything.

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "limit_server.hpp"
#include "server_process.hpp"

namespace holdfast::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::vector<int> connections{1, 64, 256};
  int rounds = 9;
  int seconds = 1;
  std::string dir = "build/bench";
  std::string json = "build/bench/http.json";
  std::string holdfast = "build/release/holdfast";
  std::string script = "bench/http/load.lua";
};

struct Result {
  double per_second = 0;
  double p50_us = 0, p99_us = 0, p999_us = 0;
  double cpu_us = 0;    ///< of the server, per request
  double of_limit = 0;  ///< its requests a second against the limit's in the same round; 0: none
  double wrong = 0;
};

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// Each figure by itself.
Result medians(const std::vector<Result>& rounds) {
  Result result;
  for (double Result::*const figure :
       {&Result::per_second, &Result::p50_us, &Result::p99_us, &Result::p999_us, &Result::cpu_us,
        &Result::of_limit, &Result::wrong}) {
    std::vector<double> numbers;
    for (const Result& each : rounds) numbers.push_back(each.*figure);
    result.*figure = median(numbers);
  }
  for (const Result& each : rounds) result.wrong = std::max(result.wrong, each.wrong);
  return result;
}

class HttpBench {
 public:
  explicit HttpBench(Settings settings) : settings_(std::move(settings)) {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  /// Not before the next run: for a while after large files are deleted, syncs take longer.
  ~HttpBench() {
    std::error_code ignored;
    fs::remove_all(dir_, ignored);
  }
  HttpBench(const HttpBench&) = delete;
  HttpBench& operator=(const HttpBench&) = delete;

  void run(const std::string& self) {
    declare_source();
    const ServerProcess server({settings_.holdfast, "serve", "--listen", "127.0.0.1:0", "--store",
                                dir_ + "/bench.db", "--registry", dir_ + "/bench.registry.toml",
                                "--secrets", dir_ + "/secrets"});
    declare_resources(server);
    const ServerProcess limit({self, "--limit", answer_bytes(server)});
    fmt::print("{:>8} {:>12} {:>10} {:>8} {:>8} {:>9} {:>8} {:>8}\n", "kind", "connections",
               "requests/s", "p50 µs", "p99 µs", "p99.9 µs", "CPU µs", "of limit");
    for (const int connections : settings_.connections) {
      constexpr std::array kinds{"place", "replay", "show", "webhook"};
      std::vector<Result> bare;
      std::array<std::vector<Result>, kinds.size()> ours;
      for (int round = 0; round < settings_.rounds; ++round) {
        bare.push_back(measure(limit, "place", connections));
        for (std::size_t i = 0; i < kinds.size(); ++i) {
          Result& result = ours[i].emplace_back(measure(server, kinds[i], connections));
          result.of_limit = result.per_second / bare.back().per_second;
        }
      }
      show("limit", connections, medians(bare));
      for (std::size_t i = 0; i < kinds.size(); ++i) show(kinds[i], connections, medians(ours[i]));
    }
    for (const int connections : {1, 16}) {
      std::vector<Result> rounds;
      for (int round = 0; round < settings_.rounds; ++round)
        rounds.push_back(measure(server, "batch", connections));
      const Result batch = medians(rounds);
      show("batch", connections, batch);
      fmt::print("         {:.0f} places/s in batches of 100\n", batch.per_second * 100);
    }
    measure_idle(server);
    std::ofstream(settings_.json) << "[\n" << rows_ << "\n]\n";
  }

 private:
  /// Webhooks that nobody waits for: a worker would lease them.
  void declare_source() {
    const std::string secrets = dir_ + "/secrets";
    std::ofstream(dir_ + "/bench.registry.toml")
        << "[[webhook]]\nname = \"bench\"\nscheme = \"github\"\nsecrets = [\"BENCH_SECRET\"]\n"
           "pull = \"bench\"\n";
    std::ofstream(secrets) << "BENCH_SECRET=0123456789abcdef0123456789abcdef\n";
    fs::permissions(secrets, fs::perms::owner_read | fs::perms::owner_write);
    const std::string said =
        output_of({"sh", "-c",
                   R"(printf %s '{"number":1,"action":"opened"}' |)"
                   " openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -r"});
    signature_ = said.substr(0, 64);
  }

  void declare_resources(const ServerProcess& server) const {
    const std::string file = dir_ + "/declare.json";
    for (int step = 0; step < 10; ++step) {
      std::ofstream out(file);
      out << R"({"operations":[)";
      for (int i = step * 1000; i < (step + 1) * 1000; ++i) {
        out << (i % 1000 == 0 ? "" : ",") << R"({"token":"declare-)" << i
            << R"(","operation":"resource.declare","params":{"resource":"resource_)" << i
            << R"(","capacity":1000000000}})";
      }
      out << "]}";
      out.close();
      (void)output_of({"curl", "-sf", "-o", "/dev/null", server.address() + "/v1/batch",
                       "--data-binary", "@" + file});
    }
    for (int i = 0; i < 100; ++i) {
      const std::string body = fmt::format(
          R"({{"resource":"resource_{}","requester":"requester","duration":"PT1H"}})", i);
      const std::string answer =
          output_of({"curl", "-sf", server.address() + "/v1/holds", "-H",
                     fmt::format("Idempotency-Key: replay-{}", i), "-d", body});
      std::smatch found;
      if (std::regex_search(answer, found, std::regex("\"id\":\"([^\"]+)\""))) hold() = found[1];
    }
  }

  /// How long the answer to a place is, header and body, with keys as the load has them.
  static std::string answer_bytes(const ServerProcess& server) {
    const std::string sizes = output_of(
        {"curl", "-sf", "-o", "/dev/null", "-w", "%{size_header} %{size_download}",
         server.address() + "/v1/holds", "-H", "Idempotency-Key: size0-0-00010000", "-d",
         R"({"resource":"resource_5000","requester":"requester_50000","duration":"PT1H"})"});
    std::size_t header = 0;
    std::size_t body = 0;
    std::istringstream(sizes) >> header >> body;
    return std::to_string(header + body);
  }

  static std::string& hold() {
    static std::string id;
    return id;
  }

  Result measure(const ServerProcess& server, const std::string& kind, int connections) {
    const double cpu = server.cpu_seconds();
    const std::string text = output_of({"wrk", "-t1", fmt::format("-c{}", connections),
                                        fmt::format("-d{}s", settings_.seconds), "-s",
                                        settings_.script, server.address(), "--", kind,
                                        fmt::format("run{}", ++runs_), hold(), signature_});
    const std::size_t at = text.find("RESULT ");
    if (at == std::string::npos) throw std::runtime_error("wrk said: " + text);
    std::istringstream numbers(text.substr(at + 7));
    double requests = 0;
    double micros = 0;
    Result result;
    numbers >> requests >> micros >> result.p50_us >> result.p99_us >> result.p999_us >>
        result.wrong;
    result.per_second = requests / (micros / 1e6);
    result.cpu_us = (server.cpu_seconds() - cpu) * 1e6 / std::max(1.0, requests);
    return result;
  }

  void show(std::string_view kind, int connections, const Result& result) {
    const std::string ratio =
        result.of_limit > 0 ? fmt::format("{:.2f}", result.of_limit) : std::string();
    fmt::print("{:>8} {:>12} {:>10.0f} {:>8.0f} {:>8.0f} {:>9.0f} {:>8.2f} {:>8}{}\n", kind,
               connections, result.per_second, result.p50_us, result.p99_us, result.p999_us,
               result.cpu_us, ratio,
               result.wrong == 0 ? "" : fmt::format("  {:.0f} wrong", result.wrong));
    std::fflush(stdout);
    rows_ += fmt::format(
        R"({}{{"kind":"{}","connections":{},"per_second":{:.0f},"p50_us":{:.0f},"p99_us":{:.0f},"p999_us":{:.0f},"cpu_us":{:.2f},"of_limit":{:.3f},"wrong":{:.0f}}})",
        rows_.empty() ? "" : ",\n", kind, connections, result.per_second, result.p50_us,
        result.p99_us, result.p999_us, result.cpu_us, result.of_limit, result.wrong);
  }

  /// Connections that have asked once and then say nothing.
  void measure_idle(const ServerProcess& server) {
    constexpr int count = 4000;
    const std::uint64_t before = server.resident_bytes();
    std::vector<int> sockets;
    for (int i = 0; i < count; ++i) {
      const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(server.port());
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        break;
      const std::string_view ask = "GET /livez HTTP/1.1\r\nHost: b\r\n\r\n";
      char answer[512];
      if (::send(socket, ask.data(), ask.size(), 0) < 0 || ::recv(socket, answer, 512, 0) < 0)
        break;
      sockets.push_back(socket);
    }
    const double each = static_cast<double>(server.resident_bytes() - before) /
                        static_cast<double>(std::max<std::size_t>(1, sockets.size()));
    fmt::print("{} idle connections: {:.0f} bytes each\n", sockets.size(), each);
    rows_ += fmt::format(",\n{{\"kind\":\"idle\",\"connections\":{},\"bytes_each\":{:.0f}}}",
                         sockets.size(), each);
    for (const int socket : sockets) ::close(socket);
  }

  const Settings settings_;
  const std::string dir_ = settings_.dir + "/http";  ///< its own: what else is there stays
  int runs_ = 0;
  std::string signature_;
  std::string rows_;
};

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Settings settings;
  std::size_t limit = 0;
  CLI::App app("The service over HTTP, beside a bare server.");
  app.add_option("--connections", settings.connections, "How many connections")->delimiter(',');
  app.add_option("--rounds", settings.rounds, "How often each is measured, in turns; medians count")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", settings.seconds, "For each measurement")->check(CLI::PositiveNumber);
  app.add_option("--dir", settings.dir, "Where the store is made; a real disk");
  app.add_option("--json", settings.json, "Where the figures go");
  app.add_option("--holdfast", settings.holdfast, "The program to measure");
  app.add_option("--limit", limit, "Only be the bare server, with answers of so many bytes");
  CLI11_PARSE(app, count, arguments);
  if (limit > 0) serve_limit(limit);
  try {
    HttpBench(settings).run(arguments[0]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
