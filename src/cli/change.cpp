#include "cli/change.hpp"

#include "cli/arguments.hpp"
#include "cli/backend.hpp"
#include "cli/reply.hpp"

namespace holdfast::cli {

void add_change_options(Options& options, ChangeOptions& change) {
  options.option("--token", "T", change.token,
                 "The idempotency token, 1 to 256 bytes; a fresh one if left out");
  options.option("--window", "DURATION", change.window,
                 "How long a new store remembers tokens (10m); an old one keeps its own");
  options.option("--confirmation", "CODE", change.confirmation,
                 "The code a server asked for: send it with the token it came with");
}

int run_change(Context& context, const ChangeOptions& options, Command command) {
  if (options.token && options.token->empty()) {  // a server would take it for none
    return report(context, refusal(Reason::token_size));
  }
  const auto window = parse_window_argument(options.window);
  if (!window) return report(context, window.error());
  const auto backend = open_to_change(context, *window);
  if (!backend) return report(context, backend.error());
  const auto token = options.token ? std::optional(Token(*options.token)) : std::nullopt;
  const auto answer = (*backend)->submit(std::move(command), token, options.confirmation);
  return answer ? reply(context, *answer) : report(context, answer.error());
}

}  // namespace holdfast::cli
