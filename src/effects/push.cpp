#include "effects/push.hpp"

#include <algorithm>

#include "base/traceparent.hpp"
#include "effects/answers.hpp"
#include "modules/commands/template.hpp"

namespace holdfast::effects {
namespace {

using commands::Stage;

Finding not_sent(std::string why) { return {.verdict = Verdict::retry, .error = std::move(why)}; }

const commands::ParsedRequest* request_of(const Job& job) {
  const commands::Effect& effect = job.declaration->effect;
  if (job.stage == Stage::call) return effect.request.parsed.get();
  return effect.probe ? effect.probe->request.parsed.get() : nullptr;
}

bool has_header(const std::vector<outbound::Header>& headers, std::string_view name) {
  return outbound::find_header(headers, name).has_value();
}

outbound::Call call_of(commands::RenderedRequest request, const Job& job, Duration left) {
  outbound::Call call{.method = std::move(request.method),
                      .url = std::move(request.url),
                      .headers = {},
                      .body = std::move(request.body),
                      .limits = {}};
  for (auto& [name, value] : request.headers)
    call.headers.push_back({std::move(name), std::move(value), true});
  if (is_traceparent(job.envelope.correlation_id) && !has_header(call.headers, "traceparent"))
    call.headers.push_back({"traceparent", job.envelope.correlation_id});
  call.limits.total = std::min(job.declaration->effect.timeout, left);
  call.limits.connect = std::min(call.limits.connect, call.limits.total);
  return call;
}

}  // namespace

void PushPerformer::perform(const std::shared_ptr<const Job>& job, Done done) {
  const commands::ParsedRequest* const request = request_of(*job);
  if (request == nullptr)
    return done(not_sent("the registry in force declares no such request for the command"));
  const auto redaction = std::make_shared<Redaction>();
  for (const std::string& each : job->sealed) redaction->add_json(each);
  const commands::SecretLookup lookup = [&](std::string_view name) {
    auto secret = secrets_.find(name);
    if (secret) redaction->add_text(*secret);
    return secret;
  };
  auto rendered = request->render(
      {.envelope = job->envelope, .tenant = job->tenant, .key = job->key, .command_id = job->id},
      lookup);
  if (!rendered) return done(not_sent("the request cannot be made: " + rendered.error()));
  const auto left = std::chrono::duration_cast<Duration>(job->lease_ends->load() - time_now());
  if (left <= Duration::zero()) return done(not_sent("the lease ended before the call was made"));
  client_.send(call_of(std::move(*rendered), *job, left),
               [job, redaction, done = std::move(done)](const outbound::Result& result) {
                 done(judge(*job, result, *redaction));
               });
}

}  // namespace holdfast::effects
