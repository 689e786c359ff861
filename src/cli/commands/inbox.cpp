// holdfast inbox list|show|retry

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/percent.hpp"
#include "cli/change.hpp"
#include "cli/commands/asking.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"
#include "command_views/inbox_lists.hpp"
#include "holdfast/webhooks.hpp"

namespace holdfast::cli {
namespace {

using webhooks::EntryView;

constexpr std::array refusals{Rejection::invalid_request, Rejection::token_collision,
                              Rejection::store_unavailable, Rejection::inbox_entry_not_known,
                              Rejection::inbox_entry_not_open};

constexpr Lesson lesson{
    .summary = "See which webhooks came in, and what became of them",
    .paragraph =
        "An entry of the inbox is a webhook that was taken in: once, whatever its sender repeats.\n"
        "What follows is declared in the registry: see docs/webhooks.md. A server asks for the\n"
        "key of an operator before it has one tried again.\n"
        "\n"
        "  list   lists entries: those that are not done, then those that are, newest first.\n"
        "  show   shows one, with its body.\n"
        "  retry  has one tried again, now: one that waits, or one that is dead.",
    .examples =
        "  holdfast inbox list --source payments --status dead\n"
        "  holdfast inbox retry w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1",
    .refusals = refusals,
    .remote = true};

struct Arguments {
  std::string action;
  std::optional<std::string> id;
  std::optional<std::string> status, source;
  ChangeOptions change;
  ListOptions list;
};

int list(Context& context, const Arguments& given) {
  webhooks::EntriesAsked asked{.source = given.source.value_or("")};
  if (given.status) asked.status = webhooks::status_named(*given.status);
  if (given.status && !asked.status) {
    return report(context, usage_failure(fmt::format("'{}' is not a status of entries; try "
                                                     "received, processing, done or dead",
                                                     printable(*given.status))));
  }
  std::string address = "/v1/inbox?";
  if (given.status) address += fmt::format("status={}&", *given.status);
  if (given.source) address += fmt::format("source={}&", percent_encoded(*given.source));
  return list_documents(
      context, given.list,
      {.one = "entry",
       .address = address,
       .columns = {{"ID", "/id"},
                   {"SOURCE", "/source"},
                   {"EVENT", "/event_id"},
                   {"STATUS", "/status"},
                   {"ATTEMPTS", "/attempts"},
                   {"RECEIVED", "/received_at"},
                   {"ERROR", "/last_error"}},
       .store = [&](const Store& store, const std::string& tenant, const std::string& cursor,
                    std::size_t limit) -> StoreResult<std::string> {
         asked.tenant = tenant;
         asked.cursor = cursor;
         asked.limit = limit;
         const auto page = webhooks::list_entries(store, asked);
         if (!page) return tl::unexpected(page.error());
         return page_text(*page, [](const EntryView& view, JsonWriter& json) { view.write(json); });
       }});
}

int show(Context& context, const std::string& id) {
  const AskStore find = [&](const Store& store,
                            const std::string& tenant) -> StoreResult<std::string> {
    const auto view = webhooks::find_entry(store, tenant, id);
    if (!view) return tl::unexpected(view.error());
    std::string text;
    JsonWriter json(text);
    if (*view) (*view)->write(json);
    return text;
  };
  return show_document(context, ask(context, "/v1/inbox/" + percent_encoded(id), find,
                                    Rejection::inbox_entry_not_known));
}

int run(Context& context, const Arguments& given) {
  if (given.action == "list" && !given.id) return list(context, given);
  if (given.action == "list") {
    return report(context, usage_failure(fmt::format("'{}' is one word too many; list takes "
                                                     "--source and --status",
                                                     printable(*given.id))));
  }
  constexpr std::array on_one{"show", "retry"};
  if (std::find(on_one.begin(), on_one.end(), given.action) == on_one.end()) {
    return report(context, usage_failure(fmt::format("'{}' is not something inbox does; try list, "
                                                     "show or retry",
                                                     printable(given.action))));
  }
  if (!given.id) {
    return report(context,
                  usage_failure(fmt::format("which entry? Entries have ids, as in: holdfast inbox "
                                            "{} w-9f86…",
                                            given.action)));
  }
  if (given.action == "show") return show(context, *given.id);
  context.token_given = given.change.token;
  return run_change(context, given.change, Command(InboxRetrying{.id = *given.id}));
}

}  // namespace

void add_inbox(Program& program) {
  auto given = std::make_shared<Arguments>();
  Options options =
      program.add("inbox", lesson, [given](Context& context) { return run(context, *given); });
  options.argument("ACTION", given->action, "list, show or retry");
  options.optional_argument("ID", given->id, "The entry");
  options.option("--source", "NAME", given->source, "Of list: only entries of this source");
  options.option("--status", "STATUS", given->status,
                 "Of list: only those that are received, processing, done or dead");
  add_list_options(options, given->list);
  add_change_options(options, given->change);
}

}  // namespace holdfast::cli
