#include "inbox/following.hpp"

#include <fmt/format.h>

#include "base/json_members.hpp"
#include "base/traceparent.hpp"
#include "domain/row_json.hpp"
#include "holdfast/commands.hpp"
#include "holdfast/webhooks.hpp"

namespace holdfast::inbox {
namespace {

using What = Ending::What;

constexpr std::size_t error_bytes_max = 500;

Ending failed(What what, std::string error) {
  if (error.size() > error_bytes_max) error.resize(error_bytes_max);
  return {.what = what, .result = {}, .error = std::move(error)};
}

std::string kept_header(const webhooks::PayloadRow& payload, std::string_view name) {
  ObjectReader reader(payload.headers);
  std::string value;
  reader.text(name, value);
  return value;
}

}  // namespace

tl::expected<Call, Ending> submission_of(const webhooks::Source& source,
                                         const webhooks::LeasedEntry& entry,
                                         const std::string& body) {
  auto args = webhooks::arguments_of(source, body);
  if (!args) return tl::unexpected(failed(What::dead, "it makes no command: " + args.error()));
  auto [entity, action] = source.intent();
  return Call{.command = Command(Submitting{.entity = std::move(entity),
                                            .action = std::move(action),
                                            .args = std::move(*args),
                                            .correlation_id = entry.id}),
              .token = Token(webhooks::command_key(source.name, entry.event_id)),
              .caller = {.tenant = entry.tenant, .principal = webhooks::principal_of(source.name)}};
}

Ending ending_of(const Answer& answer) {
  if (answer.rejection) {
    const std::string_view why =
        answer.reason == Reason::none ? name(*answer.rejection) : name(answer.reason);
    const std::string error = fmt::format("the command was not run: {}", why);
    switch (*answer.rejection) {
      case Rejection::in_progress:
        return failed(What::later, {});
      case Rejection::execution_refused:  // the registry is another by now, and may be again
      case Rejection::overloaded:
      case Rejection::store_unavailable:
        return failed(What::retry, error);
      default:
        return failed(What::dead, error);
    }
  }
  ObjectReader reader(answer.document);
  std::string id;
  std::string status;
  reader.text("command_id", id);
  reader.text("status", status);
  if (status == "in_progress") return failed(What::later, {});
  if (status != "executed" && status != "compensated")
    return failed(What::dead, fmt::format("command {} is {}", id, status));
  Ending ending;
  JsonWriter json(ending.result);
  json.begin_object();
  text_member(json, "command_id", id);
  text_member(json, "status", status);
  json.end_object();
  return ending;
}

outbound::Call forward_of(const webhooks::Source& source, const webhooks::LeasedEntry& entry,
                          const webhooks::PayloadRow& payload) {
  outbound::Call call{.method = "POST",
                      .url = source.target,
                      .headers = {{"Idempotency-Key", entry.id},
                                  {"webhook-id", entry.id},
                                  {"X-Webhook-Source", source.name}},
                      .body = payload.body,
                      .limits = {}};
  const std::string type = kept_header(payload, "Content-Type");
  if (!type.empty()) call.headers.push_back({"Content-Type", type});
  const std::string trace = kept_header(payload, "traceparent");
  if (is_traceparent(trace)) call.headers.push_back({"traceparent", trace});
  call.limits.total = source.timeout;
  call.limits.connect = std::min(call.limits.connect, source.timeout);
  return call;
}

Ending ending_of(const outbound::Result& result) {
  if (!result)
    return failed(What::retry, fmt::format("it was not sent on: {}", result.error().text));
  const int status = result->status;
  if (status < 200 || status > 299)
    return failed(What::retry, fmt::format("the answer was {}", status));
  Ending ending;
  JsonWriter json(ending.result);
  json.begin_object();
  integer_member(json, "status", status);
  json.end_object();
  return ending;
}

Command report_of(const webhooks::LeasedEntry& entry, Ending ending) {
  const auto fence = static_cast<std::int64_t>(entry.fence);
  if (ending.what == What::done)
    return Command(
        InboxCompleting{.id = entry.id, .fence = fence, .result = std::move(ending.result)});
  InboxFailing failing{.id = entry.id, .fence = fence, .error = std::move(ending.error)};
  if (ending.what == What::later) failing.verdict = "later";
  if (ending.what == What::dead) failing.verdict = "dead";
  return Command(std::move(failing));
}

}  // namespace holdfast::inbox
