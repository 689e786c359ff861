// holdfast effects list|show|retry|resolve|cancel

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/percent.hpp"
#include "cli/arguments.hpp"
#include "cli/change.hpp"
#include "cli/commands/asking.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"
#include "command_views/effect_lists.hpp"
#include "holdfast/commands.hpp"

namespace holdfast::cli {
namespace {

using commands::EffectStatus;
using commands::EffectView;

constexpr std::array refusals{Rejection::invalid_request, Rejection::token_collision,
                              Rejection::store_unavailable, Rejection::command_not_known,
                              Rejection::effect_not_open};

constexpr Lesson lesson{
    .summary = "See what commands do outside, and put it right",
    .paragraph =
        "An effect is what a command does outside: a call to a provider, or work that is leased.\n"
        "It has the id of its command. A server asks for the key of an operator before it changes\n"
        "one.\n"
        "\n"
        "  list     lists the effects that have not settled, or whose command failed.\n"
        "  show     shows one, and why it waits.\n"
        "  retry    has one tried again, now; also one whose command failed.\n"
        "  resolve  says how a command ended, with --status executed, failed or compensated.\n"
        "  cancel   gives one up that nobody is at work on: its command failed.",
    .examples =
        "  holdfast effects list --status dead\n"
        "  holdfast effects resolve c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1 --status executed",
    .refusals = refusals,
    .remote = true};

struct Arguments {
  std::string action;
  std::optional<std::string> id;
  std::optional<std::string> status, result;
  ChangeOptions change;
  ListOptions list;
};

int list(Context& context, const Arguments& given) {
  std::optional<EffectStatus> status;
  if (given.status) status = commands::effect_status_named(*given.status);
  if (given.status && !status) {
    return report(context, usage_failure(fmt::format("'{}' is not a status of effects; try "
                                                     "waiting, leased, unknown or dead",
                                                     printable(*given.status))));
  }
  std::string address = "/v1/effects?";
  if (given.status) address += fmt::format("status={}&", *given.status);
  return list_documents(
      context, given.list,
      {.one = "effect",
       .address = address,
       .columns = {{"ID", "/id"},
                   {"PROVIDER", "/provider"},
                   {"STATUS", "/status"},
                   {"STAGE", "/stage"},
                   {"ATTEMPTS", "/attempts"},
                   {"WHY", "/why"}},
       .store = [&](const Store& store, const std::string& tenant, const std::string& cursor,
                    std::size_t limit) -> StoreResult<std::string> {
         const auto page = commands::list_effects_of(
             store, {.tenant = tenant, .cursor = cursor, .limit = limit}, status);
         if (!page) return tl::unexpected(page.error());
         return page_text(*page, [now = store.now()](const EffectView& view, JsonWriter& json) {
           view.write(json, now);
         });
       }});
}

int show(Context& context, const std::string& id) {
  return show_document(
      context, ask(context, "/v1/effects/" + percent_encoded(id),
                   [&](const Store& store, const std::string& tenant) -> StoreResult<std::string> {
                     const auto view = commands::find_effect(store, tenant, id);
                     if (!view) return tl::unexpected(view.error());
                     std::string text;
                     JsonWriter json(text);
                     if (*view) (*view)->write(json, store.now());
                     return text;
                   }));
}

int resolve(Context& context, const Arguments& given) {
  Resolving what{.id = *given.id, .status = given.status.value_or("")};
  if (what.status.empty()) {
    return report(context, usage_failure("how did it end? Say --status executed, failed or "
                                         "compensated"));
  }
  if (given.result) {
    auto result = parse_json_argument(*given.result, "result");
    if (!result) return report(context, result.error());
    what.result = std::move(*result);
  }
  return run_change(context, given.change, Command(std::move(what)));
}

int run(Context& context, const Arguments& given) {
  if (given.action == "list" && !given.id) return list(context, given);
  if (given.action == "list") {
    return report(context, usage_failure(fmt::format("'{}' is one word too many; list takes "
                                                     "--status",
                                                     printable(*given.id))));
  }
  constexpr std::array on_one{"show", "retry", "resolve", "cancel"};
  if (std::find(on_one.begin(), on_one.end(), given.action) == on_one.end()) {
    return report(context, usage_failure(fmt::format("'{}' is not something effects does; try "
                                                     "list, show, retry, resolve or cancel",
                                                     printable(given.action))));
  }
  if (!given.id) {
    return report(context,
                  usage_failure(fmt::format("which effect? holdfast effects list shows "
                                            "their ids, as in: holdfast effects {} c-9f86…",
                                            given.action)));
  }
  context.token_given = given.change.token;
  if (given.action == "show") return show(context, *given.id);
  if (given.action == "resolve") return resolve(context, given);
  if (given.action == "retry")
    return run_change(context, given.change, Command(Retrying{.id = *given.id}));
  return run_change(context, given.change, Command(CancellingEffect{.id = *given.id}));
}

}  // namespace

void add_effects(Program& program) {
  auto given = std::make_shared<Arguments>();
  Options options =
      program.add("effects", lesson, [given](Context& context) { return run(context, *given); });
  options.argument("ACTION", given->action, "list, show, retry, resolve or cancel");
  options.optional_argument("ID", given->id, "The effect, by the id of its command");
  options.option("--status", "STATUS", given->status,
                 "Of list: only effects that stand so; of resolve: how the command ended");
  options.option("--result", "JSON", given->result, "Of resolve: what is known of it");
  add_list_options(options, given->list);
  add_change_options(options, given->change);
}

}  // namespace holdfast::cli
