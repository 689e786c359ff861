// What became of a token.

#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

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
  if (!check_no_query(context)) return;
  auto token = context.segment(2);
  if (!token) {
    return context.reply.send(problem_response(
        problem_for(Rejection::malformed_request, "The token in the path is not well escaped.")));
  }
  context.application.read(
      context.reply, [&application = context.application, token = std::move(*token),
                      tenant = context.exchange.identity.caller.tenant] {
        auto result = application.store().token(tenant, token);
        if (result && !*result) {
          if (application.service().is_under_way(tenant, token)) return not_known_yet(token);
          result = application.store().token(tenant, token);  // it may have ended in between
        }
        if (!result) return store_problem(result.error());
        if (!*result) return no_such_token();
        Response response;
        JsonWriter json(response.body);
        write_token_result(json, **result);
        return response;
      });
}

}  // namespace holdfast::http
