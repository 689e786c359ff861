#include "changes.hpp"

#include <cstdio>
#include <mutex>

#include "window.hpp"

namespace holdfast::bench {
namespace {

constexpr std::array<std::string_view, 5> names{"confirm", "extend", "cancel", "places_5",
                                                "group_of_5"};
constexpr std::uint64_t group_size = 5;

double per_second(const Run& run) { return run.per_second(); }

}  // namespace

void Changes::print_head() {
  fmt::print("{:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>7} {:>7} {:>9} {:>6}\n", "records",
             "in flight", "kind", "kind/s", "p50 µs", "p99 µs", "batch", "CPU µs", "beside",
             "ratio");
}

/// Whatever is measured first in one turn comes last in the next.
void Changes::run(std::size_t in_flight, std::size_t turns) {
  in_flight_ = in_flight;
  runs_ = {};
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const bool swapped = turn % 2 == 1;
    change_holds(swapped);
    if (swapped) place_groups();
    place_one_by_one();
    if (!swapped) place_groups();
  }
  show(confirm, confirm);
  show(extend, confirm);
  show(cancel, confirm);
  show(places_5, places_5);
  show(group_of_5, places_5);
}

/// Each hold is new when it is extended or confirmed: one half is, then the other. What was
/// confirmed is cancelled.
void Changes::change_holds(bool extend_first) {
  const Holds holds = place_holds();
  const std::span all(holds);
  const std::size_t half = all.size() / 2;
  if (extend_first) change(extend, all.first(half));
  const std::span rest = extend_first ? all.last(half) : all.first(half);
  change(cancel, rest.first(change(confirm, rest)));
  if (!extend_first) change(extend, all.last(half));
}

/// About as many as can be changed in the time of two measurements.
Changes::Holds Changes::place_holds() {
  std::mutex mutex;
  Holds holds;
  const auto send = [&](Window& window, std::size_t slot, std::uint64_t) {
    bed_.service().submit(call_numbered(first_++), [&, slot](const Answer& answer) {
      if (answer.hold) {
        const std::lock_guard lock(mutex);
        holds.push_back(answer.hold->id);
      }
      window.give_back(slot, answer.ok());
    });
  };
  (void)run_in_flight(bed_, in_flight_, UINT64_MAX, 2 * seconds_, send);
  return holds;
}

/// Returns how many of them were changed, from the first on.
std::uint64_t Changes::change(Kind kind, std::span<const HoldId> holds) {
  const auto command = [&](HoldId id) {
    if (kind == extend) return Command(Extending{.hold = id, .duration = std::chrono::hours(48)});
    return kind == cancel ? Command(Cancelling{.hold = id}) : Command::confirm(id);
  };
  const auto send = [&](Window& window, std::size_t slot, std::uint64_t i) {
    Call call{.command = command(holds[i]), .token = token_numbered(next_token_++)};
    bed_.service().submit(std::move(call), [&window, slot](const Answer& answer) {
      window.give_back(slot, answer.ok());
    });
  };
  runs_.at(kind).push_back(run_in_flight(bed_, in_flight_, holds.size(), seconds_, send));
  return runs_.at(kind).back().operations;
}

/// Five places are sent together, each under a token of its own, and are done when all are
/// answered.
void Changes::place_one_by_one() {
  struct Five {
    std::atomic<std::uint64_t> missing{0};
    std::atomic<bool> ok{true};
  };
  std::vector<Five> fives(in_flight_);
  const auto send = [&](Window& window, std::size_t slot, std::uint64_t) {
    fives[slot].missing = group_size;
    fives[slot].ok = true;
    for (std::uint64_t i = 0; i < group_size; ++i) {
      bed_.service().submit(call_numbered(first_++), [&, slot](const Answer& answer) {
        if (!answer.ok()) fives[slot].ok = false;
        if (--fives[slot].missing == 0) window.give_back(slot, fives[slot].ok);
      });
    }
  };
  runs_[places_5].push_back(run_in_flight(bed_, in_flight_, UINT64_MAX, seconds_, send));
}

void Changes::place_groups() {
  const auto send = [&](Window& window, std::size_t slot, std::uint64_t) {
    Grouping group{.requester = "guest_0", .duration = std::chrono::hours(24), .holds = {}};
    for (std::uint64_t i = 0; i < group_size; ++i) {
      const Call place = call_numbered(first_++);
      group.holds.push_back({.resource = place.command.as<Placing>()->resource});
    }
    Call call{.command = Command(std::move(group)), .token = token_numbered(next_token_++)};
    bed_.service().submit(std::move(call), [&window, slot](const Answer& answer) {
      window.give_back(slot, answer.ok());
    });
  };
  runs_[group_of_5].push_back(run_in_flight(bed_, in_flight_, UINT64_MAX, seconds_, send));
}

/// The ratio is the middle of the turns' own: how fast one kind is beside the other.
void Changes::show(Kind kind, Kind beside) {
  const std::vector<Run>& runs = runs_.at(kind);
  const double each = middle(runs, per_second);
  const double p50 = middle(runs, [](const Run& run) { return run.p50_us; });
  const double p99 = middle(runs, [](const Run& run) { return run.p99_us; });
  const double batch = middle(runs, [](const Run& run) { return run.batch; });
  const double cpu = middle(runs, [](const Run& run) { return run.cpu_us; });
  std::uint64_t failed = 0;
  std::vector<float> ratios;
  for (std::size_t turn = 0; turn < runs.size(); ++turn) {
    failed += runs[turn].failed;
    ratios.push_back(
        static_cast<float>(runs[turn].per_second() / runs_.at(beside)[turn].per_second()));
  }
  const double ratio = percentile(ratios, 0.5);
  const bool alone = kind == beside;
  fmt::print("{:>9} {:>9} {:>10} {:>10.0f} {:>9.0f} {:>9.0f} {:>7.0f} {:>7.2f} {:>9} {:>6}{}\n",
             records_, in_flight_, names.at(kind), each, p50, p99, batch, cpu,
             alone ? "" : names.at(beside), alone ? "" : fmt::format("{:.2f}", ratio),
             failed == 0 ? "" : "  FAILED CALLS");
  std::fflush(stdout);
  report_.line(names.at(kind), records_,
               fmt::format(R"(,"in_flight":{},"per_second":{:.0f},"p50_us":{:.1f},"p99_us":{:.1f},)"
                           R"("batch":{:.1f},"cpu_us":{:.2f}{},"failed":{})",
                           in_flight_, each, p50, p99, batch, cpu,
                           alone ? "" : fmt::format(R"(,"ratio":{:.3f})", ratio), failed));
}

}  // namespace holdfast::bench
