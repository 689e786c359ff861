// What became of a token.

#include "http/changes.hpp"
#include "http/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {

void show_token(Context& context) {
  auto token = context.segment(2);
  if (!token) {
    return context.reply.send(problem_response(
        problem_for(Rejection::malformed_request, "The token in the path is not well escaped.")));
  }
  context.application.read(
      context.reply, [&application = context.application, token = std::move(*token),
                      tenant = context.exchange.identity.caller.tenant] {
        const auto result = application.store().token(tenant, token);
        if (!result) return store_problem(result.error());
        if (!*result) {
          Problem problem = problem_for(
              Rejection::not_known,
              "This token was never used here, or has been forgotten since its window ended.");
          problem.title = "No such token";
          return problem_response(std::move(problem));
        }
        Response response;
        JsonWriter json(response.body);
        write_token_result(json, **result);
        return response;
      });
}

}  // namespace holdfast::http
