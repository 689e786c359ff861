#include "effects/runner.hpp"

#include <fmt/format.h>

#include "base/traceparent.hpp"
#include "effects/leases.hpp"
#include "effects/reports.hpp"
#include "modules/commands/details.hpp"

namespace holdfast::effects {
namespace {

using commands::EffectKind;
using commands::Stage;

std::string trace_of(const commands::Envelope& envelope) {
  return is_traceparent(envelope.correlation_id) ? envelope.correlation_id : std::string();
}

/// Whether a report ended its command, which failed.
bool ended_badly(const Answer& answer) {
  const auto settled = commands::Settled::read(answer.document);
  return settled && settled->status == commands::Status::failed;
}

}  // namespace

Runner::Running* Runner::find(std::uint64_t number) {
  const auto found = running_.find(number);
  return found == running_.end() ? nullptr : &found->second;
}

Call Runner::call_of(const Job& job, Command command) {
  return {.command = std::move(command),
          .token = Token::fresh(random_),
          .caller = {.tenant = job.tenant, .principal = std::string(engine_principal)}};
}

std::uint64_t Runner::take(Job job, Time since, ProviderState& provider) {
  const std::uint64_t number = ++last_;
  *job.lease_ends = since + provider.lease;
  ++figures_[provider.name].leased;
  running_[number] = {
      .job = std::make_shared<Job>(std::move(job)), .provider = &provider, .lease = provider.lease};
  return number;
}

void Runner::begin(Job job, Time since, ProviderState& provider) {
  const std::uint64_t number = take(std::move(job), since, provider);
  Running& running = running_[number];
  if (std::string why = objection_to(*running.job); !why.empty())
    return report(number, {.verdict = Verdict::retry, .error = std::move(why)});
  running.performing = true;
  ++provider.in_flight;
  provider.circuit.begun(time_now());
  // It took long to get here: the effect may be another's by now.
  if (time_now() > running.job->lease_ends->load() - running.lease / 2) {
    running.waits = true;
    return renew(number, running);
  }
  perform(number);
}

void Runner::hand_back(Job job, ProviderState& provider, std::string why) {
  const std::uint64_t number = take(std::move(job), time_now(), provider);
  report(number, {.verdict = Verdict::retry, .error = std::move(why)});
}

/// Why it cannot be performed here, as things are declared now. Finds its declaration, and opens
/// its arguments.
std::string Runner::objection_to(Job& job) const {
  const auto registry = preparer_.registry();
  const commands::Envelope& envelope = job.envelope;
  job.declaration =
      registry == nullptr ? nullptr : registry->find(envelope.entity, envelope.action);
  if (job.declaration == nullptr)
    return fmt::format("the registry in force has no command {}", envelope.name());
  const commands::Effect& effect = job.declaration->effect;
  if (effect.shield != job.shield)
    return fmt::format("the command was accepted with shield {}; the registry in force declares {}",
                       name(job.shield), name(effect.shield));
  if (job.stage == Stage::call && effect.kind == EffectKind::pull)
    return "the command was accepted to be called; the registry in force leaves it to workers";
  if (job.stage != Stage::call && !effect.probe)
    return "the registry in force declares no probe for the command";
  if (performer_of(job) == nullptr)
    return fmt::format("this node does no effects of kind {}", name(effect.kind));
  if (!open_arguments(job, preparer_.sealer()))
    return "what is secret in the arguments cannot be opened with the secret of this store";
  return {};
}

Performer* Runner::performer_of(const Job& job) const {
  const bool asks = job.stage != Stage::call;
  const bool calls = asks || job.declaration->effect.kind == EffectKind::push;
  return calls ? performers_.push.get() : performers_.handler.get();
}

void Runner::perform(std::uint64_t number) {
  running_[number].begun = time_now();
  const std::shared_ptr<const Job> job = running_[number].job;
  performer_of(*job)->perform(job, [this, mailbox = mailbox_, number](Finding finding) {
    mailbox->post([this, number, finding = std::move(finding)] { found(number, finding); });
  });
}

void Runner::found(std::uint64_t number, Finding finding) {
  Running& running = running_[number];
  count(running, finding);
  if (finding.verdict == Verdict::many) return undo(number, finding);
  if (finding.verdict == Verdict::done && running.job->stage == Stage::reconcile)
    finding.result = reconciled_text(*running.job, finding.ids.front(), {});
  report(number, finding);
}

void Runner::count(Running& running, const Finding& finding) {
  const Time now = time_now();
  ProviderState& provider = *running.provider;
  Figures& figures = figures_[provider.name];
  running.performing = false;
  --provider.in_flight;
  if (finding.pause > Duration::zero()) provider.not_before = now + finding.pause;
  if (provider.circuit.ended(finding.healthy, now))
    log_(finding.healthy
             ? fmt::format("the circuit of {} is closed: it works again", provider.name)
             : fmt::format("the circuit of {} is open: {}", provider.name, finding.error));
  if (watchers_.ended)
    watchers_.ended({.id = running.job->id,
                     .command = running.job->envelope.name(),
                     .traceparent = trace_of(running.job->envelope),
                     .provider = provider.name,
                     .stage = running.job->stage,
                     .verdict = finding.verdict,
                     .took = now - running.begun});
  switch (finding.verdict) {
    case Verdict::done:
    case Verdict::many:
      ++figures.done;
      break;
    case Verdict::refused:
      ++figures.refused;
      break;
    case Verdict::retry:
    case Verdict::absent:
      ++figures.retry;
      break;
    case Verdict::unknown:
      ++figures.unknown;
      break;
  }
}

void Runner::report(std::uint64_t number, const Finding& finding) {
  report(number, report_of(*running_[number].job, finding));
}

void Runner::report(std::uint64_t number, Command command) {
  Running& running = running_[number];
  running.reporting = true;
  running.ends = command.as<Completing>() != nullptr && !running.job->uncertain;
  asking_.ask(call_of(*running.job, std::move(command)),
              [this, number](const Told& told) { reported(number, told.answer); });
}

void Runner::reported(std::uint64_t number, const Answer& answer) {
  const auto found = running_.find(number);
  const Running& running = found->second;
  if (answer.rejection == Rejection::invalid_request) {
    log_(fmt::format("a report on {} was refused: {}", running.job->id, answer.text()));
  } else if (answer.rejection) {
    ++figures_[running.provider->name].late;
  } else if (watchers_.died && !running.ends && ended_badly(answer)) {
    watchers_.died(running.job->envelope.name(), running.provider->name);
  }
  // Unless that was its end, there may be something to do about it now.
  if (!running.ends) running.provider->woken = true;
  running_.erase(found);
}

void Runner::renew(Time now) {
  for (auto& [number, running] : running_) {
    const bool half_over = now > running.job->lease_ends->load() - running.lease / 2;
    if (half_over && !running.renewing && !running.reporting) renew(number, running);
  }
}

void Runner::renew(std::uint64_t number, Running& running) {
  running.renewing = true;
  const Renewing what{.id = running.job->id,
                      .fence = static_cast<std::int64_t>(running.job->fence),
                      .lease = running.lease};
  asking_.ask(call_of(*running.job, Command(what)),
              [this, number](const Told& told) { renewed(number, told); });
}

void Runner::renewed(std::uint64_t number, const Told& told) {
  Running* const running = find(number);
  if (running == nullptr) return;
  running->renewing = false;
  const bool waited = std::exchange(running->waits, false);
  if (!told.answer.rejection) {
    *running->job->lease_ends = told.since + running->lease;
    if (waited) perform(number);
    return;
  }
  // It is another's. What is under way cannot be called back, and its report will be refused.
  running->renewing = true;
  if (!waited) return;
  ++figures_[running->provider->name].late;
  --running->provider->in_flight;
  running->provider->circuit.withdrawn();
  running_.erase(number);
}

}  // namespace holdfast::effects
