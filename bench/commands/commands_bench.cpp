// Commands in their own process, durable: what they do per second.
//
//   holdfast_commands_bench [--seconds 2] [--rounds 5] [--in-flight 64] [--backlog 100000]
//                           [--only free|push|pull|backlog] [--dir DIR] [--json FILE]
//
// Four figures, each the middle of its rounds:
//   free     commands without an effect, beside places, at 1,024 in flight, in turns
//   push     effects that are calls to a provider in a process of its own, so many in flight,
//   beside
//            a bare loop of the same client making the same calls; from submission to outcome
//   pull     workers that lease 64 effects at a time and complete each
//   backlog  effects that wait for a dispatcher, drained: the rate of the last tenth over the first
// Only ratios within one run mean anything.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <future>
#include <optional>

#include "command_load.hpp"
#include "effects/dispatcher.hpp"
#include "effects/leases.hpp"
#include "effects/push.hpp"
#include "modules/commands/kinds.hpp"
#include "provider.hpp"
#include "report.hpp"
#include "window.hpp"

namespace holdfast::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  double seconds = 2;
  std::size_t rounds = 5;
  std::size_t in_flight = 64;
  std::uint64_t backlog = 100'000;
  std::string only;
  std::string dir = "build/bench";
  std::string json = "build/bench/commands.json";
};

constexpr std::size_t free_in_flight = 1024;
constexpr std::int64_t leased_at_once = 64;
constexpr int workers = 4;

std::unique_ptr<outbound::Client> local_client(std::size_t connections) {
  outbound::Options options;
  options.allowed = {"127.0.0.1"};
  options.connections_per_origin_max = connections;
  auto client = outbound::Client::make(std::move(options));
  if (!client) {
    fmt::print(stderr, "{}\n", client.error());
    std::exit(1);
  }
  return std::move(*client);
}

/// A store with commands, and what calls their provider, if asked for.
class CommandBed {
 public:
  CommandBed(const std::string& path, std::shared_ptr<const commands::Registry> registry)
      : preparer_(std::make_shared<commands::Preparer>(HashKey{1, 2})), bed_(path, options()) {
    preparer_->put_in_force(std::move(registry));
  }
  ~CommandBed() { stop(); }
  CommandBed(const CommandBed&) = delete;
  CommandBed& operator=(const CommandBed&) = delete;

  void dispatch(std::size_t connections) {
    client_ = local_client(connections);
    effects::DispatcherOptions options;
    options.performers.push = std::make_shared<effects::PushPerformer>(*client_, secrets_);
    dispatcher_ = std::make_unique<effects::Dispatcher>(bed_.service(), preparer_, options);
    told_ = dispatcher_.get();
  }
  void stop() {
    told_ = nullptr;
    if (dispatcher_) dispatcher_->stop();
    if (client_) client_->stop();
  }
  [[nodiscard]] std::uint64_t settled() const {
    return dispatcher_->figures()[std::string(push_provider)].done;
  }
  [[nodiscard]] Bed& bed() { return bed_; }

 private:
  ServiceOptions options() {
    ServiceOptions options;
    options.prepare = [this](Call& call) { (*preparer_)(call); };
    options.on_batch = [this](const BatchReport& batch) {
      if (effects::Dispatcher* const dispatcher = told_) dispatcher->note(batch);
    };
    return options;
  }

  const std::shared_ptr<commands::Preparer> preparer_;
  std::atomic<effects::Dispatcher*> told_{nullptr};
  const effects::SecretsFile secrets_{};
  Bed bed_;
  std::unique_ptr<outbound::Client> client_;
  std::unique_ptr<effects::Dispatcher> dispatcher_;
};

class CommandsBench {
 public:
  CommandsBench(Settings settings, std::string url)
      : settings_(std::move(settings)), url_(std::move(url)) {
    fs::create_directories(settings_.dir);
  }

  void run() {
    fmt::print("{:>8} {:>10} {:>10} {:>10} {:>6}\n", "kind", "in flight", "per s", "beside",
               "ratio");
    if (wanted("free")) run_free();
    if (wanted("push")) run_push();
    if (wanted("pull")) run_pull();
    if (wanted("backlog")) run_backlog();
    report_.save(settings_.json);
    fmt::print("figures saved in {}\n", settings_.json);
  }

 private:
  [[nodiscard]] bool wanted(std::string_view kind) const {
    return settings_.only.empty() || settings_.only == kind;
  }

  [[nodiscard]] std::string fresh_store() const {
    const std::string path = (fs::path(settings_.dir) / "commands.db").string();
    for (const char* suffix : {"", "-wal", "-shm", "-lock"}) fs::remove(path + suffix);
    return path;
  }

  void show(std::string_view kind, std::size_t in_flight, double each, double beside, double ratio,
            std::string_view more = {}) {
    fmt::print("{:>8} {:>10} {:>10.0f} {:>10.0f} {:>6.2f}\n", kind, in_flight, each, beside, ratio);
    std::fflush(stdout);
    report_.line(
        kind, 0,
        fmt::format(R"(,"in_flight":{},"per_second":{:.0f},"beside":{:.0f},"ratio":{:.3f}{})",
                    in_flight, each, beside, ratio, more));
  }

  void run_free() {
    CommandBed bed(fresh_store(), registry_for(url_, 1));
    bed.bed().declare_resources();
    std::vector<float> rates;
    std::vector<float> beside;
    std::vector<float> ratios;
    std::vector<float> cpu;
    std::vector<float> cpu_beside;
    for (std::size_t round = 0; round < settings_.rounds; ++round) {
      const auto places =
          run_places(bed.bed(), next_, free_in_flight, UINT64_MAX, settings_.seconds);
      const auto commands = submit(bed, "free", free_in_flight, UINT64_MAX, settings_.seconds);
      rates.push_back(static_cast<float>(commands.per_second()));
      beside.push_back(static_cast<float>(places.per_second()));
      ratios.push_back(rates.back() / beside.back());
      cpu.push_back(static_cast<float>(commands.cpu_us));
      cpu_beside.push_back(static_cast<float>(places.cpu_us));
    }
    const double each = percentile(cpu, 0.5);
    const double place = percentile(cpu_beside, 0.5);
    show("free", free_in_flight, percentile(rates, 0.5), percentile(beside, 0.5),
         percentile(ratios, 0.5),
         fmt::format(R"(,"cpu_us":{:.2f},"place_cpu_us":{:.2f})", each, place));
    fmt::print("{:>8} {:.2f} µs of CPU, a place {:.2f}\n", "", each, place);
  }

  Run submit(CommandBed& bed, const std::string& entity, std::size_t in_flight, std::uint64_t count,
             double seconds) {
    const auto send = [&](Window& window, std::size_t slot, std::uint64_t) {
      bed.bed().service().submit(
          submission_numbered(entity, next_++),
          [&window, slot](const Answer& answer) { window.give_back(slot, answer.ok()); });
    };
    Run run = run_in_flight(bed.bed(), in_flight, count, seconds, send);
    if (run.failed > 0) fmt::print("{} FAILED CALLS\n", run.failed);
    return run;
  }

  /// The same calls, with nothing around them.
  double bare_calls() {
    const auto client = local_client(settings_.in_flight);
    Window window(settings_.in_flight);
    std::uint64_t calls = 0;
    const auto start = Steady::now();
    while (seconds_since(start) < settings_.seconds) {
      const std::size_t slot = window.take();
      outbound::Call call{.method = "POST", .url = url_ + "/charges"};
      call.headers.push_back({"Content-Type", "application/json"});
      call.body = request_body(calls++);
      client->send(std::move(call), [&window, slot](const outbound::Result& result) {
        window.give_back(slot, result.has_value());
      });
    }
    window.drain();
    return static_cast<double>(calls) / seconds_since(start);
  }

  /// Effects are accepted faster than they are done, so there is always one to do; what counts is
  /// how many are done in the time.
  void run_push() {
    std::vector<float> rates;
    std::vector<float> beside;
    std::vector<float> ratios;
    for (std::size_t round = 0; round < settings_.rounds; ++round) {
      beside.push_back(static_cast<float>(bare_calls()));
      CommandBed bed(fresh_store(), registry_for(url_, settings_.in_flight));
      bed.dispatch(settings_.in_flight);
      std::atomic<bool> over{false};
      std::atomic<std::uint64_t> accepted{0};
      // Never so far ahead that accepting takes the time of doing.
      std::thread feeder([&] {
        while (!over) {
          if (accepted > bed.settled() + 4 * settings_.in_flight) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
          } else {
            accepted +=
                submit(bed, "push", settings_.in_flight, settings_.in_flight, 60).operations;
          }
        }
      });
      const auto start = Steady::now();
      const std::uint64_t before = bed.settled();
      std::this_thread::sleep_for(std::chrono::duration<double>(settings_.seconds));
      const double rate = static_cast<double>(bed.settled() - before) / seconds_since(start);
      over = true;
      feeder.join();
      rates.push_back(static_cast<float>(rate));
      ratios.push_back(rates.back() / beside.back());
    }
    show("push", settings_.in_flight, percentile(rates, 0.5), percentile(beside, 0.5),
         percentile(ratios, 0.5));
  }

  void run_pull() {
    CommandBed bed(fresh_store(), registry_for(url_, 1));
    const auto count = static_cast<std::uint64_t>(20'000 * settings_.seconds);
    submit(bed, "pull", free_in_flight, count, 1e9);
    std::atomic<std::uint64_t> done{0};
    const auto start = Steady::now();
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; ++i) threads.emplace_back([&] { done += work(bed); });
    for (std::thread& each : threads) each.join();
    const double rate = static_cast<double>(done) / seconds_since(start);
    show("pull", leased_at_once * workers, rate, static_cast<double>(count),
         static_cast<double>(done) / static_cast<double>(count));
  }

  /// One worker: leases, completes, until nothing is left. How many it did.
  static std::uint64_t work(CommandBed& bed) {
    std::uint64_t done = 0;
    while (true) {
      std::promise<Answer> leased;
      bed.bed().service().submit({.command = Command(Leasing{.kinds = {std::string(pull_provider)},
                                                             .max = leased_at_once}),
                                  .token = Token::fresh()},
                                 [&](Answer answer) { leased.set_value(std::move(answer)); });
      const Answer answer = leased.get_future().get();
      const auto jobs = effects::read_leases(answer.document);
      if (!jobs || jobs->empty()) return done;
      Window window(jobs->size());
      for (const effects::Job& job : *jobs) {
        const std::size_t slot = window.take();
        bed.bed().service().submit(
            {.command = Command(Completing{.id = job.id,
                                           .fence = static_cast<std::int64_t>(job.fence),
                                           .result = R"({"done":true})"}),
             .token = Token::fresh()},
            [&window, slot](const Answer& told) { window.give_back(slot, told.ok()); });
      }
      window.drain();
      done += jobs->size() - window.failed();
    }
  }

  void run_backlog() {
    const std::uint64_t count = settings_.backlog;
    CommandBed bed(fresh_store(), registry_for(url_, settings_.in_flight));
    submit(bed, "push", free_in_flight, count, 1e9);
    const std::uint64_t memory = resident_bytes();
    bed.dispatch(settings_.in_flight);
    const auto start = Steady::now();
    std::vector<double> tenths;
    for (std::uint64_t tenth = 1; tenth <= 10; ++tenth) {
      while (bed.settled() < count * tenth / 10)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      tenths.push_back(seconds_since(start));
    }
    const double share = static_cast<double>(count) / 10;
    const double first = share / tenths[0];
    const double last = share / (tenths[9] - tenths[8]);
    show("backlog", settings_.in_flight, last, first, last / first,
         fmt::format(R"(,"backlog":{},"memory_before":{},"memory_after":{})", count, memory,
                     resident_bytes()));
  }

  const Settings settings_;
  const std::string url_;
  Report report_;
  std::uint64_t next_ = 0;
};

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Provider provider;
  holdfast::bench::Settings settings;
  CLI::App app("What commands and their effects do per second");
  app.add_option("--seconds", settings.seconds, "Of each measurement");
  app.add_option("--rounds", settings.rounds, "How often each is measured");
  app.add_option("--in-flight", settings.in_flight, "Calls to the provider at once");
  app.add_option("--backlog", settings.backlog, "Effects that wait for a dispatcher");
  app.add_option("--only", settings.only, "Measure one of them")
      ->check(CLI::IsMember({"free", "push", "pull", "backlog"}));
  app.add_option("--dir", settings.dir, "Where stores are made");
  app.add_option("--json", settings.json, "Where the figures go");
  CLI11_PARSE(app, argc, argv);
  holdfast::bench::CommandsBench(settings, provider.url()).run();
  return 0;
}
