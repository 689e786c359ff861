#include "cli/failure.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {

Failure usage_failure(const std::string& detail) {
  return {exit_usage,
          {.type = "malformed-request",
           .title = "The command line makes no sense",
           .status = 400,
           .detail = to_valid_utf8(detail),
           .code = "malformed-request",
           .effect = Effect::none}};
}

Failure store_failure(const Error& error) {
  if (error.bad_cursor) {
    return usage_failure(error.message + "; leave --cursor out to begin at the beginning");
  }
  const RejectionRow& refused = row(Rejection::store_unavailable);
  return {exit_store,
          {.type = std::string(refused.name),
           .title = "The store cannot be opened or read",
           .status = refused.http_status,
           .detail = to_valid_utf8(error.message),
           .code = std::string(refused.name),
           .retryable = refused.retryable,
           .effect = Effect::none}};
}

Failure refusal(Rejection rejection, const std::string& detail, std::string_view field) {
  const RejectionRow& refused = row(rejection);
  Failure failure{exit_code(rejection),
                  {.type = std::string(refused.name),
                   .title = std::string(refused.title),
                   .status = refused.http_status,
                   .detail = to_valid_utf8(detail),
                   .code = std::string(refused.code),
                   .retryable = refused.retryable,
                   .effect = effect_of(rejection)}};
  if (!field.empty()) {
    failure.problem.errors.push_back({fmt::format("/{}", field), failure.problem.detail});
  }
  return failure;
}

Failure refusal(Reason reason) {
  const ReasonRow& why = row(reason);
  Failure failure = refusal(Rejection::invalid_request, std::string(why.text), why.field);
  failure.problem.reason = reason;
  return failure;
}

Failure nothing_there(std::string title, const std::string& detail) {
  Failure failure = refusal(Rejection::not_known, detail);
  failure.problem.title = std::move(title);
  return failure;
}

int report(Context& context, const Failure& failure) {
  const Problem& problem = failure.problem;
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    write_problem(json, problem);
    print_json(context.out, {.body = body, .status = problem.status, .token = context.token_given});
    return failure.exit_code;
  }
  // The names of rejections are worth searching for; "malformed-request" says nothing more.
  const bool named = failure.exit_code > exit_usage;
  const std::string prefix = named ? fmt::format("{}: ", problem.code) : std::string();
  context.err.line(fmt::format("{} {}{}", context.err.paint(Colour::red, "holdfast:"), prefix,
                               printable(problem.detail)));
  return failure.exit_code;
}

void print_json(Output& out, const Envelope& envelope) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.key("answer");
  json.raw(envelope.body);
  json.key("status");
  json.integer(envelope.status);
  json.key("replayed");
  json.boolean(envelope.replayed);
  if (envelope.token) {
    write_bytes(json, "token", *envelope.token);
  } else {
    json.key("token");
    json.null();
  }
  json.end_object();
  out.line(line);
}

}  // namespace holdfast::cli
