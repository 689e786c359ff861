// What became of a token.

#include "http/changes.hpp"
#include "http/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

using Result = StoreResult<std::optional<TokenResult>>;

/// Nothing is known of a token whose call is under way. If that has ended meanwhile, its outcome is
/// there to be read.
Result outcome_of(const Application& application, std::string_view tenant, std::string_view token,
                  bool& under_way) {
  Result result = application.store().token(tenant, token);
  if (!result || *result) return result;
  under_way = application.service().is_under_way(tenant, token);
  return under_way ? std::move(result) : application.store().token(tenant, token);
}

Response no_such_token() {
  Problem problem =
      problem_for(Rejection::not_known,
                  "This token was never used here, or has been forgotten since its window ended.");
  problem.title = "No such token";
  return problem_response(std::move(problem));
}

Response not_known_yet(std::string_view token) {
  Response response = problem_response(
      problem_for(Rejection::in_progress, "A call with this token is under way: ask again soon."));
  add_header(response.headers, "Location", "/v1/tokens/", percent_encoded(token));
  return response;
}

}  // namespace

void show_token(Context& context) {
  auto token = context.segment(2);
  if (!token) {
    return context.reply.send(problem_response(
        problem_for(Rejection::malformed_request, "The token in the path is not well escaped.")));
  }
  context.application.read(
      context.reply, [&application = context.application, token = std::move(*token),
                      tenant = context.exchange.identity.caller.tenant] {
        bool under_way = false;
        const Result result = outcome_of(application, tenant, token, under_way);
        if (!result) return store_problem(result.error());
        if (!*result) return under_way ? not_known_yet(token) : no_such_token();
        Response response;
        JsonWriter json(response.body);
        write_token_result(json, **result);
        return response;
      });
}

}  // namespace holdfast::http
