// S4: what a provider has more than once is undone by the declared compensation.

#include "effects/reports.hpp"
#include "effects/runner.hpp"

namespace holdfast::effects {

/// Submits the compensation of all but the one that is kept. Each has a key of its own that follows
/// from the command and the provider's id, so whoever comes here again, on whichever node, finds
/// what was submitted before, and how that stands.
void Runner::undo(std::uint64_t number, const Finding& finding) {
  Running& running = running_[number];
  const Job& job = *running.job;
  if (!job.declaration->compensation)
    return report(number,
                  {.verdict = Verdict::retry,
                   .error = "it took place more than once, and no compensation is declared"});
  running.kept = finding.ids.front();
  for (std::size_t i = 1; i < finding.ids.size(); ++i)
    running.undone.push_back({.id = finding.ids[i]});
  running.undoing = running.undone.size();
  const auto registry = preparer_.registry();
  for (std::size_t place = 0; place < running.undone.size(); ++place) {
    asking_.ask(compensation_of(job, running.undone[place].id, *registry),
                [this, number, place](const Told& told) { undone(number, place, told.answer); });
  }
}

void Runner::undone(std::uint64_t number, std::size_t place, const Answer& answer) {
  Running& running = running_[number];
  const Compensated how = compensated_in(answer);
  running.undone[place].command_id = how.command_id;
  running.undone[place].status = how.status;
  if (--running.undoing > 0) return;
  std::vector<Compensated> all;
  bool waits = false;
  for (const Undone& each : running.undone) {
    all.push_back({.id = each.id, .command_id = each.command_id, .status = each.status});
    waits = waits || each.status == "in_progress";
  }
  const Job& job = *running.job;
  if (waits)
    return report(number, {.verdict = Verdict::retry,
                           .error = "it took place more than once; waiting for what undoes it"});
  report(number, {.verdict = Verdict::done, .result = reconciled_text(job, running.kept, all)});
}

}  // namespace holdfast::effects
