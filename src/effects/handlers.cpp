#include "effects/handlers.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <exception>

#include "effects/answers.hpp"

namespace holdfast::effects {
namespace {

EffectCall call_of(const Job& job) {
  return {.command_id = job.id,
          .key = job.key,
          .tenant = job.tenant,
          .entity = job.envelope.entity,
          .action = job.envelope.action,
          .target = job.envelope.target,
          .args = job.envelope.args,
          .actor = job.envelope.actor,
          .effective_actor = job.envelope.effective_actor,
          .correlation_id = job.envelope.correlation_id,
          .attempt = job.attempt,
          .uncertain = job.uncertain};
}

Verdict verdict_of(Handled handled) {
  switch (handled) {
    case Handled::done:
      return Verdict::done;
    case Handled::refused:
      return Verdict::refused;
    case Handled::retry:
      return Verdict::retry;
    default:
      return Verdict::unknown;
  }
}

HandlerResult handle(const EffectHandler& handler, const Job& job) {
  try {
    return handler(call_of(job));
  } catch (const std::exception& thrown) {
    return {.verdict = Handled::unknown,
            .error = std::string("the handler threw: ") + thrown.what()};
  } catch (...) {
    return {.verdict = Handled::unknown, .error = "the handler threw something"};
  }
}

}  // namespace

Finding finding_of(const Job& job, const HandlerResult& result) {
  Redaction redaction;
  for (const std::string& each : job.sealed) redaction.add_json(each);
  const Verdict verdict = verdict_of(result.verdict);
  return {.verdict = verdict,
          .result = result.result.empty() ? std::string() : kept_text(result.result, redaction),
          .error = redaction.in_text(result.error),
          .healthy = verdict == Verdict::done || verdict == Verdict::refused};
}

HandlerPerformer::HandlerPerformer(std::map<std::string, EffectHandler> handlers,
                                   std::size_t threads)
    : handlers_(std::move(handlers)), threads_(std::max<std::size_t>(threads, 1)) {}

HandlerPerformer::~HandlerPerformer() { stop(); }

void HandlerPerformer::stop() {
  stopping_ = true;
  threads_.join();
}

void HandlerPerformer::perform(const std::shared_ptr<const Job>& job, Done done) {
  boost::asio::post(threads_, [this, job, done = std::move(done)] {
    // It may have waited for a thread, and the process may have been frozen meanwhile.
    if (stopping_ || time_now() >= job->lease_ends->load())
      return done({.verdict = Verdict::retry,
                   .error = "the lease ended, or the process, before the handler was called"});
    done(finding_of(*job, handle(handlers_.find(job->provider)->second, *job)));
  });
}

}  // namespace holdfast::effects
