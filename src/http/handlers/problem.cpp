#include "http/handlers/problem.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

namespace holdfast::http {

Problem problem_for(Rejection rejection, const std::string& detail) {
  const RejectionRow& refused = row(rejection);
  return {.type = std::string(refused.name),
          .title = std::string(refused.title),
          .status = refused.http_status,
          .detail = detail.empty() ? std::string(refused.text) : to_valid_utf8(detail),
          .code = std::string(refused.code),
          .retryable = refused.retryable,
          .token_action = TokenAction::reuse,
          .effect = effect_of(rejection)};
}

Problem problem_of_change(const Answer& answer, int conflict_status, bool discreet) {
  if (discreet && answer.rejection == Rejection::store_unavailable && !answer.note.empty()) {
    Answer told = answer;
    told.note = discreet_words;
    return problem_of_change(told, conflict_status, false);
  }
  Problem problem = problem_of(answer);
  if (answer.rejection == Rejection::token_collision) problem.status = conflict_status;
  // The row's own words are for when nobody knows.
  const bool known = answer.effect == Effect::none && !answer.note.empty();
  if (answer.rejection == Rejection::store_unavailable && known) {
    problem.detail = fmt::format("{}. This call did nothing: ask again with the same token.",
                                 to_valid_utf8(answer.note));
  }
  return problem;
}

Problem problem_of_body(const BodyErrors& errors, Rejection rejection) {
  const bool one = errors.size() == 1;
  Problem problem = problem_for(
      rejection, one ? errors.front().detail
                     : fmt::format("There are {} mistakes; see errors.", errors.size()));
  for (const BodyError& each : errors) problem.errors.push_back({each.pointer, each.detail});
  return problem;
}

Response problem_response(Problem problem, const BodyErrors& errors) {
  for (const BodyError& each : errors) problem.errors.push_back({each.pointer, each.detail});
  Response response{.status = problem.status, .content_type = "application/problem+json"};
  add_retry_headers(response.headers, problem.retryable, problem.token_action, problem.status);
  response.problem = std::make_shared<Problem>(std::move(problem));
  return response;
}

Response throttled(std::chrono::seconds wait, const std::string& detail) {
  Response response = problem_response(problem_for(Rejection::throttled, detail));
  response.headers.clear();
  add_retry_headers(response.headers, true, TokenAction::reuse, 429,
                    static_cast<int>(wait.count()));
  return response;
}

void add_retry_headers(std::string& headers, bool retryable, TokenAction action, int status,
                       int retry_after_s) {
  if (!retryable || action == TokenAction::new_token) {
    // Some clients repeat every 409 by themselves, unless told not to.
    add_header(headers, "X-Should-Retry", "false");
    add_header(headers, "Stripe-Should-Retry", "false");
  } else if (status == 409 || status == 429 || status == 503) {
    add_header(headers, "Retry-After", fmt::format("{}", retry_after_s));
  }
}

}  // namespace holdfast::http
