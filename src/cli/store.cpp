#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/json_members.hpp"
#include "base/json_writer.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "cli/arguments.hpp"
#include "cli/failure.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/reply.hpp"
#include "cli/store_window.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "engine/copying.hpp"

namespace holdfast::cli {
namespace {

constexpr Lesson lesson{
    .summary = "Make, upgrade, look at and copy a store, or change its window",
    .paragraph =
        "A store is a file, or a database that several nodes share: postgres://user@host/database\n"
        "or mariadb://user@host/database. init makes one; serving an empty database does so, too.\n"
        "upgrade brings one of an older version up to date, views included: make a backup and "
        "stop\n"
        "what uses it first; interrupted, it can be run again. status says what a store is and\n"
        "whether it takes changes. copy moves a store to another engine with its ids, tokens,\n"
        "instants and checksums, and audits both; interrupted, it goes on where it ended.\n"
        "window says how long tokens are recognised, and since when; with a DURATION it changes\n"
        "that from now on, in one transaction: stop what uses the store first. A longer window is\n"
        "for tokens that are still recognised; those forgotten already stay so. A shorter one\n"
        "forgets tokens that are older at once, so that repeated calls with them are done a "
        "second\n"
        "time: it says how many, and wants --yes.\n"
        "With --service-role and --auditor-role, init and upgrade let these roles of the database\n"
        "run the service and read; neither can change or remove a record.",
    .examples =
        "  holdfast store init --store postgres://admin@db/rooms --service-role holdfast\n"
        "  holdfast store status --store postgres://holdfast@db/rooms\n"
        "  holdfast store upgrade rooms.db\n"
        "  holdfast store upgrade --store mariadb://admin@db/rooms\n"
        "  holdfast store copy rooms.db postgres://admin@db/rooms\n"
        "  holdfast store window --store rooms.db\n"
        "  holdfast store window 48h --store rooms.db\n"
        "  holdfast store window 1h --store postgres://admin@db/rooms --yes"};

struct Arguments {
  std::string action;
  std::optional<std::string> store;
  std::optional<std::string> to;
  std::optional<std::string> window;
  bool yes = false;
  std::string service_role;
  std::string auditor_role;
};

Failure failure_of(const StoreError& error) {
  return store_failure(Error{error.message, error.effect});
}

void print_answer(Context& context, const std::string& body) {
  print_json(context.out, {.body = body});
}

// init and upgrade

int grant(Context& context, const Arguments& arguments, const std::string& store) {
  if (arguments.service_role.empty() && arguments.auditor_role.empty()) return 0;
  const auto granted = grant_store(store, arguments.service_role, arguments.auditor_role);
  if (granted) return 0;
  return report(context, failure_of(granted.error()));
}

/// What only some actions, or only some stores, take.
std::optional<Failure> out_of_place(const Arguments& arguments, const std::string& store) {
  if ((!arguments.service_role.empty() || !arguments.auditor_role.empty()) && !is_shared(store)) {
    return usage_failure(
        "--service-role and --auditor-role are about roles of a database; a file "
        "has none");
  }
  if (arguments.window && arguments.action != "init")
    return usage_failure("only init takes --window; store window DURATION changes it later");
  return std::nullopt;
}

/// `refreshed`: of an upgrade, whether it has made the views again at the same schema.
int report_schema(Context& context, const std::string& store, int before, std::string_view what,
                  std::optional<bool> refreshed = std::nullopt) {
  const auto now = store_status(store);
  if (!now) return report(context, failure_of(now.error()));
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    text_member(json, "store", to_valid_utf8(now->name));
    integer_member(json, "schema_before", before);
    integer_member(json, "schema", now->schema);
    if (refreshed) {
      json.key("views_refreshed");
      json.boolean(*refreshed);
    }
    json.end_object();
    print_answer(context, body);
    return 0;
  }
  context.out.line(fmt::format("The store {} is {} {}.", printable(now->name),
                               fmt::format(fmt::runtime(what), before), now->schema));
  return 0;
}

int init(Context& context, const Arguments& arguments, const std::string& store) {
  Rules rules;
  rules.window = std::chrono::hours(24);
  if (arguments.window) {
    const auto window = parse_window_argument(arguments.window->empty() ? "0s" : *arguments.window);
    if (!window) return report(context, window.error());
    rules.window = **window;
  }
  const auto status = store_status(store);
  const bool missing = !status || status->schema == 0;
  const bool other_window =
      arguments.window && !missing && status->rules && status->rules->window != rules.window;
  if (other_window) {
    return report(context,
                  store_failure(Error{fmt::format(
                      "the store {} has a window of {}; `holdfast store window` changes it",
                      status->name, to_short_text(status->rules->window))}));
  }
  const auto found = make_store(store, rules);
  if (!found) return report(context, failure_of(found.error()));
  if (const int failed = grant(context, arguments, store); failed != 0) return failed;
  return report_schema(context, store, *found,
                       *found == 0 ? "made, with schema" : "there already, with schema");
}

int upgrade(Context& context, const Arguments& arguments, const std::string& store) {
  ProgressLine progress(context.err);
  const auto done =
      upgrade_store({.store = store, .progress = [&](std::uint64_t records, std::uint64_t all) {
                       progress.show_records("checking", records, all);
                     }});
  progress.show({});
  if (!done) return report(context, failure_of(done.error()));
  if (const int failed = grant(context, arguments, store); failed != 0) return failed;
  if (!done->caution.empty()) context.err.line(done->caution);
  const std::string_view what =
      done->schema_before < done->schema ? "upgraded from schema {} to schema"
      : done->views_refreshed            ? "as it was, its views refreshed, with schema"
                                         : "up to date, with nothing to do: it has schema";
  return report_schema(context, store, done->schema_before, what, done->views_refreshed);
}

// status

void write_status(JsonWriter& json, const StoreStatus& status) {
  json.begin_object();
  text_member(json, "store", to_valid_utf8(status.name));
  text_member(json, "engine", status.engine);
  integer_member(json, "schema", status.schema);
  integer_member(json, "schema_newest", status.schema_newest);
  if (status.rules) {
    integer_member(json, "window_seconds",
                   std::chrono::duration_cast<std::chrono::seconds>(status.rules->window).count());
  }
  if (status.counts) {
    integer_member(json, "records", static_cast<std::int64_t>(status.counts->records));
    integer_member(json, "holds", static_cast<std::int64_t>(status.counts->holds));
    integer_member(json, "live_holds", static_cast<std::int64_t>(status.counts->live_holds));
    integer_member(json, "live_tokens", static_cast<std::int64_t>(status.counts->live_tokens));
    integer_member(json, "resources", static_cast<std::int64_t>(status.counts->resources));
  }
  json.key("ready");
  json.boolean(status.schema == status.schema_newest && status.trouble.empty());
  if (!status.trouble.empty()) text_member(json, "trouble", to_valid_utf8(status.trouble));
  if (!status.caution.empty()) text_member(json, "caution", to_valid_utf8(status.caution));
  json.end_object();
}

void print_status(Output& out, const StoreStatus& status) {
  Table table = facts();
  table.add({{"store"}, {printable(status.name)}});
  table.add({{"kept in"}, {status.engine}});
  table.add({{"schema"},
             {status.schema == 0
                  ? "none: holdfast store init makes one"
                  : fmt::format("{} (this program: {})", status.schema, status.schema_newest)}});
  if (status.rules) table.add({{"window"}, {to_short_text(status.rules->window)}});
  if (status.counts) {
    table.add({{"records"}, {number_text(status.counts->records)}});
    table.add({{"holds"},
               {fmt::format("{}, {} of them live", number_text(status.counts->holds),
                            number_text(status.counts->live_holds))}});
    table.add({{"live tokens"}, {number_text(status.counts->live_tokens)}});
    table.add({{"resources"}, {number_text(status.counts->resources)}});
  }
  if (status.schema != 0) {
    table.add({{"changes"},
               status.trouble.empty() ? Cell{"can be made", Colour::green}
                                      : Cell{printable(status.trouble), Colour::red}});
  }
  if (!status.caution.empty())
    table.add({{"caution"}, {printable(status.caution), Colour::yellow}});
  table.print(out);
}

int status(Context& context, const std::string& store) {
  if (const auto error = context.missing_store(store)) {
    return report(context, store_failure(*error));
  }
  const auto found = store_status(store);
  if (!found) return report(context, failure_of(found.error()));
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    write_status(json, *found);
    print_answer(context, body);
  } else {
    print_status(context.out, *found);
  }
  return found->schema == found->schema_newest && found->trouble.empty() ? 0 : exit_store;
}

// copy

std::string bar(std::uint64_t done, std::uint64_t all) {
  constexpr std::uint64_t width = 30;
  const std::uint64_t full = all == 0 ? width : std::min(width, done * width / all);
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

std::string_view stage_text(CopyStage stage) {
  switch (stage) {
    case CopyStage::audit_source:
      return "auditing the source";
    case CopyStage::copy:
      return "copying";
    case CopyStage::audit_target:
      return "auditing the copy";
  }
  return "";
}

std::string_view verdict_text(const Verdict& verdict) {
  return verdict.clean() ? "every invariant holds" : "violations found; holdfast audit shows them";
}

int copy(Context& context, const std::string& from, const std::string& to) {
  if (const auto error = context.missing_store(from)) {
    return report(context, store_failure(*error));
  }
  if (const auto error = context.not_a_file(to)) return report(context, store_failure(*error));
  ProgressLine progress(context.err);
  const auto copied =
      copy_store(from, to, [&](CopyStage stage, std::uint64_t done, std::uint64_t all) {
        progress.show(fmt::format("{} {} of {} records, {}", bar(done, all), number_text(done),
                                  number_text(all), stage_text(stage)));
      });
  progress.show({});
  if (!copied) return report(context, failure_of(copied.error()));
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    integer_member(json, "records", static_cast<std::int64_t>(copied->records));
    integer_member(json, "resumed_after", static_cast<std::int64_t>(copied->resumed));
    json.key("source_clean");
    json.boolean(copied->source.clean());
    json.key("copy_clean");
    json.boolean(copied->source.clean() && copied->target.clean());
    json.end_object();
    print_answer(context, body);
    return copied->clean() ? 0 : exit_store;
  }
  if (!copied->source.clean()) {
    context.out.line("Nothing was copied: the source has violations; holdfast audit shows them.");
    return exit_store;
  }
  const std::string resumed = copied->resumed == 0 ? ""
                                                   : fmt::format(" ({} of them by an earlier try)",
                                                                 number_text(copied->resumed));
  context.out.line(fmt::format("{} copied{}.", count_text(copied->records, "record"), resumed));
  context.out.line(fmt::format("Source: {}. Copy: {}.", verdict_text(copied->source),
                               verdict_text(copied->target)));
  return copied->clean() ? 0 : exit_store;
}

// window

/// Whether a word is a window, or at any rate names no store.
bool is_window(const std::string& word) {
  std::error_code ignored;
  return parse_window_argument(word) ||
         !(is_shared(word) || std::filesystem::exists(word, ignored));
}

/// `window [STORE] [DURATION]`, or the other way round.
int window(Context& context, const Arguments& arguments) {
  WindowAsked asked{.store = context.store_path(), .yes = arguments.yes};
  std::optional<std::string> first = arguments.store;
  std::optional<std::string> second = arguments.to;
  if (second && is_window(*first) && !is_window(*second)) std::swap(first, second);
  const bool names_store = first && (second || !is_window(*first));
  if (names_store) asked.store = *first;
  asked.window = names_store ? second : first;
  if (const auto error = context.not_a_file(asked.store))
    return report(context, store_failure(*error));
  if (const auto wrong = out_of_place(arguments, asked.store)) return report(context, *wrong);
  if (asked.yes && !asked.window)
    return report(context, usage_failure("--yes to which window? Name one, as in 48h"));
  return store_window(context, asked);
}

int run(Context& context, const Arguments& arguments) {
  if (arguments.action == "window") return window(context, arguments);
  if (arguments.action == "copy") {
    if (arguments.store && arguments.to) return copy(context, *arguments.store, *arguments.to);
    return report(context, usage_failure("copy needs two stores, as in: holdfast store copy "
                                         "rooms.db postgres://admin@db/rooms"));
  }
  if (arguments.to)
    return report(context, usage_failure("one store at a time; only copy takes two"));
  if (arguments.yes) return report(context, usage_failure("--yes is for store window"));
  const std::string store = arguments.store.value_or(context.store_path());
  if (arguments.action == "status") return status(context, store);
  if (arguments.action == "init" || arguments.action == "upgrade") {
    if (const auto error = context.not_a_file(store)) return report(context, store_failure(*error));
    if (const auto wrong = out_of_place(arguments, store)) return report(context, *wrong);
    return arguments.action == "init" ? init(context, arguments, store)
                                      : upgrade(context, arguments, store);
  }
  return report(context, usage_failure(fmt::format("'{}' is not something store does; try init, "
                                                   "upgrade, status, copy or window",
                                                   printable(arguments.action))));
}

}  // namespace

void add_store(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Options options = program.add("store", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.argument("ACTION", arguments->action, "init, upgrade, status, copy or window");
  options.optional_argument("STORE", arguments->store,
                            "The store, instead of --store; of copy: the one to copy");
  options.optional_argument("TO", arguments->to,
                            "Of copy: where to; of window: the DURATION, or in place of STORE");
  options.option("--window", "DURATION", arguments->window,
                 "Of init: how long tokens are recognised (24h)");
  options.flag("--yes", arguments->yes, "Of window: forget tokens that a shorter one is over for");
  options.option("--service-role", "ROLE", arguments->service_role,
                 "Of init and upgrade: the role of the database that runs the service");
  options.option("--auditor-role", "ROLE", arguments->auditor_role,
                 "Of init and upgrade: the role that only reads");
}

}  // namespace holdfast::cli
