#include "cli/store_window.hpp"

#include <fmt/format.h>

#include "base/json_members.hpp"
#include "base/json_writer.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "cli/arguments.hpp"
#include "cli/failure.hpp"
#include "cli/progress.hpp"
#include "cli/reply.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "domain/operation.hpp"
#include "domain/window_change.hpp"
#include "store/open.hpp"

namespace holdfast::cli {
namespace {

/// Whether an operation has one window, and that is not the store's. Of some each token has its
/// own.
bool has_one_window(const Rules& rules, Operation operation) {
  return !rules.follows(operation) && !spec_of(operation).own_window;
}

Failure failure_of(const StoreError& error) {
  return store_failure(Error{error.message, error.effect});
}

std::string kept_text(std::optional<Duration> window) {
  return window ? to_short_text(*window) : "for ever";
}

// The one in force

void write_in_force(JsonWriter& json, const WindowInForce& found) {
  json.begin_object();
  text_member(json, "store", to_valid_utf8(found.name));
  text_member(json, "window", to_short_text(found.rules.window));
  if (found.change) {
    text_member(json, "window_before", to_short_text(window_change_in(*found.change)->before));
    text_member(json, "since", time_text(found.change->at));
    integer_member(json, "seq", static_cast<std::int64_t>(found.change->seq));
  }
  json.key("own_windows");
  json.begin_object();
  for (const OperationRow& each : operations()) {
    if (!has_one_window(found.rules, each.id)) continue;
    text_member(json, each.name, kept_text(found.rules.window_of(each.id)));
  }
  json.end_object();
  json.end_object();
}

void print_in_force(Context& context, const WindowInForce& found) {
  Table table = facts();
  table.add({{"store"}, {printable(found.name)}});
  table.add({{"window"}, {to_short_text(found.rules.window)}});
  table.add(
      {{"since"},
       {found.change ? fmt::format("{}, record {}", moment_text(found.change->at, context.now()),
                                   number_text(found.change->seq))
                     : "it was made"}});
  if (found.change)
    table.add({{"before"}, {to_short_text(window_change_in(*found.change)->before)}});
  for (const OperationRow& each : operations()) {
    if (!has_one_window(found.rules, each.id)) continue;
    table.add({{std::string(each.name)}, {kept_text(found.rules.window_of(each.id))}});
  }
  table.print(context.out);
}

int show(Context& context, const std::string& store) {
  if (const auto error = context.missing_store(store))
    return report(context, store_failure(*error));
  const auto found = window_in_force(store);
  if (!found) return report(context, failure_of(found.error()));
  if (!context.settings.json) {
    print_in_force(context, *found);
    return 0;
  }
  std::string body;
  JsonWriter json(body);
  write_in_force(json, *found);
  print_json(context.out, {.body = body});
  return 0;
}

// Another one

std::uint64_t live(const WindowChanged& changed) {
  std::uint64_t sum = 0;
  for (const OperationTokens& each : changed.operations) {
    if (each.follows) sum += each.live;
  }
  return sum;
}

void write_changed(JsonWriter& json, const WindowChanged& changed) {
  json.begin_object();
  text_member(json, "store", to_valid_utf8(changed.name));
  text_member(json, "window_before", to_short_text(changed.before));
  text_member(json, "window", to_short_text(changed.window));
  json.key("changed");
  json.boolean(changed.seq != 0);
  if (changed.seq != 0) {
    text_member(json, "since", time_text(changed.at));
    integer_member(json, "seq", static_cast<std::int64_t>(changed.seq));
    integer_member(json, "forgotten_tokens", static_cast<std::int64_t>(changed.forgotten()));
  }
  json.end_object();
}

/// Operation by operation, what a shorter window does to their tokens.
void print_tokens(Context& context, const WindowChanged& changed) {
  Table table({{"operation"}, {"window"}, {"live tokens", true}, {"forgotten", true}});
  for (const OperationTokens& each : changed.operations) {
    if (each.live == 0) continue;
    table.add({{std::string(name(each.operation))},
               {each.follows ? fmt::format("{} to {}", to_short_text(changed.before),
                                           to_short_text(changed.window))
                             : kept_text(each.window) + ", its own"},
               {number_text(each.live)},
               {number_text(each.forgotten)}});
  }
  table.print(context.out);
}

/// What is not done without a word of agreement.
int refuse(Context& context, const WindowChanged& changed) {
  if (!context.settings.json) print_tokens(context, changed);
  return report(
      context,
      usage_failure(fmt::format(
          "a window of {} is shorter than that of {} which is in force. Of {}, {} older than that: "
          "they would be forgotten at once and for good, and whoever repeats a call with one of "
          "them would have it done a second time. Nothing was changed. Wait until no such call is "
          "repeated any more, or add --yes",
          to_short_text(changed.window), to_short_text(changed.before),
          count_text(live(changed), "live token"),
          changed.forgotten() == 1 ? "1 is" : number_text(changed.forgotten()) + " are")));
}

void print_changed(Context& context, const WindowChanged& changed) {
  const std::string window = to_short_text(changed.window);
  if (changed.seq == 0) {
    context.out.line(fmt::format("The store {} has a window of {} already: nothing was changed.",
                                 printable(changed.name), window));
    return;
  }
  context.out.line(fmt::format("The store {} has a window of {} from {} on, by record {}.",
                               printable(changed.name), window, instant_text(changed.at),
                               number_text(changed.seq)));
  if (changed.shorter()) {
    context.out.line(fmt::format("Forgotten for good: {} of {}.", number_text(changed.forgotten()),
                                 count_text(live(changed), "live token")));
    return;
  }
  context.out.line(fmt::format(
      "{} recognised for so long, counted from the first call. What was forgotten under the window "
      "of {} stays forgotten: a repeated call with such a token is done a second time.",
      live(changed) == 1 ? "1 live token is" : count_text(live(changed), "live token") + " are",
      to_short_text(changed.before)));
}

int change(Context& context, const WindowAsked& asked) {
  const auto window = parse_window_argument(asked.window->empty() ? "0s" : *asked.window);
  if (!window) return report(context, window.error());
  if (const auto error = context.missing_store(asked.store))
    return report(context, store_failure(*error));
  ProgressLine progress(context.err);
  const auto changed = change_store_window({.store = asked.store,
                                            .window = **window,
                                            .agreed = asked.yes,
                                            .clock = context.clock,
                                            .progress = [&](std::uint64_t done, std::uint64_t all) {
                                              progress.show_records("checking", done, all);
                                            }});
  progress.show({});
  if (!changed) return report(context, failure_of(changed.error()));
  if (changed->shorter() && !asked.yes) return refuse(context, *changed);
  if (!context.settings.json) {
    print_changed(context, *changed);
    return 0;
  }
  std::string body;
  JsonWriter json(body);
  write_changed(json, *changed);
  print_json(context.out, {.body = body});
  return 0;
}

}  // namespace

int store_window(Context& context, const WindowAsked& asked) {
  return asked.window ? change(context, asked) : show(context, asked.store);
}

}  // namespace holdfast::cli
