#include "cli/change.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/backend.hpp"
#include "cli/reply.hpp"
#include "cli/text.hpp"
#include "wire/body.hpp"

namespace holdfast::cli {
namespace {

int report_tried(Context& context, const Placing& what) {
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    const Instant now = context.now();
    write_tried(json, Hold{.id = {},
                           .resource = what.resource,
                           .requester = what.requester,
                           .quantity = what.quantity,
                           .state = HoldState::held,
                           .placed_at = now,
                           .expires_at = now + what.duration,
                           .resolved_at = std::nullopt});
    print_json(context.out, {.body = body});
    return 0;
  }
  context.out.line(fmt::format("{} could be held for {}. Nothing was changed.",
                               printable(what.resource), printable(what.requester)));
  return 0;
}

}  // namespace

void add_change_options(Options& options, ChangeOptions& change) {
  options.option("--token", "T", change.token,
                 "The idempotency token, 1 to 256 bytes; a fresh one if left out");
  options.option("--window", "DURATION", change.window,
                 "How long a new store remembers tokens (24h); an old one keeps its own");
  options.option("--confirmation", "CODE", change.confirmation,
                 "The code a server asked for: send it with the token it came with");
}

int run_change(Context& context, const ChangeOptions& options, Command command) {
  if (options.token && options.token->empty()) {  // a server would take it for none
    return report(context, refusal(Reason::token_size));
  }
  const auto window = parse_window_argument(options.window);
  if (!window) return report(context, window.error());
  const auto token = options.token ? std::optional(Token(*options.token)) : std::nullopt;
  if (const auto refused = refused_by_new_store(context, command, token))
    return reply(context, *refused);
  const auto backend = open_to_change(context, *window);
  if (!backend) return report(context, backend.error());
  const auto answer = (*backend)->submit(std::move(command), token, options.confirmation);
  return answer ? reply(context, *answer) : report(context, answer.error());
}

int run_dry(Context& context, const ChangeOptions& options, const Command& command) {
  if (options.token || !options.window.empty() || !options.confirmation.empty()) {
    return report(context, usage_failure("--dry-run changes nothing: it takes no --token, --window "
                                         "and --confirmation"));
  }
  Fallible<Answer> answer = Answer{};
  if (auto refused = refused_by_new_store(context, command, std::nullopt)) {
    answer = std::move(*refused);
  } else if (context.server().empty() && context.missing_store(context.store_path())) {
    return report_tried(context, *command.as<Placing>());  // nothing is held there
  } else {
    const auto backend = open_to_read(context);
    if (!backend) return report(context, backend.error());
    answer = (*backend)->try_place(*command.as<Placing>());
  }
  if (!answer) return report(context, answer.error());
  answer->token.clear();
  if (!answer->ok()) return reply(context, *answer);
  return report_tried(context, *command.as<Placing>());
}

}  // namespace holdfast::cli
