#include "cli/commands/submit.hpp"

#include "cli/arguments.hpp"
#include "cli/backend.hpp"
#include "cli/reply.hpp"
#include "modules/commands/prepare.hpp"
#include "registry/registry.hpp"
#include "store/open.hpp"

namespace holdfast::cli {
namespace {

std::optional<Token> token_of(const ChangeOptions& change) {
  return change.token ? std::optional(Token(*change.token)) : std::nullopt;
}

int answered(Context& context, const Fallible<Answer>& answer) {
  return answer ? reply(context, *answer) : report(context, answer.error());
}

int submit_to_server(Context& context, SubmitAsked asked) {
  if (!asked.registry.empty()) {
    return report(context, usage_failure("--registry goes with a store: a server has a registry of "
                                         "its own, which GET /v1/registry shows"));
  }
  const auto backend = open_to_change(context, std::nullopt);
  if (!backend) return report(context, backend.error());
  return answered(context, (*backend)->submit(Command(std::move(asked.what)),
                                              token_of(asked.change), asked.change.confirmation));
}

/// The call with all that the registry says of it. A command whose key is the caller's gets a fresh
/// one if there is none.
Call prepared(const commands::Preparer& preparer, const Context& context,
              const SubmitAsked& asked) {
  Call call{.command = Command(asked.what),
            .token = token_of(asked.change).value_or(Token::derived()),
            .caller = context.caller(),
            .confirmation = asked.change.confirmation};
  Call made = call;
  preparer(made);
  if (!made.token.bytes().empty()) return made;
  call.token = Token::fresh();
  preparer(call);
  return call;
}

int submit_to_store(Context& context, const SubmitAsked& asked) {
  if (asked.registry.empty()) {
    return report(context,
                  usage_failure("a store does not know what commands there are; name the file that "
                                "declares them with --registry, or a server with --server"));
  }
  auto registry = registry::read_registry(asked.registry);
  if (!registry) return report(context, usage_failure(registry.error().message()));
  const auto window = parse_window_argument(asked.change.window);
  if (!window) return report(context, window.error());
  const auto backend = open_to_change(context, *window);
  if (!backend) return report(context, backend.error());
  const auto kept = read_records(context.store_path());
  if (!kept) return report(context, store_failure({kept.error().message, kept.error().effect}));
  commands::Preparer preparer((*kept)->rules().confirmation_secret);
  preparer.put_in_force(std::move(*registry));
  Call call = prepared(preparer, context, asked);
  return answered(context, (*backend)->submit(std::move(call.command), std::move(call.token),
                                              std::move(call.confirmation)));
}

}  // namespace

int submit_command(Context& context, SubmitAsked asked) {
  if (asked.change.token && asked.change.token->empty())
    return report(context, refusal(Reason::token_size));
  context.token_given = asked.change.token;
  if (!context.server().empty()) return submit_to_server(context, std::move(asked));
  return submit_to_store(context, asked);
}

}  // namespace holdfast::cli
