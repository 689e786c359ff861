#include <fmt/format.h>

#include <memory>

#include "cli/backend.hpp"
#include "cli/document.hpp"
#include "cli/program.hpp"
#include "cli/reply.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array refusals{Rejection::not_known};

constexpr Lesson lesson{
    .summary = "Say what became of a token",
    .paragraph =
        "Answers the question a lost answer leaves behind: did it happen? Shows which operation "
        "the\n"
        "token was used for, its outcome, when it was recorded, and until when it is remembered.\n"
        "A token that was never used, or whose window is over, is not known: exit code 12.",
    .examples =
        "  holdfast token 3f0c2a91d4e8b7650a1c9e2f4d6b8071\n"
        "  holdfast token order-4711 --json",
    .refusals = refusals,
    .remote = true};

void print(Context& context, const TokenResult& result) {
  const Answer& answer = result.answer;
  const Instant now = context.now();
  Table table = facts();
  table.add({{"token"}, {answer.token, Colour::bold}});
  table.add({{"operation"}, {std::string(name(answer.operation))}});
  table.add(
      {{"outcome"}, answer.ok() ? Cell{"done", Colour::green} : Cell{answer.text(), Colour::red}});
  // Of a hold that was not held, a server does not tell the id.
  if (answer.hold && answer.hold->id != HoldId{}) table.add({{"hold"}, {answer.hold->id.text()}});
  if (answer.resource) table.add({{"resource"}, {answer.resource->name}});
  if (answer.resource) {
    const auto capacity = static_cast<std::uint64_t>(answer.resource->capacity);
    table.add({{"capacity"}, {number_text(capacity)}});
  }
  if (const auto group = group_in(answer)) {
    table.add({{"group"}, {group->id.text()}});
  } else if (answer.ok() && !answer.document.empty()) {
    add_members(table, answer.document);
  }
  table.add({{"recorded"}, {moment_text(result.recorded_at, now)}});
  table.add({{"remembered"},
             {answer.token_expires == never ? std::string("for as long as the store exists")
                                            : "until " + moment_text(answer.token_expires, now)}});
  table.add({{"used by"}, {result.principal}});
  table.add({{"digest"}, {result.digest, Colour::dim}});
  table.print(context.out);
}

int run(Context& context, const std::string& token) {
  const auto backend = open_to_read(context);
  if (!backend) return report(context, backend.error());
  const auto result = (*backend)->token(Token(token));
  if (!result) return report(context, result.error());
  if (!*result) {
    return report(context, nothing_there("No such token",
                                         fmt::format("The token {} was never used here, or has "
                                                     "been forgotten since its window ended.",
                                                     printable(token))));
  }
  if (!context.settings.json) {
    print(context, **result);
    return 0;
  }
  std::string body;
  JsonWriter json(body);
  write_token_result(json, **result);
  print_json(context.out, {.body = body, .token = token});
  return 0;
}

}  // namespace

void add_token(Program& program) {
  auto token = std::make_shared<std::string>();
  Options options =
      program.add("token", lesson, [token](Context& context) { return run(context, *token); });
  options.argument("TOKEN", *token, "The token, exactly as it was used");
}

}  // namespace holdfast::cli
