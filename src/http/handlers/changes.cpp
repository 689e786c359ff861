#include "http/handlers/changes.hpp"

#include <fmt/format.h>

#include "http/foreign_page.hpp"
#include "http/handlers/idempotency_key.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"

namespace holdfast::http {
namespace {

void refuse(const Context& context, Rejection rejection, const std::string& detail = {}) {
  context.reply.send(problem_response(problem_for(rejection, detail)));
}

/// Notes the operation. False when the request was refused for its Idempotency-Key.
bool check_key(Context& context, Operation operation) {
  const Settings& settings = context.application.settings();
  const Request& request = context.request;
  const unsigned count = request.count(Field::idempotency_key);
  context.exchange.operation = operation;
  if (settings.policies[operation].key_mode == KeyMode::derived) {
    if (count == 0) return true;
    refuse(context, Rejection::token_invalid,
           "This operation derives its token from the request; send no Idempotency-Key.");
    return false;
  }
  if (count == 0) {
    refuse(context, Rejection::token_missing);
    return false;
  }
  if (context.exchange.key.empty()) {
    refuse(context, Rejection::token_invalid,
           count > 1 ? "The Idempotency-Key was sent more than once."
                     : fmt::format("An Idempotency-Key is 1 to {} bytes of printable ASCII, bare "
                                   "or between double quotes.",
                                   settings.token_bytes_max));
    return false;
  }
  return true;
}

}  // namespace

bool check_headers(Context& context, Operation operation) {
  return check_key(context, operation) && check_no_query(context) && check_content_type(context);
}

bool check_content_type(const Context& context) {
  const Request& request = context.request;
  if (request.body.empty() || may_be_json(request.field(Field::content_type))) return true;
  refuse(context, Rejection::malformed_request,
         "The body is JSON: send it with Content-Type: application/json.");
  return false;
}

void refuse_body(const Context& context, const BodyErrors& errors) {
  context.reply.send(problem_response(problem_of_body(errors)));
}

void submit_change(Context& context, Command command) {
  const Request& request = context.request;
  const std::string_view nonce = request.field(Field::nonce);
  if (request.count(Field::nonce) > 1) {
    return refuse(context, Rejection::malformed_request, "There is more than one X-Nonce.");
  }
  if (request.count(Field::nonce) == 1 && !is_nonce(nonce)) {
    return refuse(context, Rejection::malformed_request, std::string(nonce_rule));
  }
  if (request.count(Field::confirmation) > 1) {
    return refuse(context, Rejection::malformed_request, "There is more than one X-Confirmation.");
  }
  Call call{.command = std::move(command), .caller = context.exchange.identity.caller};
  if (!context.exchange.key.empty()) call.token = Token(std::move(context.exchange.token));
  call.nonce = nonce;
  call.confirmation = request.field(Field::confirmation);
  context.application.service().submit(
      std::move(call),
      [reply = std::move(context.reply)](Answer&& answer) { reply.pass_on(std::move(answer)); });
}

Response store_problem(const StoreError& error) {
  Response response = problem_response(problem_for(Rejection::store_unavailable, error.message));
  response.is_inner = true;
  return response;
}

}  // namespace holdfast::http
