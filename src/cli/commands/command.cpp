// holdfast command submit|show|list|approve

#include <fmt/format.h>
#include <simdjson.h>

#include <array>

#include "base/percent.hpp"
#include "cli/arguments.hpp"
#include "cli/commands/asking.hpp"
#include "cli/commands/submit.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"
#include "command_views/command_lists.hpp"

namespace holdfast::cli {
namespace {

using commands::CommandRow;

constexpr std::array refusals{Rejection::invalid_request,   Rejection::in_progress,
                              Rejection::store_unavailable, Rejection::execution_rejected,
                              Rejection::execution_refused, Rejection::command_not_known};

constexpr Lesson lesson{
    .summary = "Submit commands, and see what became of them",
    .paragraph =
        "A command is a change of state that happens exactly once, effects outside included. What\n"
        "commands there are is declared in a registry: see docs/registry.md.\n"
        "\n"
        "  submit   submits ENTITY.ACTION. On a store, --registry names the file that declares "
        "it.\n"
        "  show     shows one command, by its id or by its --key.\n"
        "  list     lists commands, newest first.\n"
        "  approve  approves a command that somebody else confirms with --confirmation.",
    .examples =
        "  holdfast command submit payment.charge --args '{\"amount\": \"12.34\"}' --token "
        "order-4711\n"
        "  holdfast command show --key order-4711\n"
        "  holdfast command list --status failed",
    .refusals = refusals,
    .remote = true};

struct Arguments {
  std::string action;
  std::optional<std::string> word;
  std::optional<std::string> args, target, actor, effective_actor, command_kind, correlation_id;
  std::optional<std::string> key, status, entity, done;
  std::string registry;
  ChangeOptions change;
  ListOptions list;
};

std::string document_of(const CommandRow& row) {
  std::string text;
  JsonWriter json(text);
  commands::write_command(row, json);
  return text;
}

Parsed<void> take_json(const std::optional<std::string>& text, std::string_view name,
                       std::string& out) {
  if (!text) return {};
  auto json = parse_json_argument(*text, name);
  if (!json) return tl::unexpected(json.error());
  out = std::move(*json);
  return {};
}

int submit(Context& context, const Arguments& given) {
  const std::string name = given.word.value_or("");
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) {
    return report(context, usage_failure("which command? as in: holdfast command submit "
                                         "payment.charge --args '{\"amount\": \"12.34\"}'"));
  }
  SubmitAsked asked{.what = {.entity = name.substr(0, dot), .action = name.substr(dot + 1)},
                    .change = given.change,
                    .registry = given.registry};
  Submitting& what = asked.what;
  if (auto wrong = take_json(given.args, "args", what.args); !wrong)
    return report(context, wrong.error());
  if (auto wrong = take_json(given.target, "target", what.target); !wrong)
    return report(context, wrong.error());
  what.actor = given.actor.value_or("");
  what.effective_actor = given.effective_actor.value_or("");
  what.command_kind = given.command_kind.value_or("");
  what.correlation_id = given.correlation_id.value_or("");
  return submit_command(context, std::move(asked));
}

/// The one command of a page, or nothing there.
Fallible<std::string> only_item(const Fallible<std::string>& page) {
  if (!page) return tl::unexpected(page.error());
  simdjson::dom::parser parser;
  simdjson::dom::element item;
  if (parser.parse(*page).at_pointer("/items/0").get(item) == simdjson::SUCCESS)
    return simdjson::minify(item);
  return tl::unexpected(refusal(Rejection::command_not_known, "No command has this key."));
}

int show_by_key(Context& context, const std::string& key) {
  const auto page =
      ask(context, "/v1/commands?key=" + percent_encoded(key),
          [&](const Store& store, const std::string& tenant) -> StoreResult<std::string> {
            const auto row = commands::find_command_by_key(store, tenant, key);
            if (!row) return tl::unexpected(row.error());
            if (!*row) return std::string();
            return fmt::format(R"({{"items":[{}],"next":null}})", document_of(**row));
          });
  return show_document(context, only_item(page));
}

int show(Context& context, const Arguments& given) {
  if (given.word.has_value() == given.key.has_value()) {
    return report(context, usage_failure("which command? Name its id or its --key, as in: holdfast "
                                         "command show --key order-4711"));
  }
  if (given.key) return show_by_key(context, *given.key);
  return show_document(
      context, ask(context, "/v1/commands/" + percent_encoded(*given.word),
                   [&](const Store& store, const std::string& tenant) -> StoreResult<std::string> {
                     const auto row = commands::find_command(store, tenant, *given.word);
                     if (!row) return tl::unexpected(row.error());
                     return *row ? document_of(**row) : std::string();
                   }));
}

int list(Context& context, const Arguments& given) {
  std::optional<commands::Status> status;
  if (given.status) status = commands::status_named(*given.status);
  if (given.status && !status) {
    return report(context, usage_failure(fmt::format("'{}' is not a status; try in_progress, "
                                                     "executed, failed, rejected or compensated",
                                                     printable(*given.status))));
  }
  std::string address = "/v1/commands?";
  const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
    if (value) address += fmt::format("{}={}&", name, percent_encoded(*value));
  };
  add("status", given.status);
  add("entity", given.entity);
  add("action", given.done);
  add("key", given.key);
  const auto wanted = [&](const CommandRow& row) {
    return (!given.entity || row.entity == *given.entity) &&
           (!given.done || row.action == *given.done) && (!given.key || row.token == *given.key);
  };
  return list_documents(
      context, given.list,
      {.one = "command",
       .address = address,
       .columns = {{"ID", "/command_id"},
                   {"ENTITY", "/intent/entity"},
                   {"ACTION", "/intent/action"},
                   {"STATUS", "/status"},
                   {"KEY", "/idempotency_key"},
                   {"SINCE", "/created_at"}},
       .store = [&](const Store& store, const std::string& tenant, const std::string& cursor,
                    std::size_t limit) -> StoreResult<std::string> {
         commands::CommandsAsked asked{.tenant = tenant, .cursor = cursor, .limit = limit};
         if (status) asked.statuses = {&*status, 1};
         const auto page = commands::list_commands_of(store, asked, wanted);
         if (!page) return tl::unexpected(page.error());
         return page_text(*page, commands::write_command);
       }});
}

int approve(Context& context, const Arguments& given) {
  if (!given.word || given.change.confirmation.empty()) {
    return report(context,
                  usage_failure("approving takes the command's id and its confirmation token, as "
                                "in: holdfast command approve c-9f86… --confirmation ct-6413…"));
  }
  ChangeOptions change = given.change;
  Approving what{.id = *given.word, .confirmation = std::move(change.confirmation)};
  change.confirmation.clear();
  context.token_given = change.token;
  return run_change(context, change, Command(std::move(what)));
}

int run(Context& context, const Arguments& given) {
  if (given.action == "submit") return submit(context, given);
  if (given.action == "show") return show(context, given);
  if (given.action == "list" && !given.word) return list(context, given);
  if (given.action == "approve") return approve(context, given);
  if (given.action == "list") {
    return report(context, usage_failure(fmt::format("'{}' is one word too many; list takes "
                                                     "--status, --entity, --action and --key",
                                                     printable(*given.word))));
  }
  return report(context, usage_failure(fmt::format("'{}' is not something command does; try "
                                                   "submit, show, list or approve",
                                                   printable(given.action))));
}

}  // namespace

void add_command(Program& program) {
  auto given = std::make_shared<Arguments>();
  Options options =
      program.add("command", lesson, [given](Context& context) { return run(context, *given); });
  options.argument("ACTION", given->action, "submit, show, list or approve");
  options.optional_argument("WHAT", given->word,
                            "Of submit: ENTITY.ACTION; of show and approve: the command's id");
  options.option("--args", "JSON", given->args, "Of submit: the arguments, an object");
  options.option("--target", "JSON", given->target, "Of submit: what exactly is acted on");
  options.option("--actor", "ID", given->actor, "Of submit: who asks (the caller)");
  options.option("--effective-actor", "ID", given->effective_actor,
                 "Of submit: on whose behalf (the actor)");
  options.option("--command-kind", "TEXT", given->command_kind, "Of submit: the kind of command");
  options.option("--correlation-id", "TEXT", given->correlation_id,
                 "Of submit: what ties it to other messages");
  options.option("--registry", "FILE", given->registry,
                 "Of submit to a store: the file that declares commands");
  options.option("--key", "K", given->key, "Of show and list: the command with this key");
  options.option("--status", "STATUS", given->status, "Of list: only commands that stand so");
  options.option("--entity", "NAME", given->entity, "Of list: only commands on it");
  options.option("--action", "NAME", given->done, "Of list: only commands that do this");
  add_list_options(options, given->list);
  add_change_options(options, given->change);
}

}  // namespace holdfast::cli
