// Taking webhooks in. No key lets a sender in: the signature does.

#include "base/json_members.hpp"
#include "base/percent.hpp"
#include "domain/digest.hpp"
#include "domain/keyed_rows.hpp"
#include "holdfast/webhooks.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"
#include "http/webhooks/header_lines.hpp"
#include "http/webhooks/intake.hpp"
#include "modules/webhooks/inbox_rows.hpp"

namespace holdfast::http {
namespace {

using signatures::Reason;

void refuse(const Context& context, Rejection rejection, const std::string& detail = {}) {
  context.reply.send(problem_response(problem_for(rejection, detail)));
}

/// What became of a webhook that was not found genuine, as metrics have it.
std::string_view outcome_of(Reason reason) {
  switch (reason) {
    case Reason::missing_header:
    case Reason::malformed:
      return "malformed";
    case Reason::stale:
    case Reason::from_the_future:
      return "stale";
    case Reason::forged:
      return "forged";
  }
  return "malformed";
}

/// The same of one that was.
std::string_view outcome_of(const Answer& answer) {
  if (answer.rejection) return "refused";
  return answer.replayed || !answer.recorded ? "duplicate" : "accepted";
}

/// The log says why; the sender is not told what a forger could use.
void refuse(Context& context, const std::string& source, const signatures::Refusal& refusal) {
  context.application.webhooks().metrics().count(source, outcome_of(refusal.reason));
  context.application.log().warn_seldom("a webhook was not taken in",
                                        {{"source", source}, {"error", refusal.text}});
  const bool unreadable =
      refusal.reason == Reason::missing_header || refusal.reason == Reason::malformed;
  if (unreadable)
    return refuse(context, Rejection::malformed_request,
                  "The headers or the body are not those of a webhook. This call did nothing.");
  Response response = problem_response(problem_for(
      Rejection::unauthenticated,
      "The signature is not that of the sender, or not of now. This call did nothing."));
  add_header(response.headers, "WWW-Authenticate", "Signature");
  context.reply.send(std::move(response));
}

Call call_of(const std::shared_ptr<const webhooks::Source>& source,
             const signatures::Verified& verified, const Request& request) {
  return {.command = Command(Receiving{.source = source->name,
                                       .event_id = verified.event_id,
                                       .body_sha256 = sha256(request.body).hex(),
                                       .body = std::string(request.body),
                                       .headers = kept_headers(request.head),
                                       .signed_at = verified.timestamp,
                                       .declared = source}),
          .token = Token(webhooks::event_token(source->name, verified.event_id)),
          .caller = {.tenant = source->tenant, .principal = webhooks::principal_of(source->name)}};
}

/// The same for the first time and every other. What became of it is nobody's who only sends.
Response response_to(Application& application, const Answer& answer, const webhooks::Source& source,
                     std::chrono::steady_clock::time_point received, bool discreet) {
  application.webhooks().metrics().count(source.name, outcome_of(answer));
  if (answer.replayed) {
    const auto wait = application.take_replay(source.tenant, answer.token);
    if (wait.count() > 0)
      return throttled(wait, "This source repeats webhooks too often. Send it again later.");
  }
  application.metrics().count(answer, std::chrono::steady_clock::now() - received);
  application.note_trouble(answer);
  if (answer.rejection) {
    Problem problem = problem_of_change(answer, application.settings().conflict_status, discreet);
    const bool retryable = problem.retryable;
    const TokenAction action = problem.token_action;
    const int status = problem.status;
    Response response = problem_response(std::move(problem));
    add_retry_headers(response.headers, retryable, action, status);
    if (answer.rejection == Rejection::in_progress)
      add_header(response.headers, "Location", "/v1/tokens/" + percent_encoded(answer.token));
    return response;
  }
  Response response{.body = answer.document};
  const bool again = answer.replayed || !answer.recorded;
  add_header(response.headers, "Idempotent-Replayed", again ? "true" : "false");
  return response;
}

/// The same event with another body: that is on record by now. The sender is answered what it was
/// answered first, once that is there; it would only send it again.
Response response_to_another_body(Application& application, const webhooks::Source& source,
                                  const std::string& token) {
  using webhooks::EntryRow;
  application.log().warn_seldom("a webhook was sent again with another body",
                                {{"source", source.name}});
  const auto page = application.store().rows(
      source.tenant, {.space = EntryRow::space, .key = keyed_row_key(source.tenant, token)});
  if (!page) return store_problem(page.error());
  if (page->items.empty()) {
    Response response = problem_response(problem_for(Rejection::in_progress));
    add_header(response.headers, "Location", "/v1/tokens/" + percent_encoded(token));
    return response;
  }
  Response response;
  JsonWriter json(response.body);
  json.begin_object();
  text_member(json, "id", row_of<EntryRow>(&page->items.front().row)->id);
  json.end_object();
  add_header(response.headers, "Idempotent-Replayed", "true");
  return response;
}

}  // namespace

void receive_webhook(Context& context) {
  if (!check_no_query(context)) return;
  Application& application = context.application;
  const auto name = context.segment(2);
  const auto source = name ? application.webhooks().source(*name) : nullptr;
  if (source == nullptr) return refuse(context, Rejection::no_such_address);
  const Request& request = context.request;
  const auto headers = [&](std::string_view wanted) { return find_header(request.head, wanted); };
  const auto secrets = application.webhooks().secrets_of(*source);
  const auto verified = signatures::verify(source->scheme, secrets, headers, request.body,
                                           application.store().now(), source->tolerance);
  if (!verified) return refuse(context, source->name, verified.error());
  application.service().submit(
      call_of(source, *verified, request),
      [reply = context.reply, &application, source, received = context.exchange.received,
       discreet = context.exchange.discreet](const Answer& answer) {
        if (answer.rejection == Rejection::token_collision) {
          application.webhooks().metrics().count(source->name, "duplicate");
          application.metrics().count(answer, std::chrono::steady_clock::now() - received);
          return application.read(reply, [&application, source, token = answer.token] {
            return response_to_another_body(application, *source, token);
          });
        }
        reply.send_from_engine(response_to(application, answer, *source, received, discreet));
      });
}

}  // namespace holdfast::http
