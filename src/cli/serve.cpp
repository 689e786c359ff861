#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <csignal>
#include <memory>

#include "base/shown_store.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "cli/failure.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/service_flags.hpp"
#include "cli/text.hpp"
#include "http/server.hpp"

namespace holdfast::cli {
namespace {

constexpr Lesson lesson{
    .summary = "Run the HTTP service on a store",
    .paragraph =
        "Serves the store over HTTP until it is told to stop (Ctrl-C, or SIGTERM): then it "
        "accepts\n"
        "nothing more, finishes what it has accepted, and exits with 0. On SIGHUP it reads the\n"
        "registry of --registry again; a bad one is logged, and the one before stays in force.\n"
        "Without keys (see holdfast keys --help) it serves this machine only. Settings come from\n"
        "the file of --config or $HOLDFAST_CONFIG, then the environment, then options; holdfast\n"
        "config check shows them.",
    .examples =
        "  holdfast serve\n"
        "  holdfast serve --listen 127.0.0.1:0 --store rooms.db     a free port, which is printed\n"
        "  holdfast serve --config holdfast.toml"};

/// Signals to the service are waited for, so no thread may be interrupted by them.
sigset_t awaited_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void announce(Context& context, const http::Server& server, const std::string& store) {
  if (context.settings.json) {
    std::string line;
    JsonWriter json(line);
    json.begin_object();
    json.key("listening");
    json.string(server.address());
    json.key("store");
    json.string(to_valid_utf8(store));
    json.key("window");
    json.string(to_short_text(server.window()));
    json.key("keys");
    json.boolean(server.needs_keys());
    if (const std::string caution = server.caution(); !caution.empty()) {
      json.key("caution");
      json.string(to_valid_utf8(caution));
    }
    json.end_object();
    context.out.line(line);
  } else {
    context.out.line(fmt::format("holdfast serves {} on {}; tokens are remembered for {}",
                                 printable(store), server.address(),
                                 to_short_text(server.window())));
    if (!server.needs_keys()) {
      context.out.line(
          "no keys: only this machine may call, and everybody is one tenant; "
          "`holdfast keys create` changes that");
    }
    if (const std::string caution = server.caution(); !caution.empty())
      context.out.line("caution: " + printable(caution));
  }
  context.out.flush();
}

/// A connection takes a file descriptor, and most systems give few unless asked for more.
void take_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);  // if not, there are as many as before
}

int run(Context& context, const ServiceFlags& flags) {
  auto configuration = configuration_of(context, flags);
  if (!configuration) return report_errors(context, configuration.error());
  const sigset_t signals = awaited_signals();
  take_all_descriptors();
  const std::string store = shown_store(configuration->settings.store);
  ProgressLine progress(context.err);
  const auto opening = [&](std::uint64_t done, std::uint64_t all) {
    progress.show_records("opening", done, all);
  };
  auto server = http::Server::start(std::move(configuration->settings),
                                    {.clock = context.clock, .opening = opening});
  progress.show({});
  if (!server) return report(context, store_failure(Error{server.error()}));
  announce(context, **server, store);
  int received = 0;
  while (::sigwait(&signals, &received) == 0 && received == SIGHUP) (*server)->reload();
  if (!context.settings.json) {
    context.out.line("stopping: finishing what was accepted");
    context.out.flush();
  }
  (*server)->stop();
  return 0;
}

}  // namespace

void add_serve(Program& program) {
  auto flags = std::make_shared<ServiceFlags>();
  Options options =
      program.add("serve", lesson, [flags](Context& context) { return run(context, *flags); });
  add_service_flags(options, *flags);
}

}  // namespace holdfast::cli
